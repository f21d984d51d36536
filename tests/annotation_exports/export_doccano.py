"""Write doccano's own exports of a small project: export_doccano.py FOLDER [FILE], in an environment of its own.

A FILE of JSON Lines is imported by doccano and exported again, as ``ours/all.jsonl``.

Needs doccano==1.8.4, marshmallow==3.26.1, numpy==1.26.4 and setuptools==80.10.2 (later ones lack names that it uses).
Runs doccano's tables in SQLite and its export task as the site starts it, once for each kind of project.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

TEXTS: list[tuple[str, dict[str, Any]]] = [
    ("Ёж 😀 и кот.", {"subject": "rus", "year": 2026}),
    ('Кафе\u0301 "Зебра"\r\nвторая/строка', {"source": "a/b"}),
    ("", {}),
    ("без разметки", {}),
]
SPANS = {0: [(0, 2, "PER"), (5, 6, "LOC"), (0, 11, "PER")], 1: [(0, 5, "LOC"), (15, 21, "PER")]}
"""Counts in code points; two spans of the first text overlap."""


def main(folder: Path, *ours: Path) -> None:
    """Write each export under the name of its project."""
    home = tempfile.mkdtemp()
    spec = importlib.util.find_spec("backend")
    assert spec is not None
    assert spec.origin is not None
    sys.path.insert(0, str(Path(spec.origin).parent))
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings.development",
        "DATABASE_URL": f"sqlite:///{home}/d.sqlite3",
    }
    os.chdir(home)
    with contextlib.redirect_stdout(io.StringIO()):
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
    for name, content in exports(home, *ours):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)


def exports(home: str, *ours: Path) -> list[tuple[str, bytes]]:
    """Return the files of each project's export, by name."""
    from data_export.celery_tasks import export_dataset
    from data_import.datasets import load_dataset
    from data_import.pipeline.catalog import create_file_format
    from data_import.pipeline.readers import FileName
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.core.management import call_command

    settings.MEDIA_ROOT = home
    call_command("create_roles", verbosity=0)
    users = [get_user_model().objects.create(username=name) for name in ("anna", "boris")]
    files = []
    for name, options in {
        "spans": {},
        "together": {"collaborative_annotation": True},
        "relations": {"use_relation": True, "collaborative_annotation": True},
    }.items():
        project = _project(name, users, options)
        _fill(project, users)
        with zipfile.ZipFile(export_dataset(project.id, "JSONL")) as archive:
            files += [(f"{name}/{member}", archive.read(member)) for member in sorted(archive.namelist())]
    for path in ours:
        project = _project("ours", users, {"collaborative_annotation": True})
        form = create_file_format("JSONL")
        named = FileName(full_path=str(path), generated_name=path.name, upload_name=path.name)
        columns = {"column_data": "text", "column_label": "label"}
        dataset = load_dataset("SequenceLabeling", form, [named], project, **columns)
        dataset.save(users[0], batch_size=1000)
        assert not dataset.errors, dataset.errors
        with zipfile.ZipFile(export_dataset(project.id, "JSONL")) as archive:
            files.append(("ours/all.jsonl", archive.read("all.jsonl")))
    return files


def _project(name: str, users: list[Any], options: dict[str, bool]) -> Any:
    from projects.models import Member, ProjectType, SequenceLabelingProject
    from roles.models import Role

    project = SequenceLabelingProject.objects.create(
        name=name, created_by=users[0], allow_overlapping=True, project_type=ProjectType.SEQUENCE_LABELING, **options
    )
    for user in users:
        Member.objects.create(project=project, user=user, role=Role.objects.get(name="annotator"))
    return project


def _fill(project: Any, users: list[Any]) -> None:
    from examples.models import Comment, Example
    from label_types.models import RelationType, SpanType
    from labels.models import Relation, Span

    types = {label: SpanType.objects.create(project=project, text=label) for label in ("PER", "LOC")}
    knows = RelationType.objects.create(project=project, text="knows")
    for number, (text, meta) in enumerate(TEXTS):
        example = Example.objects.create(project=project, text=text, meta=meta)
        spans = [
            Span.objects.create(
                example=example, user=users[k % 2], start_offset=start, end_offset=end, label=types[label]
            )
            for k, (start, end, label) in enumerate(SPANS.get(number, ()))
        ]
        if number == 0:
            Comment.objects.create(example=example, user=users[0], text="смотри\nсюда")
            if project.use_relation:
                Relation.objects.create(example=example, user=users[0], from_id=spans[0], to_id=spans[1], type=knows)


if __name__ == "__main__":
    main(*(Path(argument).resolve() for argument in sys.argv[1:]))
