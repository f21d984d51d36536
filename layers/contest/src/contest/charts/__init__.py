"""Pictures of what was measured, as SVG."""
