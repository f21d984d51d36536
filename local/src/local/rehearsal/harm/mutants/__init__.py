"""Wrong platforms by the hundred: each mutant breaks one seam of the platform, by name, in every process of a copy."""
