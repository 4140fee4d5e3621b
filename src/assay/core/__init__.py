"""The core: records, inputs, statistics, monoids, states, scores and the registry."""
