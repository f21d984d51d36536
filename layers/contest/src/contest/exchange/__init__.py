"""The exchange of a session: files go out, answers come in."""
