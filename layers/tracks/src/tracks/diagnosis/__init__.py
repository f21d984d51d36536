"""The diagnosis track: programs that diagnose six lung diseases from epicrises (tracks.md §1)."""
