"""Adapters of the ports on AWS: no rules; importing one loads only its own requirements."""
