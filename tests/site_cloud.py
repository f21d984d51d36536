"""The one local cloud that the site's browser tests share: ``python -m tests.site_cloud PORT [CONTEST [WHAT]]``.

It serves the built site with the demonstration cycle, one team with a captain that has qualified on the test set, and
the staff's sample accounts (with ``people`` the cycle, these accounts and a team alone, and no program's work; with
``rounds`` a final of the diagnosis contest that clinicians are to judge); beside it, at PORT + 1, what only tests may
do: ask for what was prepared, move the clock, give the organizer's command, ask the interface as an organizer.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import run
from typing import Any

import httpx

from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.environment import FOLDER, folder_of, person_environment
from local.gateways.objects import built_kit, built_site
from local.organizing import (
    CAPTAIN,
    CYCLE_VARIABLE,
    HOOK_LOOPBACK_VARIABLE,
    PROGRAMS,
    PROGRAMS_VARIABLES,
    Organizer,
    OrganizerError,
    make_captain,
    read_cycle,
)
from local.running import TEAM, TEAM_NAME, play_demonstration
from tests import site_board
from tests.site_experts import Experts
from tests.site_final import with_final
from tests.site_harm import Harm
from tests.site_rounds import Rounds

FUNCTIONS = Path(__file__).parents[1] / "functions"
HOST = "127.0.0.1"
MINUTE_S = 60
LOOKS = 10
FILES_OF_RUN = 6


class Stage:
    """The cloud with the data that tests find on it."""

    def __init__(self, cloud: LocalCloud, home: Path, contest: str, what: str = "whole") -> None:
        self.cloud = cloud
        self.contest = contest
        self.what = what
        self.organizer = Organizer(cloud)
        self.home = home
        self.told: dict[str, Any] = {}
        self.experts = Experts(cloud.url, cloud.drain, self._advance)
        self.harm = Harm(cloud)

    def prepare(self) -> None:
        """Load the cycle, make the accounts, let the pilot program answer the test set; play what else there is of
        another contest than the essays."""
        if self.what == "rounds":
            rounds = Rounds(self.cloud.url, self.organizer, self.experts, self.cloud.clock)
            self.told = rounds.prepare(folder_of(self.contest), self.home)
            return
        play = self._essays if self.contest == "essay" else self._played
        token = self._people() if self.what == "people" else play()
        self.told = {"token": token, "team": TEAM, "captain": CAPTAIN}

    def _played(self) -> str:
        """Play another contest's demonstration with a shortened final; return its pilot's token."""
        folder = folder_of(self.contest)
        token = play_demonstration(self.cloud, self.home, "en", folder, FILES_OF_RUN).token
        if "test" in json.loads((folder / "cycle.json").read_text("utf-8"))["sets"]:
            self._wait_for_the_board()
        return token

    def _people(self) -> str:
        """Create a contest's cycle, its staff and a captain; return the token of a new team."""
        self.organizer.load(folder_of(self.contest))
        self.organizer.staff()
        token = self.organizer.team(TEAM, TEAM_NAME)
        make_captain(self.cloud.url, TEAM)
        return token

    def _essays(self) -> str:
        self.organizer.load(FOLDER)
        kit = built_kit()
        if kit is None:
            raise RuntimeError("the participants' kit is not built: make build/kit/kit.json")
        self.organizer.contest("kit", "publish", str(kit))
        token = self.organizer.team(TEAM, TEAM_NAME)
        self.organizer.staff()
        make_captain(self.cloud.url, TEAM)
        self._pku("login", self.cloud.url, "--token-stdin", said=token)
        self._pku("pilot", "--set", "test")
        self._wait_for_the_board()
        return token

    def _pku(self, *words: str, said: str | None = None) -> None:
        environment = {**person_environment(), "HURDLE_HOME": str(self.home)}
        command = [str(Path(sys.executable).with_name("pku")), *words]
        run(command, env=environment, input=None if said is None else f"{said}\n", text=True, check=True, stdout=2)

    def _wait_for_the_board(self) -> None:
        # Timers make the board. The clock is moved between looks, for many looks at once meet the firewall.
        for _ in range(LOOKS):
            self.cloud.drain()
            found = httpx.get(f"{self.cloud.url}/v1/leaderboards/qualification", timeout=60).raise_for_status().json()
            if found["rows"]:
                return
            self._advance(MINUTE_S)
        raise RuntimeError("the pilot's session came to no place on the board")

    def order(self, path: str, said: Any) -> Any:
        """Do what a test asks for."""
        orders: dict[str, Callable[[], Any]] = {
            "/prepared": lambda: self.told,
            "/contest": lambda: {"printed": self.organizer.contest(*said["words"])},
            "/organizer": lambda: self.experts.organize(said["method"], said["path"], said["body"]),
            "/clock": lambda: self._advance(said["seconds"]),
            "/drain": lambda: {"passes": self.cloud.drain()},
            "/train": self._train,
            "/board": lambda: {"teams": site_board.play(self.cloud.url, self.organizer, FOLDER, self._settle)},
            "/essay": lambda: self.experts.give(said["name"], said["text"], said["experts"], kind=said["kind"]),
            "/differ": lambda: self.experts.differ(**said),
            "/enlist": lambda: {"experts": self.experts.enlist(**said)},
            "/ask": lambda: self._ask(**said),
            "/final": self._final,
            "/letter": lambda: self.harm.letter(said),
            "/alter": lambda: self.harm.alter(said["run"]),
            "/mend": self.harm.mend,
        }
        return orders[path]()

    def _advance(self, seconds: float) -> Any:
        self.cloud.clock.hold()
        self.cloud.clock.advance(seconds)
        self.cloud.clock.release()
        return {"now_ms": self.cloud.clock.now_ms()}

    def _train(self) -> Any:
        """Let the pilot program answer the training set, whose answers may be compared with the experts'."""
        self._pku("pilot", "--set", "train")
        self.cloud.drain()
        return {}

    def _settle(self) -> None:
        """Let what was answered come to the board."""
        self.cloud.drain()
        self._advance(MINUTE_S)
        self.cloud.drain()

    def _final(self) -> Any:
        """Load the cycle with a final and a reserve set, once."""
        folder = self.home / "with-final"
        if not folder.exists():
            self.organizer.load(with_final(FOLDER, folder))
            # Processes believe what they read of the cycle for a while.
            self._advance(MINUTE_S)
        return {}

    def _ask(
        self, email: str, method: str, path: str, headers: dict[str, str], body: Any = None, pool: str = "staff"
    ) -> Any:
        answered = self.experts.ask(email, method, path, body, pool=pool, **headers)
        return {"status": answered.status_code, "body": answered.json()}


