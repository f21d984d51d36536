"""``python -m pku`` is ``pku``."""

from __future__ import annotations

from pku.cli import main

if __name__ == "__main__":
    main()
