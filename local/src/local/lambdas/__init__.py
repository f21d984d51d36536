"""Running functions, their logs, and what calls them."""
