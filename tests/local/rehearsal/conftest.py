"""A story of a small final, written once a module; each test gets a copy of its own to spoil."""

from __future__ import annotations

import pytest

from tests.local.rehearsal.story import Pen


@pytest.fixture(scope="module")
def written() -> Pen:
    return Pen()


@pytest.fixture
def pen(written: Pen) -> Pen:
    return written.copy()
