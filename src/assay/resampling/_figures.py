"""The one place where resampling looks to the right: its results draw themselves, and assay.figures writes the SVG.

Everything else in this folder imports the drawing functions from here, so that the exception to the layer order is one file.
"""

from assay.figures.critical_difference import critical_difference
from assay.figures.line_panels import Line, Panel, draw

__all__ = ["Line", "Panel", "critical_difference", "draw"]
