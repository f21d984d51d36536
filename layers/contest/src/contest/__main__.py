"""The command ``contest`` and ``python -m contest``."""

from __future__ import annotations

import sys
from functools import partial

from markup_core.starting import start

main = partial(start, "contest.commands.main")

if __name__ == "__main__":
    sys.exit(main())
