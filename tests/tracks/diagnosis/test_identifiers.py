"""An identifier belongs to the element it stands in, not to the document around it."""

from __future__ import annotations

from tracks.diagnosis.items import read_epicrisis

CODE = '<code code="5" codeSystem="1.2.643.5.1.13.13.11.1471"/>'


def test_two_studies_keep_their_own_identifiers() -> None:
    acts = "".join(f'<entry><act><id root="{root}"/>{CODE}</act></entry>' for root in ("1", "2"))
    found = read_epicrisis(f'<ClinicalDocument><id root="9"/>{acts}</ClinicalDocument>')
    assert [study.ident for study in found.studies] == ["1", "2"]


def test_the_first_of_two_identifiers_counts() -> None:
    act = f'<entry><act><id root="1"/><id root="2"/>{CODE}</act></entry>'
    assert read_epicrisis(f"<ClinicalDocument>{act}</ClinicalDocument>").studies[0].ident == "1"
