"""A session and its files: states, transitions, endings, receipts, limits."""
