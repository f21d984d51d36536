"""The group ``tracks gec``: its commands are loaded where they are called (tracks.md §3)."""

from __future__ import annotations

from typing import ClassVar

import click

from tracks.command import spoken

_MODULE = "tracks.gec.commands"


class _Gec(spoken.LazyGroup):
    """The commands of grammatical error correction."""

    lazy: ClassVar = {
        "agreement": f"{_MODULE}:agreement",
        "blocks": f"{_MODULE}:blocks_command",
        "check": f"{_MODULE}:check",
        "compare": f"{_MODULE}:compare_command",
        "concentrated": f"{_MODULE}:concentrated",
    }


@click.group(cls=_Gec)
def gec() -> None:
    """Grammatical error correction: compare M2 files, evaluate on concentrated data sets, measure agreement."""
