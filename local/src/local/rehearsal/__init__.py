"""A whole final against the local cloud, with faults, and a checker that proves what came of it (platform §3, §6)."""
