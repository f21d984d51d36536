"""Clause → enforcing function → tests: reads the three and writes ``docs/clauses.md``.

``docs/clauses/*.toml`` say, by hand, what every clause asks (`register`); a line ``Clause: R 7.6, D 8.11`` in a
docstring says which code enforces it (`marks`); a marker ``@pytest.mark.clause("R 7.6")``, or in ``tests/clauses`` a
test's name, says which test goes red without that code (`proofs`); the site says both in comments (`typescript`).
`faults` finds where the three disagree, `page` writes the table.
Imports nothing of the project: it must be able to read a checkout whose code does not import.
"""
