"""An image on its way to the deployment's own registry: what is asked of skopeo, and what is left of each ending."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from contest.submissions.rules import Ending, FailureCause, RunLimits, RunOrder, as_json, ending_from
from local.submissions.job import password_of
from local.submissions.work import Copier, copy_image
from tests.local.submissions.test_work import FOLDER, Kept

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform == "win32", reason="skopeo's stand-in is a script"),
]
DIGEST = "sha256:" + "5" * 64
SKOPEO = """#!{python}
import json, sys
words = sys.argv[1:]
with open({place!r} + "/asked", "a") as asked:
    asked.write(json.dumps(words) + "\\n")
if words[0] == "inspect":
    if "absent" in words[-1]:
        print("first line\\nlevel=fatal msg=\\"manifest unknown\\"", file=sys.stderr)
        sys.exit(1)
    print(json.dumps({{"LayersData": [{{"Size": 600}}, {{"Size": 424}}]}}))
if words[0] == "copy":
    if {refuses}:
        print("denied", file=sys.stderr)
        sys.exit(1)
    open(words[words.index("--digestfile") + 1], "w").write({digest!r})
"""


def copier(place: Path, *, refuses: bool = False) -> Copier:
    program = place / "skopeo"
    text = SKOPEO.format(python=sys.executable, place=str(place), refuses=refuses, digest=DIGEST)
    program.write_text(text, "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return Copier("registry.example/cycle", "word", str(program))


def asked(place: Path) -> list[list[str]]:
    return [json.loads(line) for line in (place / "asked").read_text("utf-8").splitlines()]


def ordered(image: str = "team/model:1", most: int = 1024) -> Kept:
    bucket = Kept()
    order = RunOrder("123-1", FOLDER, image, "python run.py", (), (), RunLimits(image=most))
    bucket.objects[f"{FOLDER}order.json"] = json.dumps(as_json(order)).encode()
    return bucket


def ending(bucket: Kept) -> Ending:
    return ending_from(json.loads(bucket.objects[f"{FOLDER}ending.json"]))


@pytest.mark.clause("TS F-1", "F image")
def test_an_image_is_copied_under_the_runs_name_and_known_by_its_digest(tmp_path: Path) -> None:
    bucket = ordered()
    assert copy_image(bucket, f"{FOLDER}order.json", copier(tmp_path)) == 0
    told = json.loads(bucket.objects[f"{FOLDER}image.json"])
    assert told == {"image": f"registry.example/cycle@{DIGEST}", "bytes": 1024}
    assert f"{FOLDER}ending.json" not in bucket.objects
    inspected, copied = asked(tmp_path)
    assert inspected[-1] == copied[-2] == "docker://team/model:1"
    assert copied[-1] == "docker://registry.example/cycle:123-1"
    assert copied[copied.index("--dest-creds") + 1] == "AWS:word"
    assert copy_image(bucket, f"{FOLDER}order.json", copier(tmp_path)) == 0
    assert len(asked(tmp_path)) == 2


@pytest.mark.clause("TS F-1", "TS F-4", "F limits image")
@pytest.mark.parametrize(
    ("image", "most", "why"), [("team/absent:1", 1024, "manifest unknown"), ("team/model:1", 1023, "1024 bytes")]
)
def test_an_image_that_cannot_be_had_or_is_too_large_ends_the_run_and_the_team_is_told(
    tmp_path: Path, image: str, most: int, why: str
) -> None:
    bucket = ordered(image, most)
    assert copy_image(bucket, f"{FOLDER}order.json", copier(tmp_path)) == 1
    assert (ending(bucket).cause, ending(bucket).exit_code) == (FailureCause.IMAGE, None)
    said = bucket.objects[f"{FOLDER}stderr"].decode()
    assert image in said
    assert why in said
    assert "first line" not in said
    assert all(words[0] == "inspect" for words in asked(tmp_path))
    assert copy_image(bucket, f"{FOLDER}order.json", copier(tmp_path)) == 1
    assert len(asked(tmp_path)) == 1


@pytest.mark.clause("TS F-4")
def test_a_registry_that_takes_nothing_is_the_platforms_failure(tmp_path: Path) -> None:
    bucket = ordered()
    assert copy_image(bucket, f"{FOLDER}order.json", copier(tmp_path, refuses=True)) == 1
    assert ending(bucket).cause is FailureCause.PLATFORM
    assert "denied" in ending(bucket).said
    assert "word" not in ending(bucket).said
    assert f"{FOLDER}stderr" not in bucket.objects


def test_the_registrys_password_is_what_stands_behind_its_user() -> None:
    class Registry:
        def get_authorization_token(self) -> object:
            return {"authorizationData": [{"authorizationToken": "QVdTOnNlY3JldA=="}]}

    assert password_of(Registry()) == "secret"
