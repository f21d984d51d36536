"""The local cloud: the real handlers on emulated AWS services."""
