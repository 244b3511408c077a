"""Recordings and colour sources: frames from files and cameras, as the command reads them."""

from kinema import _kinema

_part = _kinema.io

ColourSource = _part.ColourSource
Frame = _part.Frame
Recording = _part.Recording
open_colour = _part.open_colour
open_recording = _part.open_recording

__all__ = ["ColourSource", "Frame", "Recording", "open_colour", "open_recording"]
