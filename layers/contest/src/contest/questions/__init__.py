"""Questions of teams and the answers of organizers and judges (clarifications)."""
