"""Recordings: frames of depth or points from files, as `kinema body track` reads them."""

from kinema import _kinema

_part = _kinema.io

Frame = _part.Frame
Recording = _part.Recording
open_recording = _part.open_recording

__all__ = ["Frame", "Recording", "open_recording"]
