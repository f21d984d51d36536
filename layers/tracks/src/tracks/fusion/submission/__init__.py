"""A submission's archive, judged before anything of it is unpacked (tracks.md §4)."""
