"""The contest platform: cycles, sessions, answers, reports."""
