"""Items and references of the track, checked at import: epicrises in versions, and what is known of the patient.

An item is ``{"id", "nosology", "versions": {"v3": xml, "v2": xml}}`` with the versions of its stage (D 8.7, 9.4) and,
in the final, ``"studies": [{"service": code, "xml": xml}]`` (v32); ``language`` may be given. A reference is
``{"code": ICD-10}`` in the selection stage, and ``{"ill": true or false, "complications": [codes],
"comorbidities": [codes]}`` later, the lists being optional.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from markup_core.comparable import written_otherwise
from markup_core.reading.wire import short, short_ru
from tracks.diagnosis.answers import SECONDARY
from tracks.diagnosis.epicrisis import UnsafeError, read
from tracks.diagnosis.nosologies import NAMES, base_part, intended
from tracks.diagnosis.parameters import DiagnosisParameters
from tracks.diagnosis.stages import BY_SET, VERSIONS, stage_of
from tracks.diagnosis.studies import SERVICES
from tracks.protocol import ItemFacts, Json, Reason
from tracks.reasons import reason

RETURNED: Final = frozenset(service for services in SERVICES.values() for service in services)
"""Service codes that a query brings."""


def read_item(raw: Json, rules: DiagnosisParameters) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check an epicrisis; None exactly when there are reasons."""
    if not isinstance(raw, dict):
        return None, (reason("not_an_object", "", "an epicrisis is an object", "эпикриз — это объект"),)
    reasons = tuple(_item_faults(raw, rules))
    if reasons:
        return None, reasons
    return ItemFacts(raw["id"], raw.get("language", rules.language), raw["nosology"]), ()


def read_reference(raw: Json, stage: str) -> tuple[Reason, ...]:
    """Check what is known of a patient."""
    if not isinstance(raw, dict):
        return (reason("not_an_object", "", "a reference is an object", "эталон — это объект"),)
    return tuple(_code_faults(raw) if stage == "selection" else _patient_faults(raw))


def hand_out(item: Json, file_id: str, step: str) -> Json:
    """One version's XML under an opaque name: neither the nosology nor another version (D 9.5).

    Clause: D 9.5
    """
    version = step if step in item["versions"] else VERSIONS["final"][0]
    return {"id": file_id, "version": version, "xml": item["versions"][version]}


def services(item: Mapping[str, Any]) -> list[str]:
    """Service codes of a final item's studies, in their order."""
    return [each["service"] for each in item.get("studies", ())]


def _item_faults(raw: Mapping[str, Any], rules: DiagnosisParameters) -> Iterator[Reason]:
    if not isinstance(raw.get("id"), str) or not raw["id"].strip():
        yield reason("missing_id", "id", "the epicrisis has no id", "у эпикриза нет id")
    if raw.get("nosology") not in NAMES:
        known = ", ".join(NAMES)
        yield reason("unknown_nosology", "nosology", f"nosology must be one of {known}", f"нозология — одна из {known}")
    if not isinstance(raw.get("language", rules.language), str):
        yield reason("wrong_type", "language", "language must be a string", "language: нужна строка")
    versions = raw.get("versions")
    stage = rules.stage if rules.stage != BY_SET else stage_of(versions if isinstance(versions, dict) else ())
    yield from _version_faults(versions, stage)
    studies = raw.get("studies", [])
    if not isinstance(studies, list):
        yield reason("wrong_type", "studies", "studies must be a list", "studies: нужен список")
    elif studies and stage != "final":
        message = "only the final's epicrises have studies of their own"
        yield reason("unknown_field", "studies", message, "отдельные исследования бывают только в финале")
    else:
        for place, study in enumerate(studies):
            yield from _study_faults(f"studies[{place}]", study)


def _version_faults(versions: Json, stage: str | None) -> Iterator[Reason]:
    """Faults of an item's versions; ``stage`` is None where its versions are no stage's.

    Clause: D 8.7, D 9.4
    """
    if stage is None:
        known = " | ".join(" + ".join(each) for each in VERSIONS.values())
        message = f"the versions of an epicrisis are those of one stage: {known}"
        yield reason("wrong_versions", "versions", message, f"у эпикриза версии одного этапа: {known}")
        return
    wanted = VERSIONS[stage]
    if not isinstance(versions, dict) or set(versions) != set(wanted):
        known = ", ".join(wanted)
        message = f"the versions of this stage are {known}, all of them and no other"
        yield reason("wrong_versions", "versions", message, f"версии этого этапа: {known}, все и никаких других")
        return
    for name in wanted:
        yield from _xml_faults(f"versions.{name}", versions[name])


def _study_faults(where: str, study: Json) -> Iterator[Reason]:
    if not isinstance(study, dict) or set(study) != {"service", "xml"}:
        message = f"{where} must be an object of service and xml"
        yield reason("wrong_type", where, message, f"{where}: нужен объект из service и xml")
        return
    if not isinstance(study["service"], str) or study["service"] not in RETURNED:
        message = f"{where}.service: no query of the contest returns {short(study['service'])}"
        russian = f"{where}.service: {short_ru(study['service'])} не возвращается ни по одному запросу"
        yield reason("unknown_study", f"{where}.service", message, russian)
    yield from _xml_faults(f"{where}.xml", study["xml"])


def _xml_faults(field: str, source: Json) -> Iterator[Reason]:
    """Clause: D 6.4"""
    if not isinstance(source, str):
        message = f"{field} must be XML as a string"
        yield reason("wrong_type", field, message, f"{field}: нужен XML строкой")
        return
    try:
        read(source)
    except UnsafeError as error:
        yield reason(error.code, field, f"{field}: {error}", f"{field}: {error.russian}")


def _code_faults(raw: Mapping[str, Any]) -> Iterator[Reason]:
    if not isinstance(raw.get("code"), str) or not raw["code"]:
        yield reason("missing_code", "code", "the reference needs the ICD-10 code", "нужен код МКБ-10")
    else:
        yield from _lookalikes("code", [raw["code"]])


def _patient_faults(raw: Mapping[str, Any]) -> Iterator[Reason]:
    if not isinstance(raw.get("ill"), bool):
        yield reason("wrong_type", "ill", "ill must be true or false", "ill: нужно true или false")
    for name in SECONDARY:
        listed = raw.get(name, [])
        if not isinstance(listed, list) or not all(isinstance(code, str) and code for code in listed):
            yield reason("wrong_type", name, f"{name} must be a list of codes", f"{name}: нужен список кодов")
        else:
            yield from _lookalikes(name, listed)


def _lookalikes(field: str, codes: Iterable[str]) -> Iterator[Reason]:
    """Refuse codes that no answer could equal: they only look like codes of ICD-10."""
    for code in codes:
        if meant := intended(code):
            how = written_otherwise(base_part(code), meant, case=True)
            message = f"{field}: {short(code)} looks like {meant} and is another text: {how}"
            russian = f"{field}: {short_ru(code)} похоже на {meant}, но не равно ему: {how.russian}"
            yield reason("wrong_code", field, message, russian)
