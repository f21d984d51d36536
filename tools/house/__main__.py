"""``python -m tools.house``: lower the figures to today's counts and write them into docs/architecture.md.

A figure that a feature raises is raised in ``figures.toml`` by hand, in the commit that says for what.
"""

from __future__ import annotations

from tools.house import figures
from tools.house.counts import counts

if __name__ == "__main__":
    figures.lower(counts())
    print(figures.table(), end="")
