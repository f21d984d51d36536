"""A job from its order to its ending, an image on its way to the registry: what is read and left, whatever happens."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.submissions.rules import (
    MIB,
    FailureCause,
    Output,
    RunLimits,
    RunOrder,
    Stored,
    as_json,
    ending_from,
)
from contest.submissions.rules import Ending as running_Ending
from local.submissions import work as work_module
from local.submissions.engines import ChildEngine
from local.submissions.job import DamagedError, Ending, Job, Limits, below, password_of
from local.submissions.work import Copier, copy_image, work
from tracks.protocol import Text

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the engines are Linux's")

FOLDER = "submissions/runs/123-1/"
LIMITS = RunLimits(wall_s=20, grace_s=1, memory=256 * MIB, processes=40)
PROGRAM = """
import json
requests = json.load(open("input/C2C/requests.json"))
json.dump({name: "" for name in requests}, open("output/prediction_C2C.json", "w"))
print("done")
"""


@dataclass
class Kept:
    """A bucket in memory."""

    objects: dict[str, bytes] = field(default_factory=dict)

    def read(self, name: str) -> Iterator[bytes]:
        whole = self.objects[name]
        return iter([whole[:10], whole[10:]])

    def write(self, name: str, content: IO[bytes], size: int, sha256: str) -> None:
        body = content.read()
        assert (len(body), hashlib.sha256(body).hexdigest()) == (size, sha256)
        self.objects[name] = body

    def write_once(self, name: str, content: bytes) -> bool:
        return self.objects.setdefault(name, content) is content

    def keep(self, name: str, body: bytes, path: str = "") -> Stored:
        self.objects[name] = body
        return Stored(name, len(body), hashlib.sha256(body).hexdigest(), path)


ENDED = Ending(0, b"", b"", 1.0)


@dataclass
class Noting:
    """Engine that looks at its job, and ends as the test says."""

    name: str = "noting"
    jobs: list[Job] = field(default_factory=list)
    seen: dict[str, bytes] = field(default_factory=dict)
    ending: Ending | None = None

    def installed(self) -> bool:
        return True

    def works(self) -> bool:
        return True

    def not_enforced(self) -> tuple[Text, ...]:
        return (Text("all", "всё"),)

    def run(self, job: Job) -> Ending:
        self.jobs.append(job)
        for path in (*job.folder.rglob("*"), *job.inputs.rglob("*")):
            if path.is_file():
                self.seen[path.name] = path.read_bytes()
        if self.ending is None:
            raise OSError("the machine is on fire")
        return self.ending


def archive(program: str = PROGRAM) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("metadata.json", '{"image": "team/model:1", "entry_point": "python run.py"}')
        made.writestr("run.py", program)
    return packed.getvalue()


def ordered(bucket: Kept, body: bytes | None = None, limits: RunLimits = LIMITS) -> RunOrder:
    """Put an order into the bucket, its archive in two parts, and beside it the secret true answers."""
    whole = archive() if body is None else body
    requests = bucket.keep("sets/c/inputs/aa.json", b'{"0": "int f ( )"}', "C2C/requests.json")
    bucket.keep("sets/c/references/bb.json", b'{"0": "the true answer"}')
    parts = (
        bucket.keep("submissions/brought/123/001", whole[:100]),
        bucket.keep("submissions/brought/123/002", whole[100:]),
    )
    order = RunOrder("123-1", FOLDER, "team/model:1", "python run.py", parts, (requests,), limits)
    bucket.objects[f"{FOLDER}order.json"] = json.dumps(as_json(order)).encode()
    return order


def worked(
    engine: Any = None, body: bytes | None = None, bucket: Kept | None = None, limits: RunLimits = LIMITS
) -> Kept:
    """Order a run and work on it, by default on an engine whose program ends well; return the bucket."""
    used = bucket or Kept()
    ordered(used, body, limits)
    work(used, f"{FOLDER}order.json", engine or Noting(ending=ENDED), "m")
    return used


def ending(bucket: Kept) -> running_Ending:
    """Return the ending as the platform reads it."""
    return ending_from(json.loads(bucket.objects[f"{FOLDER}ending.json"]))


@pytest.mark.integration
@pytest.mark.clause("TS F-2", "TS F-3", "TS F-4")
def test_a_program_is_run_on_its_inputs_and_what_it_left_is_stored_with_its_hash() -> None:
    bucket = Kept()
    ordered(bucket)
    assert work(bucket, f"{FOLDER}order.json", ChildEngine(), "2 CPU") == 0
    found = ending(bucket)
    assert (found.cause, found.exit_code, found.machine) == (None, 0, "2 CPU, child process")
    body = bucket.objects[f"{FOLDER}output/prediction_C2C.json"]
    assert body == b'{"0": ""}'
    assert found.outputs == (Output("prediction_C2C.json", len(body), hashlib.sha256(body).hexdigest()),)
    assert bucket.objects[f"{FOLDER}stdout"] == b"done\n"
    assert bucket.objects[f"{FOLDER}stderr"] == b""
    assert found.not_enforced == tuple((each.en, each.ru) for each in ChildEngine().not_enforced())


@pytest.mark.integration
@pytest.mark.clause("TS F-4")
@pytest.mark.parametrize(
    ("program", "cause"),
    [
        ("raise SystemExit(3)", FailureCause.EXIT_CODE),
        ("pass", FailureCause.NO_OUTPUT),
        ("import os; os.symlink('/etc/passwd', 'output/prediction_C2C.json')", FailureCause.BAD_OUTPUT),
    ],
)
def test_a_failure_has_its_cause_and_its_logs_and_no_outputs(program: str, cause: FailureCause) -> None:
    bucket = worked(ChildEngine(), archive(f"print('said', flush=True); {program}"))
    assert (ending(bucket).cause, ending(bucket).outputs) == (cause, ())
    assert bucket.objects[f"{FOLDER}stdout"] == b"said\n"


@pytest.mark.clause("TS F-2")
def test_a_program_is_given_archive_inputs_and_limits_and_nothing_else() -> None:
    engine = Noting(ending=Ending(0, b"", b"", 1.25))
    bucket = worked(engine)
    assert engine.seen.keys() == {"metadata.json", "run.py", "requests.json"}
    assert not any(b"true answer" in each for each in engine.seen.values())
    [job] = engine.jobs
    assert (job.entry_point, job.image) == ("python run.py", "team/model:1")
    assert job.limits == Limits(
        wall_s=LIMITS.wall_s,
        memory=LIMITS.memory,
        cpus=LIMITS.cpus,
        processes=LIMITS.processes,
        file=LIMITS.file,
        outputs=LIMITS.outputs,
        grace_s=LIMITS.grace_s,
    )
    assert (ending(bucket).cause, ending(bucket).seconds) == (FailureCause.NO_OUTPUT, 1.25)
    assert not job.folder.exists()


@pytest.mark.clause("TS F-1")
def test_an_image_that_was_copied_is_run_by_its_digest_which_is_recorded() -> None:
    bucket, engine = Kept(), Noting(ending=ENDED)
    ordered(bucket)
    name = "registry.example/cycle@sha256:" + "1" * 64
    bucket.objects[f"{FOLDER}image.json"] = json.dumps({"image": name, "bytes": 7}).encode()
    work(bucket, f"{FOLDER}order.json", engine, "m")
    assert engine.jobs[0].image == name
    assert ending(bucket).image_digest == "sha256:" + "1" * 64


@pytest.mark.clause("TS F-4")
def test_a_failure_of_the_machine_is_the_platforms_and_says_how() -> None:
    bucket = worked(Noting())
    assert (ending(bucket).cause, ending(bucket).said) == (FailureCause.PLATFORM, "the machine is on fire")


@pytest.mark.clause("TS F-4")
@pytest.mark.parametrize("damage", ["changed", "gone", "cut"])
def test_what_is_not_as_it_was_brought_is_not_run(damage: str) -> None:
    bucket, engine = Kept(), Noting(ending=ENDED)
    order = ordered(bucket)
    name = order.inputs[0].name
    if damage == "gone":
        del bucket.objects[name]
    else:
        bucket.objects[name] = b'{"0": "int g ( )"}' if damage == "changed" else b"{}"
    work(bucket, f"{FOLDER}order.json", engine, "m")
    assert engine.jobs == []
    assert ending(bucket).cause is FailureCause.PLATFORM
    assert name in ending(bucket).said


@pytest.mark.clause("TS F-1")
def test_an_archive_over_its_limits_is_not_unpacked() -> None:
    engine = Noting(ending=ENDED)
    bucket = worked(engine, limits=RunLimits(unpacked=100))
    assert (engine.jobs, ending(bucket).cause) == ([], FailureCause.EXIT_CODE)
    assert b"cannot be unpacked" in bucket.objects[f"{FOLDER}stderr"]


STRANGE: dict[str, str] = {
    "a name that is no UTF-8": "open(b'output/\\xff\\xfe', 'wb').close()",
    "a lone surrogate in a name": "open(b'output/\\xed\\xa0\\x80', 'wb').close()",
    "a line break in a name": "open('output/a\\nb', 'w').close()",
    "a name without a direction": "open('output/a\\u202eb', 'w').close()",
    "a file that nobody may read": "open('output/a', 'w').close(); os.chmod('output/a', 0)",
    "a folder": "os.mkdir('output/a')",
    "folders too deep to follow": "os.chdir('output')\nfor _ in range(300):\n  os.mkdir('d')\n  os.chdir('d')",
    "folders too deep to recurse": "os.chdir('output')\nfor _ in range(1100):\n  os.mkdir('d')\n  os.chdir('d')",
    "a link to itself": "os.symlink('a', 'output/a')",
    "a second name of another file": "os.link('run.py', 'output/a')",
    "a pipe": "os.mkfifo('output/a')",
    "a folder that nobody may list": "os.chmod('output', 0)",
    "no folder any more": "shutil.rmtree('output', ignore_errors=True)",
    "too many files": "[open(f'output/{n}', 'w').close() for n in range(1001)]",
}
"""Programs by their remains in the output folder that nobody can store."""


class Leaving(Noting):
    """An engine whose program leaves something in its folder of outputs, and ends well."""

    def __init__(self, program: str) -> None:
        super().__init__("leaving")
        self.program = program

    def run(self, job: Job) -> Ending:
        said = f"import os, shutil\nos.chdir({str(job.outputs.parent)!r})\nopen('run.py', 'w').close()\n{self.program}"
        job.outputs.rename(job.outputs.parent / "output")
        try:
            subprocess.run([sys.executable, "-c", said], check=True)
        finally:
            left = job.outputs.parent / "output"
            if left.exists():
                left.rename(job.outputs)
        return Ending(0, b"", b"said", 1.0)


@pytest.mark.integration
@pytest.mark.clause("TS F-4")
@pytest.mark.parametrize("left", STRANGE)
def test_whatever_a_program_leaves_behind_is_its_own(left: str) -> None:
    """The platform's are the machine and the store alone: free and without limit is what they fail at, nothing else."""
    if left in {"a file that nobody may read", "a folder that nobody may list"} and os.geteuid() == 0:
        pytest.skip("root may read everything")
    bucket = worked(Leaving(STRANGE[left]))
    assert (ending(bucket).cause, ending(bucket).outputs) == (FailureCause.BAD_OUTPUT, ())
    assert bucket.objects[f"{FOLDER}stderr"].startswith(b"said\n"), "the last line says what was wrong"


