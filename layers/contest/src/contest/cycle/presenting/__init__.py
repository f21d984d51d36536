"""Conversion of use cases' results about cycles to bodies."""
