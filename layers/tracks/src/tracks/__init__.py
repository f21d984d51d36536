"""The contests' items, answers and scoring: a package for each contest behind one protocol.

Every package has the same files for the same steps, and none for a step that it does not have: ``parameters`` of a
cycle, ``items`` and their references as they are imported and handed out, ``answers`` as they come in, the ``score`` of
one, the ``aggregate`` of a session, the ``board``, the ``report``; ``track`` is their table of contents. ``commands``
and ``operations`` are for people and for programs, ``views`` their tables. Other files hold a contest's own matter.
"""
