"""The body: the likelihood of a pose, given points that a stereo or depth camera saw."""

from kinema._kinema import Likelihood

__all__ = ["Likelihood"]
