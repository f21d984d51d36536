"""Actions of people on teams, staff and decisions."""
