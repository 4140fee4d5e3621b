"""Makes the helpers of this folder importable by every test."""
