"""The ports on AWS: one module each, no rules. Importing one loads what it needs and nothing else."""
