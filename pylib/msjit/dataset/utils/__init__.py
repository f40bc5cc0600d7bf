"""LineReader, which reads lines of a file by number; imshow_det_bbox is not offered."""
from ...absent import names as _absent_names
from .line_reader import LineReader

globals().update(_absent_names(__name__, "imshow_det_bbox", "it draws with OpenCV, in a window of its own"))
__all__ = ["LineReader", "imshow_det_bbox"]
