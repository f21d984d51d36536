"""Read a brat project with brat's own code (bratsubset of bratiaa), without ours: types, labels, annotations as JSON.

Run by the Python of an environment of its own: ``python reader.py FOLDER NAME…``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from bratsubset import annotation, projectconfig  # type: ignore[import-not-found]


def read(folder: Path, names: list[str]) -> dict[str, Any]:
    """Return what brat knows of a project and of its documents."""
    project = projectconfig.ProjectConfiguration(str(folder))
    documents = {}
    for name in names:
        with annotation.TextAnnotations(str(folder / name), read_only=True) as read_in:
            documents[name] = {
                "spans": [
                    [each.type, [list(span) for span in each.spans], each.text] for each in read_in.get_textbounds()
                ],
                "comments": [[each.target, each.type, each.tail.strip()] for each in read_in.get_oneline_comments()],
                "attributes": [[each.target, each.type] for each in read_in.get_attributes()],
                "failed": list(read_in.failed_lines),
            }
    return {
        "types": project.get_entity_types(),
        "attributes": project.get_attribute_types(),
        "labels": {each: project.get_labels_by_type(each)[:1] for each in project.get_entity_types()},
        "documents": documents,
    }


if __name__ == "__main__":
    json.dump(read(Path(sys.argv[1]), sys.argv[2:]), sys.stdout)
