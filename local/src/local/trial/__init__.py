"""A trial of the exchange on a corpus of real texts."""
