"""``python -m markup_core``: the command."""

import sys

from markup_core.command.cli import main

if __name__ == "__main__":
    sys.exit(main())
