"""Examples of losses of embedding."""
