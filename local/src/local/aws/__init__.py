"""The emulated services and the resources made in them from the template."""
