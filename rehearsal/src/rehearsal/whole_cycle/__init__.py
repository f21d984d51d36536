"""A whole cycle on this machine, from the application form to the published archive, with simulated people."""
