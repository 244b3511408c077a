"""Stereo pairs: disparities, each with the deviation of its error."""

from kinema import _kinema

_part = _kinema.stereo

Matcher = _part.Matcher

__all__ = ["Matcher"]
