"""The pilot's program for submissions: numpy alone, from ``input/`` to ``output/``; simple rules, no learning.

This folder is what ``pku pilot`` puts into the archive, and it knows nothing of the kit: its modules import each other
beside themselves.
"""
