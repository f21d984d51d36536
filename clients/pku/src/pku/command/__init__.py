"""The command ``pku``: its arguments, its preparations and its output."""
