"""The contests' items, answers and scoring: a package for each contest behind one protocol.

Packages have the same modules for the same steps: ``items`` as they are imported, handed out and answered, under a
cycle's parameters; the ``score`` of one answer; the ``aggregate`` of a session and its ``board`` where they are long.
``track`` is their table of contents, ``commands`` are for people, ``OPERATIONS`` for programs
(:data:`tracks.command.TRACKS` names their modules). Other modules hold a contest's own matter.
"""

from typing import Final

__version__: Final = "0.1.0"
"""The version of the scoring code, part of every score's key and fingerprint."""
