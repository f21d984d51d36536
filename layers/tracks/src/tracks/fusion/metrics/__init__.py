"""The four subtasks' metrics and what they are made of (tracks.md §4)."""
