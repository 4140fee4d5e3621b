"""Adapters for JAX: what losses need of it beyond arrays."""
