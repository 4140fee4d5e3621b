"""Learning curves (performance against training size) and complexity curves (against a parameter)."""
