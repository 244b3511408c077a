"""The head: its colours, and a tracker that uses them."""

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



class GpuArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...



class Calibration:
    r"""The colours of a head in one light: the contents of a filter.json."""
    @property
    def score(self) -> float:
        r"""How well skin and background separate, 0 to 1; below 0.5 tracking will be bad."""
    @property
    def classifier(self) -> str:
        r"""How it tells skin: 'plane', 'rg', 'xyz', 'cbcr', 'hsv', 'tsl' or 'histogram'."""
    def degree(self, r: float, g: float, b: float) -> float:
        r"""The degree to which a colour is skin, 0 to 1; channels 0 to 255."""
    def save(self, path: str | os.PathLike[str]) -> None:
        r"""Writes a filter.json."""


class Estimate:
    r"""The head in a frame."""
    @property
    def found(self) -> bool:
        r"""False: of the rest only why and times then say anything."""
    @property
    def time(self) -> float:
        r"""As given to track(), seconds."""
    @property
    def why(self) -> str:
        r"""If not found: the reason."""
    @property
    def confidence(self) -> float:
        r"""0 to 1."""
    @property
    def times(self) -> dict[str, float]:
        r"""Milliseconds by stage."""
    @property
    def x(self) -> float:
        r"""Pixels from 0."""
    @property
    def y(self) -> float:
        r"""Pixels from 0."""
    @property
    def area(self) -> float:
        r"""The share of the frame that the head covers."""
    @property
    def distance(self) -> float | None:
        r"""Metres; None if no reference distance is known."""
    @property
    def position(self) -> tuple[float, float, float] | None:
        r"""Metres, x right, y down, z forward; None if the field of view is not known."""
    @property
    def oval(self) -> tuple[float, float, float, float] | None:
        r"""The head's outline: (cx, cy, rx, ry), pixels; None in plain mode."""


class Tracker:
    r"""Follows a head through the frames of one camera.

    calibration         from calibrate() or read_filter()
    backend             'auto', 'reference', 'cpu' or 'cuda'
    order               of the frames' channels: 'rgb', or 'bgr' as in OpenCV
    mode                'plain': the centroid of the whole frame, where there is enough skin in one place; 'paper': the
                        same of every frame; 'window': a soft window that follows the head
    recalibrate         learn the head's colours during tracking
    pattern             match the head's edges as well as its colours
    background          learn a static background and ignore it
    neck_cut            ignore rows below the chin
    smooth              One-Euro smoothing
    reference_distance  in place of the calibration's, metres
    field_of_view       in place of the calibration's, radians
    threads             0: one per core. Results do not depend on it
    devices             GPUs: 'all', '0,2' or numbers; None: the first"""
    def __init__(
        self, calibration: Calibration, *, backend: str = ..., order: str = ..., mode: str = ..., recalibrate:
        bool = ..., pattern: bool = ..., background: bool = ..., neck_cut: bool = ..., smooth: bool = ...,
        reference_distance: float | None = ..., field_of_view: float | None = ..., threads: int = ..., devices:
        str | Sequence[int] | None = ...
    ) -> None:
        r"""See the class."""
    @overload
    def track(self, image: NDArray[np.uint8] | GpuArray, time: float) -> Estimate:
        r"""The Estimate of an image: uint8 (H, W, 3) or (H, W, 4), seconds. Releases the GIL.

        With the mode 'plain' and the backend 'cuda', also an array in GPU memory, such as a tensor of PyTorch."""
    @overload
    def track(self, frame: kinema.io.Frame) -> Estimate:
        r"""The Estimate of the next frame of a source. A frame with a gap is skipped."""
    def start(self, oval: Sequence[float]) -> None:
        r"""Where the head is in the next frame: (cx, cy, rx, ry)."""
    def set_background(self, image: NDArray[np.uint8]) -> None:
        r"""A frame without the person."""
    def skip(self, time: float, why: str) -> Estimate:
        r"""A frame that is missing, and why: its Estimate finds nobody."""
    def restart(self) -> None:
        r"""Searches in the next frame, as in the first and after a loss. What was learnt of the person is kept."""
    @property
    def settings(self) -> TrackerSettings:
        r"""The TrackerSettings with all open values filled in."""
    @property
    def backend(self) -> str:
        r"""What runs: 'reference', 'cpu' or 'cuda'."""


class TrackerSettings:
    r"""The settings of a Tracker, by the names of its arguments."""
    @property
    def calibration(self) -> Calibration:
        r"""The colours of the head."""
    @property
    def mode(self) -> str:
        r"""'plain', 'paper' or 'window'."""
    @property
    def recalibrate(self) -> bool:
        r"""Learn the head's colours during tracking."""
    @property
    def pattern(self) -> bool:
        r"""Match the head's edges as well as its colours."""
    @property
    def background(self) -> bool:
        r"""Learn a static background and ignore it."""
    @property
    def neck_cut(self) -> bool:
        r"""Ignore rows below the chin."""
    @property
    def smooth(self) -> bool:
        r"""One-Euro smoothing."""
    @property
    def reference_distance(self) -> float | None:
        r"""Metres; None if it is not known."""
    @property
    def field_of_view(self) -> float | None:
        r"""Radians; None if it is not known."""


def calibrate(
    frames: NDArray[np.uint8] | Sequence[NDArray[np.uint8]], ovals: Sequence[float] | Sequence[Sequence[float]],
    *, order: str = ..., classifier: str = ..., distance: float | None = ..., field_of_view: float | None = ...
) -> Calibration:
    r"""A Calibration from a frame with an oval (cx, cy, rx, ry) around the face, or from lists of both.

    frames         uint8 (H, W, 3) or (H, W, 4)
    order          of the channels: 'rgb', or 'bgr' as in OpenCV
    classifier     'plane', 'rg', 'xyz', 'cbcr', 'hsv', 'tsl' or 'histogram'
    distance       of the face from the camera, metres
    field_of_view  of the camera, horizontal, radians"""


def read_filter(path: str | os.PathLike[str]) -> Calibration:
    r"""The Calibration in a filter.json."""