@pytest.mark.integration
@pytest.mark.clause("TS F-4")
def test_folders_too_deep_for_any_look_at_them_are_a_running_programs_own() -> None:
    deep = "import os, time\nos.chdir('output')\nfor _ in range(1500):\n  os.mkdir('d')\n  os.chdir('d')\ntime.sleep(5)"
    assert ending(worked(ChildEngine(), archive(deep))).cause is FailureCause.BAD_OUTPUT


@pytest.mark.integration
@pytest.mark.clause("TS F-4")
@pytest.mark.parametrize("command", ["a " * 30_000, "python 'run.py", "python run.py \0"], ids=["long", "open", "nul"])
def test_a_command_that_no_machine_starts_is_the_programs(command: str) -> None:
    bucket = Kept()
    ordered(bucket)
    order = json.loads(bucket.objects[f"{FOLDER}order.json"])
    bucket.objects[f"{FOLDER}order.json"] = json.dumps({**order, "entry_point": command}).encode()
    work(bucket, f"{FOLDER}order.json", ChildEngine(), "m")
    assert ending(bucket).cause is FailureCause.EXIT_CODE


NAMES = (
    "a" * 300,
    "a" * 60_000,
    "a/" * 3000 + "a",
    "a/" * 1500 + "a",
    "input/" + "a/" * 1500 + "a",
    "../out",
    "/etc/passwd",
    "C:\\a",
    "a\\..\\..\\b",
    "a\nb",
    "nul\x00byte",
    "a\u202eb",
    "metadata.json/a",
    "run.py/a",
    "RUN.PY",
    "e\u0301",
    ".",
    "",
)


