"""Conversion of use cases' results about the platform itself to bodies."""
