"""The head: its colours, and a tracker that follows them."""

from kinema import _kinema

_part = _kinema.head

Estimate = _part.Estimate
Filter = _part.Filter
Tracker = _part.Tracker
calibrate = _part.calibrate
read_filter = _part.read_filter

__all__ = [
    "Estimate",
    "Filter",
    "Tracker",
    "calibrate",
    "read_filter",
]
