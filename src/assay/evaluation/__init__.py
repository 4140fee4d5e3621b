"""Everything a task calls for at once: the metrics, the trivial baseline, slices, and a colleague's warnings."""
