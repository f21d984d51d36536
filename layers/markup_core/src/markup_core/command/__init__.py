"""The command ``markup-core``, its stream of requests, its tables."""
