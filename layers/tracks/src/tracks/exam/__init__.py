"""The exam track: school-exam tasks in Russian answered by a string (tracks.md §2)."""
