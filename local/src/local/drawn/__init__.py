"""Fusion's demonstration data, drawn and written by this repository: the same bytes whenever they are made."""
