"""Work through a session: its journal on disk, its solver, the order of its files."""
