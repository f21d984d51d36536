"""The organizer's command and the sample participant on a running local cloud, for demonstrations and trials.

:class:`Organizer` runs ``contest`` against one local cloud. The sample participant is an account that signs up and
becomes the captain of a team.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from local import processes
from local.aws.emulator import JobQueue
from local.cloud import LocalCloud
from local.environment import base_environment, person_environment
from local.lambdas.runtime import platform_libraries
from local.texts import say
from markup_core.texts import in_language, language
from pku.errors import PkuError

_COMMAND = "FunctionsCommand"
"""The parameter with the variables of `contest`."""
COMMAND = """
from contest.commands.main import main
main(prog_name="contest")
"""

_KEEP = """
import sys
from contest.commands import connection
connection.keep_local(*sys.argv[1:])
"""
_FORGET = _KEEP.replace("keep_local", "forget_local")
_HEAD = """
import json, sys
from pathlib import Path
from contest.cycle import file
from contest.cycle.commands.folders import FolderError, read_head
try:
    head = read_head(Path(sys.argv[1]))[1]
    print(json.dumps([head["cycle"], head, file.tracks_own(head.get("parameters") or {})]))
except FolderError as error:
    sys.exit(f"{error.fault.file}: {getattr(error.fault.message, sys.argv[2])}")
except (AttributeError, LookupError, TypeError):
    sys.exit(sys.argv[3])
"""
HOOK_LOOPBACK_VARIABLE = "HURDLE_HOOK_LOOPBACK"
CYCLE_VARIABLE = "HURDLE_CYCLE"
NAMELESS = "demo"
"""Default name of a local cloud's cycle, as in the template."""
PROGRAMS = JobQueue("local-programs", "local-program", ("local.submissions.work",), "QueuesSubmissions")
"""Job queue in which a local cloud runs submitted programs."""
PROGRAMS_VARIABLES = {"HURDLE_BATCH_QUEUE": PROGRAMS.queue, "HURDLE_BATCH_DEFINITION": PROGRAMS.definition}
_OF_A_PERSON = ("HURDLE_HOME", "XDG_CONFIG_HOME")

STAFF = ("organizer", "judge", "commission", "expert")
TRY_CONTEST = "contest --local cycle show; contest --local team list"


def samples() -> str:
    """Return the sample accounts, in a few words."""
    return say("organizer@example.org; judge@, commission@, expert@ as well")


class OrganizerError(Exception):
    """A command failed; the text is its output."""


class Organizer:
    """Runs ``contest`` against one local cloud."""

    def __init__(self, cloud: LocalCloud, spoken: str | None = None, *, before: str = "") -> None:
        """``spoken``: the language of what is printed; without it the one that is spoken now. ``before`` is a program
        that goes before each command, in its process."""
        self._program = before + COMMAND
        self._environment = cloud.environment(_COMMAND)
        self._spoken = spoken or language()
        self.cycle = self._environment[CYCLE_VARIABLE]

    def contest(self, *words: str) -> str:
        """Return the output of ``contest WORDS``. Raises OrganizerError when it fails."""
        words = ("--lang", self._spoken, *words)
        return run(self._program, self._environment, *words).strip()

    def load(self, folder: Path) -> str:
        """Load a cycle's folder; return the command's output."""
        return self.contest("cycle", "load", "--direct", str(folder.resolve()))

    def staff(self) -> None:
        """Give a sample account each role of the staff; the sign-in page of the local cloud lists them."""
        with ThreadPoolExecutor(len(STAFF)) as pool:  # a command takes a second, most of it to start
            invited = [
                pool.submit(self.contest, "staff", "invite", f"{role}@example.org", f"Sample {role}", role)
                for role in STAFF
            ]
            for invitation in invited:
                invitation.result()

    def keep(self, url: str, signed_in: SignedIn, home: Path | None = None) -> None:
        """Leave the files that `contest --local` needs, a sign-in too, where that command looks, or in ``home``."""
        words = (url, signed_in.token_endpoint, signed_in.client_id, signed_in.refresh_token)
        place = _of_a_person() if home is None else {"HURDLE_HOME": str(home)}
        run(_KEEP, self._environment | place, *words)

    def forget(self, url: str) -> None:
        """Remove these files again, unless they are another local cloud's by now."""
        run(_FORGET, self._environment | _of_a_person(), url)

    def team(self, team_id: str, name: str) -> str:
        """Admit a team and return a token for its program."""
        self.contest("team", "add", team_id, name)
        return self.contest("token", "issue", team_id)


