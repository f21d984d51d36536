"""Essays whose true markup is known, and people and programs who see it through noise of a known size."""
