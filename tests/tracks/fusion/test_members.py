"""Names in an archive that meet: whether it is one name twice or two that a disk may take for one."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from tracks.fusion.archive import check

METADATA = {"image": "cr.msk.sbercloud.ru/aicloud-base-images/horovod-cuda10.1-tf2.3.0:latest", "entry_point": "run"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("second", "said"), [("run.py", "stands in the archive twice"), ("RUN.py", "where case does not matter")]
)
def test_a_name_that_meets_another_says_how(second: str, said: str) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        made.writestr("metadata.json", json.dumps(METADATA))
        made.writestr("run.py", "a")
        made.writestr(second, "b")
    (reason,) = check(stream).reasons
    assert said in reason.message.en
