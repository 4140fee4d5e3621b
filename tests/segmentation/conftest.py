"""Makes the helpers of this folder importable by its tests."""
