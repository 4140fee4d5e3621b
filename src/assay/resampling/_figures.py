"""The one import of `assay.figures`, which lies to the right in the layer order: results draw themselves.

Everything else in this folder imports the drawing functions from here, so the exception to the layer order is one file.
"""

from assay.figures.critical_difference import critical_difference
from assay.figures.line_panels import Line, Panel, draw

__all__ = ["Line", "Panel", "critical_difference", "draw"]
