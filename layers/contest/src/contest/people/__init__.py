"""People, teams, their tokens and rights."""
