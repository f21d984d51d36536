"""A measure of one's own: the organizers' program scores the answers of their contest (tracks.md)."""
