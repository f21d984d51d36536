"""Sessions and files over HTTP, and the minute timer."""
