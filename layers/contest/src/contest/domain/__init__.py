"""States and transitions of a contest as pure functions over immutable values.

No clock, no storage, no wire format: times are milliseconds since the epoch (UTC) handed in by the caller.
"""
