"""Clause → enforcing function → tests: read the three and write ``docs/clauses.md``.

``docs/clauses/*.toml`` list, by hand, the demand of every clause; a comment ``# Clause: R 7.6, D 8.11`` above code
says that it enforces them; a marker ``@pytest.mark.clause("R 7.6")``, or in ``tests/clauses`` a
test's name, says which test goes red without that code; the site says both in comments. `reading` reads all of them,
`page` finds where the three disagree and writes the table.
Imports nothing of the project: it must be able to read a checkout whose code does not import.
"""
