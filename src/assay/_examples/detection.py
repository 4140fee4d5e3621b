"""Examples of losses of detection."""
