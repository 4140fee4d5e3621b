"""Examples of losses of text."""
