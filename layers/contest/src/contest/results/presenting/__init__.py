"""Conversion of results to bodies, files and pages."""
