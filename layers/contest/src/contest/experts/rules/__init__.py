"""Pure rules of the experts' work."""
