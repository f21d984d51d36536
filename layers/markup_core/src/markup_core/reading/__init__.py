"""From JSON values to markups: form, codes, faults."""
