"""Teams, tokens, roles and rights."""
