"""``python -m tools.house``: lower the figures to today's counts and write them into docs/architecture.md.

A figure that a feature raises is raised in ``figures.toml`` by hand, in the commit that says for what.
"""

from __future__ import annotations

from tools import house

if __name__ == "__main__":
    house.lower(house.counts())
    print(house.table(), end="")
