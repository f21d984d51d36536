"""What the organizers see and mend of the platform itself (platform §4, §7)."""
