"""Opening, joining, following and closing sessions."""
