"""Examples of losses of generation."""
