"""Write small exports by the tools' own libraries: export.py FOLDER, in the environment of ``python.lock``.

The text holds what tools count differently: a byte order mark, a letter outside the first plane, a combining mark and a
line end of two characters. ``inception.zip`` has the folders of a project that INCEpTION exports as UIMA CAS XMI: two
documents, of which boris annotated one, and a curated one.
"""

import io
import json
import sys
import tempfile
import zipfile
from pathlib import Path

from cassis import Cas, TypeSystem
from label_studio_sdk.converter import Converter

TEXT = "\ufeffКот 😀 пошёл в е\u0301ж.\r\nОн купил рыбу."
OTHER = "Кот спит 😀 дома."
ERROR, RELATION = "webanno.custom.Error", "webanno.custom.Link"
ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"


def types() -> TypeSystem:
    """Return some of DKPro's types, and the custom layers of a project."""
    type_system = TypeSystem()
    type_system.create_type(TOKEN, supertypeName="uima.tcas.Annotation")
    for name, feature in ((POS, "PosValue"), (ENTITY, "value")):
        type_system.create_feature(
            type_system.create_type(name, supertypeName="uima.tcas.Annotation"), feature, "uima.cas.String"
        )
    error = type_system.create_type(ERROR, supertypeName="uima.tcas.Annotation")
    for name in ("code", "Comment", "correction", "weight"):
        type_system.create_feature(error, name, "uima.cas.String")
    link = type_system.create_type(RELATION, supertypeName="uima.tcas.Annotation")
    for name in ("Governor", "Dependent"):
        type_system.create_feature(link, name, "uima.tcas.Annotation")
    return type_system


def annotated(text: str, *marked: tuple[str, str, dict[str, str]]) -> Cas:
    """Return a document with tokens and with annotations of words: their type, the words, their features."""
    type_system = types()
    cas = Cas(typesystem=type_system, document_language="ru")
    cas.sofa_string = text
    cas.sofa_mime = "text/plain"
    place = 0
    for word in text.split():
        place = text.index(word, place)
        cas.add(type_system.get_type(TOKEN)(begin=place, end=place + len(word)))
    cas.add(type_system.get_type(POS)(begin=0, end=4, PosValue="NOUN"))
    added = []
    for kind, words, features in marked:
        start = text.index(words)
        added.append(type_system.get_type(kind)(begin=start, end=start + len(words), **features))
        cas.add(added[-1])
    if len(added) > 1:
        cas.add(type_system.get_type(RELATION)(begin=0, end=3, Governor=added[0], Dependent=added[1]))
        cas.add(type_system.get_type(ERROR)(begin=5, end=5, code="Г.слов"))
    return cas


def archive(files: dict[str, bytes]) -> bytes:
    """Return a zip whose bytes are the same each time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zip_file:
        for name, content in files.items():
            zip_file.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def exported(user: str, cas: Cas) -> bytes:
    """Return the archive of one annotator's document."""
    type_system = cas.typesystem.to_xml().encode()
    return archive({f"{user}.xmi": cas.to_xmi().encode(), "TypeSystem.xml": type_system})


def project() -> bytes:
    """Return the archive of a project."""
    anna = annotated(
        TEXT,
        (ERROR, "пошёл в е\u0301ж", {"code": "Г.упр", "Comment": "не туда", "weight": "2"}),
        (ENTITY, "купил", {"value": "PER"}),
    )
    boris = annotated(TEXT, (ERROR, "рыбу", {"code": "Г.слов", "correction": "рыбку"}))
    both = annotated(TEXT, (ERROR, "купил рыбу", {"code": "Г.упр"}))
    files = {
        "exportedproject.json": b"{}",
        "source/one.txt": TEXT.encode(),
        "annotation/one.txt/INITIAL_CAS.zip": exported("INITIAL_CAS", annotated(TEXT)),
        "annotation/one.txt/anna.zip": exported("anna", anna),
        "annotation/one.txt/boris.zip": exported("boris", boris),
        "annotation/two.txt/anna.zip": exported("anna", annotated(OTHER, (ERROR, "дома", {"code": "Г.слов"}))),
        "curation/one.txt/CURATION_USER.zip": exported("CURATION_USER", both),
    }
    return archive(files)


def region(ident: str, words: str, *labels: str) -> dict[str, object]:
    """Return a region of Label Studio, which counts code points."""
    start = TEXT.index(words)
    value = {"start": start, "end": start + len(words), "text": words, "labels": list(labels)}
    return {"id": ident, "type": "labels", "from_name": "label", "to_name": "text", "value": value}


def tasks() -> list[dict[str, object]]:
    """Return a task with two finished annotations and a cancelled one."""
    note = {"start": 7, "end": 17, "text": ["не туда"]}
    first = [
        region("r1", "пошёл в е\u0301ж", "Г.упр"),
        {"id": "r1", "type": "textarea", "from_name": "comment", "to_name": "text", "value": note},
        region("r2", "купил", "PER"),
        {"from_id": "r1", "to_id": "r2", "type": "relation", "direction": "right"},
    ]
    times = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
    annotations = [
        {"id": 1, "completed_by": {"id": 3, "email": "anna@x.org"}, "result": first, "was_cancelled": False, **times},
        {"id": 2, "completed_by": 4, "result": [region("q1", "рыбу", "Г.слов")], "was_cancelled": False, **times},
        {"id": 3, "completed_by": 4, "result": [], "was_cancelled": True, **times},
    ]
    return [{"id": 12, "data": {"text": TEXT, "subject": "rus"}, "annotations": annotations, "predictions": []}]


VIEW = """<View><Labels name="label" toName="text">
<Label value="Г.упр"/><Label value="Г.слов"/><Label value="PER"/>
</Labels><Text name="text" value="$text"/><TextArea name="comment" toName="text" perRegion="true"/></View>"""


def label_studio(form: str) -> bytes:
    """Return the export of the tasks in a format of Label Studio's converter."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "tasks.json", Path(folder) / "out"
        path.write_text(json.dumps(tasks()), "utf-8")
        Converter(VIEW, folder).convert(str(path), str(out), form, is_dir=False)
        return (out / "result.json").read_bytes()


def main(folder: Path) -> None:
    """Write all files."""
    (folder / "inception.zip").write_bytes(project())
    cas = annotated(TEXT, (ERROR, "пошёл в е\u0301ж", {"code": "Г.упр"}), (ENTITY, "купил", {"value": "PER"}))
    (folder / "cas.json").write_text(cas.to_json(), "utf-8")
    (folder / "label-studio.json").write_bytes(label_studio("JSON"))
    (folder / "label-studio-min.json").write_bytes(label_studio("JSON_MIN"))


main(Path(sys.argv[1]))
