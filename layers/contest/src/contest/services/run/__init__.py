"""Planning, arming, amending, watching and recording runs."""
