"""Figures of results as SVG, written without a plotting library."""
