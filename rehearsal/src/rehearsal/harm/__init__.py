"""Harm done in a rehearsal: injected faults and planted bugs."""
