"""What people do about teams, staff and decisions."""
