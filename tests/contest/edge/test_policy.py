"""A page of the interface tells browsers what it was built with; nothing else runs in it."""

from __future__ import annotations

import pytest

from contest.edge import document, error_page
from contest.edge.pages.style import POLICY, STYLE
from contest.edge.policy import policy_of

OF_A = "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"
"""SHA-256 of the letter a in base64, as ``printf a | openssl dgst -sha256 -binary | base64`` says it."""
CLOSED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def test_a_page_without_scripts_may_fetch_nothing_and_run_nothing() -> None:
    assert policy_of("<style>a</style><p>b</p>") == f"default-src 'none'; style-src {OF_A}; {CLOSED}"
    assert policy_of("<p>a</p>") == f"default-src 'none'; {CLOSED}"


def test_each_script_of_a_page_has_its_hash_and_may_ask_the_interface() -> None:
    page = "<style>a</style><script>a</script><script>b\n</script>"
    assert policy_of(page) == (
        f"default-src 'none'; script-src {OF_A} 'sha256-AmOCmYm2/ZVPcrqvL8ZLwuLwHWktTecphuqAj26ZgT8='; "
        f"style-src {OF_A}; img-src 'self' data:; connect-src 'self'; {CLOSED}"
    )


@pytest.mark.parametrize("page", [document.page(), error_page.page()], ids=["document", "errors"])
def test_no_page_lets_through_what_is_inline_and_not_its_own(page: str) -> None:
    policy = policy_of(page)
    assert "unsafe-inline" not in policy
    assert policy.count("'sha256-") == page.count("</script>") + page.count("</style>")


def test_a_reports_page_has_the_policy_of_its_style_alone() -> None:
    assert policy_of(f"<style>{STYLE}</style>") == POLICY
    assert "script" not in POLICY
