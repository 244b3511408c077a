"""The head: its colours, and a tracker that uses them."""

from kinema import _kinema

_part = _kinema.head

Calibration = _part.Calibration
Estimate = _part.Estimate
Tracker = _part.Tracker
TrackerSettings = _part.TrackerSettings
calibrate = _part.calibrate
read_filter = _part.read_filter

__all__ = [
    "Calibration",
    "Estimate",
    "Tracker",
    "TrackerSettings",
    "calibrate",
    "read_filter",
]
