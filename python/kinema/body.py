"""The body: a tracker, the foreground that it looks at, and the likelihood of a pose beneath it."""

from kinema import _kinema

_part = _kinema.body

Camera = _part.Camera
Estimate = _part.Estimate
Foreground = _part.Foreground
Likelihood = _part.Likelihood
Skeleton = _part.Skeleton
Smoother = _part.Smoother
Tracker = _part.Tracker
default_human = _part.default_human
read_skeleton = _part.read_skeleton

__all__ = [
    "Camera",
    "Estimate",
    "Foreground",
    "Likelihood",
    "Skeleton",
    "Smoother",
    "Tracker",
    "default_human",
    "read_skeleton",
]
