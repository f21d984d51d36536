"""Codes of answers: the six diseases by ICD-10 (D 6.5), and the studies with their costs (D-App4, D-App1а 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple

from markup_core.comparable import in_latin
from markup_core.lazy import dataclass
from tracks.protocol import Json, Text
from tracks.texts import tr

HEALTHY: Final = "another"
"""The answer for a patient with none of the six (D-App3); written exactly so."""
_ICD_10: Final = re.compile(r"[A-Z][0-9]{2}")
_AS_PRINTED: Final[Mapping[str, str]] = MappingProxyType({"А19": "A19"})
"""D 6.5 spells this one code with a Cyrillic letter; who copies it from there means the code of ICD-10."""


class Thresholds(NamedTuple):
    """Thresholds that the lower bounds of sensitivity and specificity must exceed, as fractions."""

    se: float
    sp: float


@dataclass(frozen=True, slots=True)
class Nosology:
    """One disease; ``codes`` are base parts, ``number`` is its name for earlier clients."""

    name: str
    title: Text
    codes: tuple[str, ...]
    thresholds: Thresholds
    number: int


# Clause: D 5.5, D 6.5
_LISTED: Final = (
    Nosology("tuberculosis", tr("Tuberculosis"), ("A15", "A16", "A19"), Thresholds(0.83, 0.87), 2),
    Nosology("lung_cancer", tr("Lung cancer"), ("C34",), Thresholds(0.83, 0.87), 1),
    Nosology(
        "bacterial_pneumonia", tr("Bacterial pneumonia"), ("J13", "J14", "J15", "J16", "J18"), Thresholds(0.82, 0.83), 3
    ),
    Nosology("viral_pneumonia", tr("Viral pneumonia"), ("J10", "J12", "U07"), Thresholds(0.82, 0.83), 4),
    Nosology("copd", tr("COPD"), ("J44",), Thresholds(0.83, 0.84), 5),
    Nosology("cteph", tr("CTEPH"), ("I27",), Thresholds(0.81, 0.88), 6),
)
NOSOLOGIES: Final[Mapping[str, Nosology]] = MappingProxyType({nosology.name: nosology for nosology in _LISTED})
NAMES: Final = tuple(NOSOLOGIES)
THRESHOLDS: Final[Mapping[str, Thresholds]] = MappingProxyType(
    {nosology.name: nosology.thresholds for nosology in _LISTED}
)
_BY_CODE: Final = MappingProxyType({code: nosology.name for nosology in _LISTED for code in nosology.codes})


def nosology_codes() -> list[dict[str, Json]]:
    """Return the diseases as they are published."""
    return [
        {
            "name": nosology.name,
            "title": {"en": nosology.title.en, "ru": nosology.title.ru},
            "codes": list(nosology.codes),
        }
        for nosology in _LISTED
    ]


# Clause: D 6.5, D 7.10.2
def base_part(code: str) -> str:
    """Return the code before its dot, in its own case (D 7.10.2); the misprint of D 6.5 is corrected."""
    base = code.partition(".")[0]
    return _AS_PRINTED.get(base, base)


def misprinted(code: str) -> bool:
    """Check whether the code is spelled as D 6.5 misprints it."""
    return code.partition(".")[0] in _AS_PRINTED


def intended(code: str) -> str | None:
    """Return the ICD-10 code that a text looks like and is not: by letters of the other alphabet, case or blanks.

    None for a code that is compared as it is meant, and for any other text.
    """
    base = base_part(code)
    clean = in_latin("".join(base.split()))
    if clean.casefold() == HEALTHY:
        return HEALTHY if base != HEALTHY else None
    return clean.upper() if base != clean.upper() and _ICD_10.fullmatch(clean.upper()) else None


# Clause: D 6.5
def nosology_of(code: str) -> str | None:
    """Return the name of a code's disease; None for every other code and for no code."""
    return _BY_CODE.get(base_part(code))


Costs = Mapping[str, float]
"""Units of work of a study by its code: the doctor's and the nurse's together."""


class Study(NamedTuple):
    """A row of the table: its query code, and the service codes under which it is returned."""

    query: str
    title: Text
    services: tuple[str, ...]


def _row(query: str, ru: str, en: str, *services: str) -> Study:
    return Study(query, Text(en=en, ru=ru), services or (query,))


