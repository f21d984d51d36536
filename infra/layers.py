"""Lambda layers from the packages' sources and the locked wheels, without Docker.

``python -m infra.layers`` builds them (``make layers``); the infrastructure only looks at what was built.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
BUILT: Final = ROOT / "build" / "layers"
UNBUILT: Final = Path(__file__).parent / "unbuilt_layer"


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer: our packages in it, whose locked dependencies come along."""

    name: str
    construct_id: str
    description: str
    packages: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """What becomes /opt in the function."""
        return BUILT / self.name


LAYERS: Final = (
    Layer("markup_core", "MarkupCoreLayer", "markup_core and numpy", ("markup_core",)),
    Layer("contest", "ContestLayer", "contest, tracks and their dependencies", ("contest", "tracks")),
)


def fault(layer: Layer) -> str | None:
    """Why the layer cannot be deployed, and what to do; None when it can."""
    if not layer.folder.is_dir():
        return f"the layer {layer.name} has not been built: run make layers before deploying"
    return None
