"""The command ``tracks`` and its stream of requests."""