# Clause: D-App4 instrumental
INSTRUMENTAL: Final = (
    _row("A03.09", "Бронхоскопия", "Bronchoscopy", "A03.09.001"),
    _row("A03.16", "Эзофагогастродуоденоскопия", "Oesophagogastroduodenoscopy", "A03.16.001"),
    _row("A03.30", "Эндоскопическое исследование внутренних органов", "Endoscopy of inner organs", "A03.30.006"),
    _row("A04.09", "Ультразвуковое исследование плевральной полости", "Ultrasound of the pleural cavity", "A04.09.001"),
    _row("A04.10", "Эхокардиография", "Echocardiography", "A04.10.002"),
    _row("A04.12", "УЗИ вен нижних конечностей", "Ultrasound of the leg veins", "A04.12.006.002"),
    _row("A04.16", "УЗИ органов брюшной полости", "Ultrasound of the abdomen", "A04.16.001"),
    _row("A04.21", "УЗИ предстательной железы", "Ultrasound of the prostate", "A04.21.001"),
    _row("A04.28", "УЗИ почек и надпочечников", "Ultrasound of kidneys and adrenal glands", "A04.28.001"),
    _row("A05.10", "Регистрация электрокардиограммы", "Electrocardiogram", "A05.10.006"),
    _row("A05.10", "Холтер", "Holter monitoring", "A05.10.008"),
    _row("A05.23", "МРТ головного мозга", "MRI of the brain", "A05.23.009.001"),
    _row("A06.03", "Рентгенография грудины", "X-ray of the sternum", "A06.03.024"),
    _row(
        "A06.08", "Рентгенография/КТ околоносовых пазух", "X-ray or CT of the sinuses", "A06.08.003", "A06.08.007.003"
    ),
    _row(
        "A06.09",
        "Рентген/КТ/флюорография лёгких",
        "X-ray, CT or fluorography of the lungs",
        "A06.09.001",
        "A06.09.005",
        "A06.09.006.001",
        "A06.09.007",
        "A06.09.007.002",
        "A06.09.008.001",
    ),
    _row("A06.12", "Ангиография", "Angiography", "A06.12.001.001", "A06.12.049", "A06.12.010"),
    _row("A06.16", "Рентген пищевода", "X-ray of the oesophagus", "A06.16.001.002"),
    _row("A06.20", "Маммография", "Mammography", "A06.20.004.006"),
    _row("A06.30", "КТ живота", "CT of the abdomen", "A06.30.005"),
    _row("A07.09", "Сцинтиграфия лёгких перфузионная", "Perfusion scintigraphy of the lungs", "A07.09.003"),
    _row(
        "A12.09",
        "Спирометрия и спирография",
        "Spirometry and spirography",
        "A12.09.001",
        "A12.09.002",
        "A12.09.002.001",
        "A12.09.002.002",
    ),
    _row("A12.09.005", "Пульсоксиметрия", "Pulse oximetry"),
)
# Clause: D-App4 laboratory
LABORATORY: Final = (
    _row("B03.005.006", "Коагулограмма", "Coagulogram"),
    _row("B03.016.003", "Развёрнутый клинический анализ крови", "Full blood count"),
    _row("B03.016.004", "Биохимический анализ крови", "Blood biochemistry"),
    _row("B03.016.006", "Анализ мочи", "Urine analysis"),
    _row("B03.016.011", "Исследование газов артериальной крови", "Arterial blood gases"),
    _row("A09.05.209", "Прокальцитонин", "Procalcitonin"),
    _row("A11.01.003", "Диаскинтест", "Diaskintest", "A11.01.003.001"),
    _row("A26.09.010", "Микроскопическое исследование мокроты на бактерии", "Sputum microscopy for bacteria"),
    _row("A26.30.028", "GeneXpert БАЛ", "GeneXpert, bronchoalveolar lavage"),
)


_STUDIES: Final = (*INSTRUMENTAL, *LABORATORY)
SERVICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        study.query: tuple(code for row in _STUDIES if row.query == study.query for code in row.services)
        for study in _STUDIES
    }
)
"""Service codes returned for a query code. A05.10 stands in two rows: it asks for both (D 9.10.4)."""


@dataclass(frozen=True, slots=True)
class StudyFiles:
    """Result of a request: the places of the matching files among the epicrisis' own, and the cost."""

    query: str
    files: tuple[int, ...]
    cost: float

    @property
    def present(self) -> bool:
        """Whether the epicrisis has such a study."""
        return bool(self.files)


def study_codes() -> list[dict[str, Json]]:
    """Return the rows of the table as they are published; a query may stand in several."""
    return [
        {"query": study.query, "title": {"en": study.title.en, "ru": study.title.ru}, "services": list(study.services)}
        for study in (*INSTRUMENTAL, *LABORATORY)
    ]


# Clause: D 9.10.4, tracks §1 absent study
def request(query: str, services: Iterable[str], costs: Costs) -> StudyFiles:
    """Answer a request for a study of an epicrisis whose files hold these service codes, in their order (D 9.10.1.3.2).

    Every file that matches is returned and paid for. An absent study costs as if it were there: what the organizer's
    table says of the query code itself, otherwise as much as the dearest of the services it stands for, since one
    request asks for one study (D 9.10.3).

    Raises LookupError for a code that is not in the table of D-App4.
    """
    codes = SERVICES[query]
    matching = [(place, service) for place, service in enumerate(services) if service in codes]
    if matching:
        return StudyFiles(
            query, tuple(place for place, _ in matching), resource_cost((code for _, code in matching), costs)
        )
    absent = costs[query] if query in costs else max(costs.get(service, 0.0) for service in codes)
    return StudyFiles(query, (), absent)


# Clause: D-App1а (10), D-App1а 3
def resource_cost(codes: Iterable[str], costs: Costs) -> float:
    """Compute the cost of studies (D-App1а 3, formula 10): those missing in the organizer's table count 0."""
    return exact_sum(costs.get(code, 0.0) for code in codes)


def exact_sum(values: Iterable[float]) -> float:
    """Sum numbers as they are written: 0.1 + 0.2 is 0.3, in whatever order."""
    return float(sum((Fraction(repr(value)) for value in values), Fraction(0)))
