"""Whether intervals and tests hold what they promise, by simulation with the public API. Every number has its seed."""
