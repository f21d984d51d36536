"""The track "fusion": one model for four subtasks, submitted as an archive (tracks.md §4)."""
