"""Stereo pairs: disparities, each with the deviation of its error."""

# written by scripts/make_stubs.py
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, overload

import kinema.body
import kinema.face
import kinema.head
import kinema.io
import kinema.person
import numpy as np
from numpy.typing import NDArray



class Matcher:
    r"""Matches rectified pairs of one size.

    camera             of the left picture
    baseline           metres between the cameras
    nearest, farthest  range of depths, in metres
    backend            'auto', 'reference', 'cpu' or 'cuda'
    threads            of the CPU; 0: one per core. Results do not depend on it"""
    def __init__(
        self, camera: kinema.body.Camera, baseline: float, nearest: float = ..., farthest: float = ..., backend:
        str = ..., threads: int = ...
    ) -> None:
        r"""See the class."""
    def match(
        self, left: NDArray[np.uint8], right: NDArray[np.uint8], rows: Sequence[float] = ...
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        r"""Disparities of uint8 pictures (H, W), and their deviations: float32 (H, W), pixels, 0 where unknown.

        rows: how far the right picture lies below the left one, a + b x + c y with x and y from -1 to 1."""
    @property
    def focal_baseline(self) -> float:
        r"""Disparity times depth, in pixels times metres."""
