"""The body: the tracker and its parts: foreground, filter, smoother and likelihood."""

from kinema import _kinema
from kinema.run import track

_part = _kinema.body

Camera = _part.Camera
Estimate = _part.Estimate
FaceObservation = _part.FaceObservation
Filter = _part.Filter
Foreground = _part.Foreground
Likelihood = _part.Likelihood
PosesWriter = _part.PosesWriter
Skeleton = _part.Skeleton
Smoother = _part.Smoother
Tracker = _part.Tracker
TrackerSettings = _part.TrackerSettings
default_human = _part.default_human
paper_settings = _part.paper_settings
read_skeleton = _part.read_skeleton
settings_for = _part.settings_for

__all__ = [
    "Camera",
    "Estimate",
    "FaceObservation",
    "Filter",
    "Foreground",
    "Likelihood",
    "PosesWriter",
    "Skeleton",
    "Smoother",
    "Tracker",
    "TrackerSettings",
    "default_human",
    "paper_settings",
    "read_skeleton",
    "settings_for",
    "track",
]
