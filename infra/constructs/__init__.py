"""One construct for each capability; the stack only composes them."""
