"""Adapters for PyTorch: losses as modules, and the block-wise route of large tensors."""