@pytest.mark.clause("TS F-1", "TS F-4")
@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
def test_no_name_in_an_archive_makes_the_platform_fail(name: str) -> None:
    """An archive is refused at its check, cannot be unpacked by its own fault, or is unpacked."""
    packed = io.BytesIO(archive())
    with zipfile.ZipFile(packed, "a") as made:
        made.writestr(zipfile.ZipInfo(name), "x")
    assert ending(worked(body=packed.getvalue())).cause in {FailureCause.EXIT_CODE, FailureCause.NO_OUTPUT}


@pytest.mark.clause("TS F-1", "TS F-4")
@given(place=st.integers(0, len(archive()) - 1), byte=st.integers(0, 255), cut=st.integers(0, 400))
def test_no_damage_of_an_archive_makes_the_platform_fail(place: int, byte: int, cut: int) -> None:
    body = bytearray(archive())
    body[place] = byte
    damaged = bytes(body[: len(body) - cut] if cut < 100 else body)
    assert ending(worked(body=damaged)).cause in {FailureCause.EXIT_CODE, FailureCause.NO_OUTPUT}


@dataclass
class Failing(Kept):
    """A bucket that takes no outputs."""

    def write(self, name: str, content: IO[bytes], size: int, sha256: str) -> None:
        if "/output/" in name:
            raise ConnectionError("the store is away")
        super().write(name, content, size, sha256)


