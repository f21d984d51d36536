"""The metrics M1…M7 of one markup X against another Y of the same text (R-App1, markup-scoring §3).

All are percentages, 0 to 100; None where undefined. Shares are of **X's** fragments, so M(X, Y) is not M(Y, X).
With both markups empty M2…M6 are 100, with exactly one empty they are 0; so M_i(X, X) = 100 for i = 1…6, always.
"""

from markup_core.metrics.pair import Metrics, pair_metrics
from markup_core.metrics.ratings import InvalidRatings, Ratings, read_ratings

__all__ = ["InvalidRatings", "Metrics", "Ratings", "pair_metrics", "read_ratings"]
