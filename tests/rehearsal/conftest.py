"""Write a story of a small final once; each test gets a copy of its own to spoil."""

from __future__ import annotations

import pytest

from tests.rehearsal.story import Pen, fresh_pen


@pytest.fixture(scope="module")
def written() -> Pen:
    return fresh_pen()


@pytest.fixture
def pen(written: Pen) -> Pen:
    return written.copy()
