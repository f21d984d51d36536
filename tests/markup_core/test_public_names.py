"""Whoever imports the library finds the documented names, whatever room each lives in."""

from __future__ import annotations

from types import ModuleType

import pytest

import markup_core
import markup_core.command.operations  # by now every module has been imported, and none may hide a name


@pytest.mark.parametrize("name", markup_core.__all__)
def test_every_documented_name_is_there_and_is_no_module(name: str) -> None:
    found = getattr(markup_core, name)
    assert not isinstance(found, ModuleType)
    assert name in {"__version__", getattr(found, "__name__", None)}


def test_a_name_that_does_not_exist_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'parrot'"):
        markup_core.parrot  # noqa: B018
