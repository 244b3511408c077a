"""The face: appearance models, their fits to images, and a tracker for videos."""

from kinema import _kinema

_part = _kinema.face

Detector = _part.Detector
Estimate = _part.Estimate
Fit = _part.Fit
Fitter = _part.Fitter
HeadPose = _part.HeadPose
HeadPoseSolver = _part.HeadPoseSolver
Model = _part.Model
Refinement = _part.Refinement
Tracker = _part.Tracker
TrackerSettings = _part.TrackerSettings
film_faces = _part.film_faces
read_model = _part.read_model
refine = _part.refine
train = _part.train

__all__ = [
    "Detector",
    "Estimate",
    "Fit",
    "Fitter",
    "HeadPose",
    "HeadPoseSolver",
    "Model",
    "Refinement",
    "Tracker",
    "TrackerSettings",
    "film_faces",
    "read_model",
    "refine",
    "train",
]
