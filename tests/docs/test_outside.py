"""The commands before anybody can sign in, as README and operations page print them: typed from outside.

The terminal has no variable of the deployment. The command finds the cycle by its name, in the parameter of Systems
Manager, with the rights of an operator's policy and no others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from contest import settings
from infra.operator_policy import files
from local.aws.identity import rights_of
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.lambdas.runtime import Logs
from local.organizing import CYCLE_VARIABLE
from tests.docs.terminals import ROOT, Terminal, typed
from tests.docs.test_operations import INVITED, PAGES, printed
from tests.docs.test_readme import CYCLE, commands, make_folder
from tests.exchange_programs import FUNCTIONS

OPERATOR = "operator"
PAGE, RUSSIAN_PAGE = PAGES
DIRECT = f"contest --cycle {CYCLE} "


@pytest.fixture(scope="module")
def cloud() -> Iterator[LocalCloud]:
    variables: Any = {CYCLE_VARIABLE: CYCLE}
    with LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS, logs=Logs(screen=StringIO()), variables=variables) as ready:
        named = ready.environment("FunctionsCommand")
        value = json.dumps({name: named[name] for name in settings.OF_COMMAND if name in named})
        ready.client("ssm").put_parameter(Name=settings.command_parameter(CYCLE), Value=value, Type="String")
        yield ready


def operators() -> list[tuple[str, str]]:
    """Return the rights of contest.json; the local cloud has own names, and a parameter's reading is one right."""
    rights = [("AmazonSSM:GetParameter", "*")]
    for statement in json.loads(files()["contest.json"])["Statement"]:
        for resource in statement["Resource"]:
            local = resource.replace("hurdle-CYCLE-", "local-").replace("REGION", "*").replace("ACCOUNT", "*")
            rights += [(action, local) for action in statement["Action"]]
    return rights


def outside(folder: Path, cloud: LocalCloud, rights: list[tuple[str, str]]) -> Terminal:
    """Return a terminal of somebody who has only these rights, and no setting of the deployment."""
    cloud._running_emulator().set_rights({**rights_of(cloud._deployment), OPERATOR: rights})
    named: Mapping[str, str] = cloud.environment("FunctionsCommand")
    own = {name: value for name, value in named.items() if name.startswith("AWS_")}
    assert settings.AWS_ENDPOINT in own
    return Terminal(folder, folder / "nobody", {**own, "AWS_ACCESS_KEY_ID": OPERATOR})


@pytest.mark.integration
@pytest.mark.slow
def test_a_cycle_is_loaded_with_an_operators_rights(cloud: LocalCloud, tmp_path: Path) -> None:
    make_folder(tmp_path / "my-cycle")
    there = outside(tmp_path, cloud, operators())
    load, invite = (line for line in commands("Organize") if line.startswith(DIRECT))
    (loaded_here,) = (line for line in printed(PAGE) if line.startswith(f"{DIRECT}cycle load"))
    assert load == loaded_here, "both pages print the same"
    assert "warning" in there.run(load)
    assert "invited" in there.run(invite)
    assert cloud.has_account("olga@example.org")
    refused = there.tried(INVITED)
    assert refused.returncode == 1, "the same person again"
    assert "has a role already" in refused.stderr
    assert there.tried(f"{DIRECT}cycle deploying --json").returncode == 0, "what make deploy asks"
    doctor = there.tried(f"{DIRECT}doctor --mend")
    assert "contest login" in doctor.stderr, "an organizer types it, who has signed in by then"


@pytest.mark.integration
@pytest.mark.slow
def test_without_a_right_the_command_says_what_it_cannot_read(cloud: LocalCloud, tmp_path: Path) -> None:
    refused = outside(tmp_path, cloud, [("s3:*", "*")]).tried(INVITED)
    assert refused.returncode == 1
    assert f"/hurdle/{CYCLE}/command cannot be read" in refused.stderr


@pytest.mark.parametrize("page", PAGES)
def test_what_is_typed_before_a_sign_in_names_its_cycle(page: str) -> None:
    """Without --cycle the command would ask for a sign-in that nobody has yet."""
    lines = typed((ROOT / "docs" / page).read_text("utf-8"))
    others = [line for line in lines if line.startswith("contest ") and not line.startswith(DIRECT)]
    assert others == ["contest login https://HOST"]
