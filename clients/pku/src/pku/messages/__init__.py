"""Every sentence of the kit in Russian and English."""
