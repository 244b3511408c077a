"""The face: appearance models, their fits to images, and a tracker for videos."""

from kinema import _kinema

_part = _kinema.face

Estimate = _part.Estimate
Fit = _part.Fit
Fitter = _part.Fitter
HeadPose = _part.HeadPose
Model = _part.Model
Tracker = _part.Tracker
read_model = _part.read_model
train = _part.train

__all__ = [
    "Estimate",
    "Fit",
    "Fitter",
    "HeadPose",
    "Model",
    "Tracker",
    "read_model",
    "train",
]
