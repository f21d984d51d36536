"""Read our tables, pictures and notebooks with researchers' own libraries; run by build/researchers' Python.

``reader.py frames FOLDER`` writes and reads tables of the essays in FOLDER, and prints what each library saw as JSON;
``reader.py notebook FILE`` prints the notebook as Jupyter's client has run it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import markup_core
from markup_core.command.cli import main


def frames(folder: Path) -> dict[str, Any]:
    """Read the same table by all ways, and an empty one."""
    import duckdb
    import pandas
    import polars
    import pyarrow

    sample = markup_core.score_sample(list(markup_core.load_folder(folder).values()))
    frame, nobody = sample.to_frame(), markup_core.agreement([]).to_frame()
    with tempfile.TemporaryDirectory() as place:
        for form in ("parquet", "arrow", "csv"):
            assert main(["compare", str(folder), "--format", form, "-o", place]) == 0
        ways = {
            "parquet by pandas": pandas.read_parquet(Path(place) / "accuracies.parquet").to_dict("list"),
            "parquet by polars": polars.read_parquet(Path(place) / "accuracies.parquet").to_dict(as_series=False),
            "arrow by polars": polars.read_ipc(Path(place) / "accuracies.arrow").to_dict(as_series=False),
            "arrow by pandas": pandas.read_feather(Path(place) / "accuracies.arrow").to_dict("list"),
            "csv by polars": polars.read_csv(Path(place) / "accuracies.csv", infer_schema_length=None).to_dict(
                as_series=False
            ),
        }
        picture = Path(place) / "a.png"
        assert main(["plot", "whiskers", str(folder), "-o", str(picture)]) == 0
        png = picture.read_bytes()
    ways |= {
        "pandas": pandas.DataFrame.from_arrow(frame).to_dict("list"),
        "polars": polars.DataFrame(frame).to_dict(as_series=False),
        "pyarrow": pyarrow.table(frame).to_pydict(),
    }
    texts = {way: [[repr(cell) for cell in cells] for cells in columns.values()] for way, columns in ways.items()}
    return {
        "ways": texts,
        "own": [[repr(cell) for cell in cells] for cells in frame.columns.values()],
        "rows by DuckDB": duckdb.sql("select count(*) from frame").fetchall()[0][0],
        "types": [str(kind) for kind in polars.DataFrame(frame).schema.values()],
        "types of nothing": [str(kind) for kind in polars.DataFrame(nobody).schema.values()],
        "png": png[:8].hex(),
        "pixels": [int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")],
    }


def notebook(path: Path) -> dict[str, Any]:
    """Run a notebook by Jupyter's own client."""
    import nbformat
    from nbclient import NotebookClient

    content = nbformat.read(path, as_version=4)
    nbformat.validate(content)
    NotebookClient(
        content, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    ran: dict[str, Any] = json.loads(json.dumps(content))
    return ran


if __name__ == "__main__":
    json.dump({"frames": frames, "notebook": notebook}[sys.argv[1]](Path(sys.argv[2])), sys.stdout)
