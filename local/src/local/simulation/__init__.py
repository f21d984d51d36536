"""Essays whose true markup is known, and annotators and programs who see it through noise of a known size."""