def desk(stage: Stage, port: int) -> ThreadingHTTPServer:
    """Serve the tests' own entrance."""

    class Desk(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            said = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            try:
                status, told = 200, stage.order(self.path, said)
            except KeyError:
                status, told = 404, {"error": f"no {self.path} here"}
            except httpx.HTTPStatusError as error:
                status, told = 409, {"error": f"{error}: {error.response.text}"}
            except (OrganizerError, httpx.HTTPError) as error:
                status, told = 409, {"error": str(error)}
            body = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST  # noqa: N815 -- the base class names it

        def log_message(self, *args: Any) -> None:
            pass

    return ThreadingHTTPServer((HOST, port), Desk)


def main(port: int, contest: str = "essay", what: str = "whole") -> None:
    """Serve until the starting process closes standard input, or ends this one."""
    if built_site() is None:
        sys.exit("the site is not built: make site")
    variables = {CYCLE_VARIABLE: read_cycle(folder_of(contest))[0], HOOK_LOOPBACK_VARIABLE: "yes", **PROGRAMS_VARIABLES}
    with (
        tempfile.TemporaryDirectory(prefix="hurdle-site-") as home,
        LocalCloud(
            DEFAULT_TEMPLATE,
            FUNCTIONS,
            port=port,
            workers=1,
            warm=True,
            site=built_site,
            variables=variables,
            jobs=PROGRAMS,
        ) as cloud,
    ):
        stage = Stage(cloud, Path(home), contest, what)
        stage.prepare()
        with desk(stage, port + 1) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            print(f"ready at {cloud.url}", flush=True)
            while os.read(0, 1):
                continue


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
