"""The face: appearance models, fits of them to images, and a tracker for films."""

from kinema import _kinema

_part = _kinema.face

Fit = _part.Fit
Fitter = _part.Fitter
Model = _part.Model
TrackedFace = _part.TrackedFace
Tracker = _part.Tracker
read_model = _part.read_model
train = _part.train

__all__ = [
    "Fit",
    "Fitter",
    "Model",
    "TrackedFace",
    "Tracker",
    "read_model",
    "train",
]
