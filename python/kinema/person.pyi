"""One person before one camera: place, rotation and expression of the head, from its colours and its face."""

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



class Estimate:
    r"""A person in a frame."""
    @property
    def found(self) -> bool:
        r"""False: neither the face nor the colours of the head were seen."""
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
    def face(self) -> bool:
        r"""Whether the face was seen in this frame."""
    @property
    def colours(self) -> bool:
        r"""Whether the head's colours were seen in this frame."""
    @property
    def x(self) -> float:
        r"""The centre of the head's outline, pixels."""
    @property
    def y(self) -> float:
        r"""Likewise."""
    @property
    def oval(self) -> tuple[float, float, float, float] | None:
        r"""The outline: (cx, cy, rx, ry), pixels."""
    @property
    def pose(self) -> kinema.face.HeadPose | None:
        r"""A HeadPose; None until there was a face."""
    @property
    def position(self) -> tuple[float, float, float] | None:
        r"""(x, y, z), metres: that of the pose or, until there was a face, that of a calibrated head; else None."""
    @property
    def raw_position(self) -> tuple[float, float, float] | None:
        r"""The same before smoothing."""
    @property
    def landmarks(self) -> NDArray[np.float32]:
        r"""float32 (68, 2); empty where no face was seen."""
    @property
    def times(self) -> dict[str, float]:
        r"""Milliseconds by stage."""


class FaceObserver:
    r"""Faces in the colour pictures of a depth camera, for kinema.body.Tracker.

    model    of a face with 68 landmarks
    camera   a kinema.body.Camera: that of the depth images, to which the pictures are registered
    detect   called with a uint8 (H, W) image while no body is known: a list of boxes (x, y, width, height)
    lost     a fit with a higher probability of failure is no observation
    backend  'auto', 'reference', 'cpu' or 'cuda'
    order    of the channels of pictures: 'rgb', or 'bgr' as in OpenCV

        tracker.set_faces(observer.observe(picture, time))
        estimate = tracker.track(depth, time)
        observer.expect(estimate)"""
    def __init__(
        self, model: kinema.face.Model, camera: kinema.body.Camera, *, detect: Callable[[NDArray[np.uint8]],
        Sequence[Sequence[float]]] | None = ..., lost: float = ..., backend: str = ..., order: str = ...
    ) -> None:
        r"""See the class."""
    def observe(self, image: NDArray[np.uint8], time: float) -> list[kinema.body.FaceObservation]:
        r"""The faces in the next picture, none or one: uint8 (H, W, 3) or (H, W, 4), seconds. Releases the GIL."""
    def expect(self, estimate: kinema.body.Estimate) -> None:
        r"""Where the body was in that frame: the face is next looked for there."""


class Tracker:
    r"""Follows one person before one camera: colours and face.

    model          of a face with 68 landmarks
    detect         called with a uint8 (H, W) image to find the person: a list of boxes (x, y, width, height)
    calibration    of the person's colours, if they are known: from kinema.head.calibrate() or read_filter()
    field_of_view  of the camera across the frame, radians
    eye_distance   between the outer corners of the person's eyes, metres
    lost           a fit with a higher probability of failure is not used
    smoothing      cutoff for a head at rest, hertz; 0: no smoothing
    backend        'auto', 'reference', 'cpu' or 'cuda'
    order          of the channels of frames: 'rgb', or 'bgr' as in OpenCV
    threads        0: one per core. Results do not depend on it
    devices        GPUs: 'all', '0,2' or numbers; None: the first"""
    def __init__(
        self, model: kinema.face.Model, *, detect: Callable[[NDArray[np.uint8]], Sequence[Sequence[float]]] |
        None = ..., calibration: kinema.head.Calibration | None = ..., field_of_view: float = ..., eye_distance:
        float = ..., lost: float = ..., smoothing: float = ..., backend: str = ..., order: str = ..., threads:
        int = ..., devices: str | Sequence[int] | None = ...
    ) -> None:
        r"""See the class."""
    @overload
    def track(self, image: NDArray[np.uint8], time: float) -> Estimate:
        r"""The Estimate of an image: uint8 (H, W, 3) or (H, W, 4), seconds. Releases the GIL."""
    @overload
    def track(self, frame: kinema.io.Frame) -> Estimate:
        r"""The Estimate of the next frame of a source. A frame with a gap is skipped."""
    def start(self, oval: Sequence[float]) -> None:
        r"""Where the head is in the next frame: (cx, cy, rx, ry), pixels."""
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
    def set_neutral(self) -> None:
        r"""The next second shows the neutral face, with open eyes, which expressions count from."""


class TrackerSettings:
    r"""The settings of a Tracker, by the names of its arguments."""
    @property
    def calibration(self) -> kinema.head.Calibration | None:
        r"""Of the person's colours; None: they are learnt."""
    @property
    def field_of_view(self) -> float:
        r"""Of the camera across the frame, radians."""
    @property
    def eye_distance(self) -> float:
        r"""Between the outer corners of the person's eyes, metres."""
    @property
    def lost(self) -> float:
        r"""A fit with a higher probability of failure is not used."""
    @property
    def smoothing(self) -> float:
        r"""Cutoff for a head at rest, hertz; 0: no smoothing."""
