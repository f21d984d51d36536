"""Start the runtime in a process whose libraries are loaded, as Lambda starts it in one where nothing is.

Lambda sets its handler of the log before functions are loaded, so that the platform's logger keeps its lines from it.
Here that logger is there first, and each line would be printed, and counted in the bill, twice.
"""

from __future__ import annotations

import logging
import runpy
from typing import Final

_LOGGER: Final = "hurdle"
"""Name of the platform's logger; this package knows the platform by its template alone."""

if __name__ == "__main__":
    logging.getLogger(_LOGGER).propagate = False
    runpy.run_module("awslambdaric", run_name="__main__", alter_sys=True)
