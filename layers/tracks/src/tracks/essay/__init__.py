"""Essays: the track of READ//ABLE."""
