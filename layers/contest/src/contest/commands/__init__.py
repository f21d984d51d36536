"""The organizer's command ``contest``."""