@pytest.mark.clause("TS F-4", "TS F-5")
def test_a_store_that_fails_is_the_platforms_fault() -> None:
    bucket = worked(Leaving("open('output/prediction_C2C.json', 'w').write('{}')"), bucket=Failing())
    assert ending(bucket).cause is FailureCause.PLATFORM
    assert "the store is away" in ending(bucket).said


@pytest.mark.clause("TS F-1", "TS F-4")
@pytest.mark.parametrize(
    ("refuses", "cause"),
    [(errno.ENAMETOOLONG, FailureCause.EXIT_CODE), (errno.ENOSPC, FailureCause.PLATFORM)],
    ids=["a name", "no room"],
)
def test_an_archive_whose_names_no_file_system_takes_is_its_teams(
    monkeypatch: pytest.MonkeyPatch, refuses: int, cause: FailureCause
) -> None:
    def refused(*_: object) -> None:
        raise OSError(refuses, os.strerror(refuses))

    monkeypatch.setattr(work_module, "unpack", refused)
    assert ending(worked(Noting())).cause is cause


def test_a_job_that_is_begun_again_runs_nothing_twice_and_the_first_ending_stays() -> None:
    engine = Noting(ending=ENDED)
    bucket = worked(engine)
    before = dict(bucket.objects)
    assert work(bucket, f"{FOLDER}order.json", engine, "second") == 0
    assert (len(engine.jobs), bucket.objects) == (1, before)
    assert bucket.write_once(f"{FOLDER}ending.json", b"{}") is False


