"""The gec track: grammatical error correction, sentence by sentence or block by block (tracks.md §3)."""
