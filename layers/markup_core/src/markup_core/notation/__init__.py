"""The inline notation of markups."""
