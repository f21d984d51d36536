"""Playing a session: what is kept on disk, which program solves, what comes next."""
