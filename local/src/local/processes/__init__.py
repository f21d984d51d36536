"""Starting processes that die with this one, and soon do their work."""