def read_cycle(folder: Path) -> tuple[str, Any, dict[str, Any]]:
    """Return the name of the cycle that a folder describes, the value of its file, and the parameters in it that the
    contest reads. Raises OrganizerError when it cannot be read."""
    nameless = say("{folder} has no cycle.json or cycle.yaml that names a cycle", folder=folder)
    name, head, of_the_contest = json.loads(run(_HEAD, base_environment(), str(folder.resolve()), language(), nameless))
    return name, head, of_the_contest


def validate(folder: Path) -> None:
    """Check a cycle's folder as loading does. Raises OrganizerError with every fault."""
    run(COMMAND, base_environment(), "--lang", language(), "cycle", "validate", str(folder.resolve()))


def _of_a_person() -> dict[str, str]:
    return {name: value for name, value in person_environment().items() if name in _OF_A_PERSON}


def run(program: str, environment: Mapping[str, str], *words: str) -> str:
    """Return the output of a program's text run with a local cloud's environment. OrganizerError when it fails."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as complained:
        status = run_here(program, environment, *words, stdout=printed.fileno(), stderr=complained.fileno())
        outputs = []
        for file in (printed, complained):
            file.seek(0)
            outputs.append(file.read().decode())
    if status != 0:
        raise OrganizerError((outputs[1] or outputs[0]).strip())
    return outputs[0]


def run_here(program: str, environment: Mapping[str, str], *words: str, stdout: int = 1, stderr: int = 2) -> int:
    """Run a program's text, which may write to this terminal, and return its exit code.

    It is forked from a process that has loaded the platform: to start a command anew costs several times as much.
    """
    libraries, folder = platform_libraries(), Path(sys.prefix)
    process = processes.start(processes.Order(("-c", program, *words), environment, folder, libraries, stdout, stderr))
    try:
        return process.wait()
    except BaseException:
        process.kill()
        raise


CAPTAIN = "participant@example.org"
ORGANIZER = "organizer@example.org"
_PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A sign-in at a local cloud, as OpenID Connect has it."""

    token_endpoint: str
    client_id: str
    access_token: str
    refresh_token: str


def token(url: str, email: str, pool: str) -> str:
    """Return an access token for somebody who signs in at a local cloud; participants sign up by it."""
    return sign_in(url, email, pool).access_token


def sign_in(url: str, email: str, pool: str) -> SignedIn:
    """Sign somebody in at a local cloud, whose page asks for no password; participants sign up by it."""
    with httpx.Client(timeout=_PATIENCE_S) as browser:
        pools = _json_of(browser.get(f"{url}/v1/sign-in"))
        place = _json_of(browser.get(f"{pools[pool]['issuer']}/.well-known/openid-configuration"))
        verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(verifier.encode()).digest()
        who = {"client_id": pools[pool]["client_id"], "redirect_uri": pools["loopback_redirects"][0]}
        request = {
            **who,
            "response_type": "code",
            "scope": "openid",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        sent = browser.post(place["authorization_endpoint"], data={**request, "email": email})
        code = parse_qs(urlsplit(sent.headers["location"]).query)["code"][0]
        grant = {**who, "grant_type": "authorization_code", "code": code, "code_verifier": verifier}
        tokens = _json_of(browser.post(place["token_endpoint"], data=grant))
    return SignedIn(place["token_endpoint"], who["client_id"], tokens["access_token"], tokens["refresh_token"])


def make_captain(url: str, team: str) -> None:
    """Invite the sample participant to a team, in the organizer's name, and accept in the participant's."""
    invited = ask(url, ORGANIZER, f"/v1/teams/{team}/invitations", {"note": "", "as_captain": True})
    accepted = {"code": invited["code"], "person_name": "Sample participant", "contact": CAPTAIN}
    ask(url, CAPTAIN, "/v1/invitations/accept", accepted, pool="participants")


def ask(url: str, email: str, path: str, body: Any, *, pool: str = "staff", method: str = "POST") -> Any:
    """Return the interface's answer to somebody who signs in for it."""
    headers = {"Authorization": f"Bearer {token(url, email, pool)}"}
    return _json_of(httpx.request(method, f"{url}{path}", headers=headers, json=body, timeout=_PATIENCE_S))


def _json_of(answer: httpx.Response) -> Any:
    return answer.raise_for_status().json()


def in_words(error: BaseException) -> str:
    """Return an error's text in the spoken language: the kit's own, or one whose message carries its Russian."""
    if isinstance(error, PkuError):
        return error.text(language())
    message = error.args[-1] if error.args else None
    return in_language(message, language()) if isinstance(message, str) else str(error)
