"""A cycle: sets, parameters, what is drawn from them."""