@pytest.mark.parametrize("path", ["../out", "/etc/passwd", "a//b", "a/../../b", "", "."])
def test_no_path_leads_out_of_the_inputs(tmp_path: Path, path: str) -> None:
    with pytest.raises(DamagedError):
        below(tmp_path, path)
    assert below(tmp_path, "VQA/images/0.jpg") == tmp_path / "VQA/images/0.jpg"


def test_both_sides_have_the_same_fields() -> None:
    raw: Any = json.loads(worked().objects[f"{FOLDER}ending.json"])
    assert raw == json.loads(json.dumps({"format": 1, **asdict(ending_from(raw))}))


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


def image_ordered(image: str = "team/model:1", most: int = 1024) -> Kept:
    bucket = Kept()
    order = RunOrder("123-1", FOLDER, image, "python run.py", (), (), RunLimits(image=most))
    bucket.objects[f"{FOLDER}order.json"] = json.dumps(as_json(order)).encode()
    return bucket


@pytest.mark.integration
@pytest.mark.clause("TS F-1", "F image")
def test_an_image_is_copied_under_the_runs_name_and_known_by_its_digest(tmp_path: Path) -> None:
    bucket = image_ordered()
    assert copy_image(bucket, f"{FOLDER}order.json", copier(tmp_path)) == 0
    image = json.loads(bucket.objects[f"{FOLDER}image.json"])
    assert image == {"image": f"registry.example/cycle@{DIGEST}", "bytes": 1024}
    assert f"{FOLDER}ending.json" not in bucket.objects
    inspected, copied = asked(tmp_path)
    assert inspected[-1] == copied[-2] == "docker://team/model:1"
    assert copied[-1] == "docker://registry.example/cycle:123-1"
    assert copied[copied.index("--dest-creds") + 1] == "AWS:word"
    assert copy_image(bucket, f"{FOLDER}order.json", copier(tmp_path)) == 0
    assert len(asked(tmp_path)) == 2


@pytest.mark.integration
@pytest.mark.clause("TS F-1", "TS F-4", "F limits image")
@pytest.mark.parametrize(
    ("image", "most", "why"), [("team/absent:1", 1024, "manifest unknown"), ("team/model:1", 1023, "1024 bytes")]
)
def test_an_image_that_cannot_be_had_or_is_too_large_ends_the_run_and_the_team_is_told(
    tmp_path: Path, image: str, most: int, why: str
) -> None:
    bucket = image_ordered(image, most)
    assert copy_image(bucket, f"{FOLDER}order.json", copier(tmp_path)) == 1
    assert (ending(bucket).cause, ending(bucket).exit_code) == (FailureCause.IMAGE, None)
    stderr = bucket.objects[f"{FOLDER}stderr"].decode()
    assert image in stderr
    assert why in stderr
    assert "first line" not in stderr
    assert all(words[0] == "inspect" for words in asked(tmp_path))
    assert copy_image(bucket, f"{FOLDER}order.json", copier(tmp_path)) == 1
    assert len(asked(tmp_path)) == 1


@pytest.mark.integration
@pytest.mark.clause("TS F-4")
def test_a_registry_that_takes_nothing_is_the_platforms_failure(tmp_path: Path) -> None:
    bucket = image_ordered()
    assert copy_image(bucket, f"{FOLDER}order.json", copier(tmp_path, refuses=True)) == 1
    assert ending(bucket).cause is FailureCause.PLATFORM
    assert "denied" in ending(bucket).said
    assert "word" not in ending(bucket).said
    assert f"{FOLDER}stderr" not in bucket.objects


@pytest.mark.integration
def test_the_registrys_password_is_what_stands_behind_its_user() -> None:
    class Registry:
        def get_authorization_token(self) -> object:
            return {"authorizationData": [{"authorizationToken": "QVdTOnNlY3JldA=="}]}

    assert password_of(Registry()) == "secret"
