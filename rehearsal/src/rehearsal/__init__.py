"""A whole final against the local cloud, with faults, and a checker that proves its results (platform §3, §6)."""
