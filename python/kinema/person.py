"""One person before one camera: place, rotation and expression of the head, from its colours and its face."""

from kinema import _kinema

_part = _kinema.person

Estimate = _part.Estimate
FaceObserver = _part.FaceObserver
Tracker = _part.Tracker
TrackerSettings = _part.TrackerSettings

__all__ = [
    "Estimate",
    "FaceObserver",
    "Tracker",
    "TrackerSettings",
]
