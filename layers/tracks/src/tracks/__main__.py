"""``python -m tracks``: the command."""

import sys

from tracks.command.cli import main

if __name__ == "__main__":
    sys.exit(main())
