"""Recordings and colour sources: frames from files and cameras, as the command reads them."""

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



class ColourSource:
    r"""Colour frames of pictures, a video or a camera: iterate over it."""
    def __iter__(self) -> ColourSource:
        r"""Itself."""
    def __next__(self) -> Frame:
        r"""The next Frame."""
    def __len__(self) -> int:
        r"""How many frames there are, read or not."""
    def __bool__(self) -> bool:
        r"""True, also where the number of frames is not known."""
    @property
    def size(self) -> int | None:
        r"""How many frames there are; None where that is not known."""
    @property
    def fps(self) -> float:
        r"""Frames per second."""
    @property
    def live(self) -> bool:
        r"""Frames come from a camera, without end."""
    @property
    def late(self) -> int:
        r"""Frames of a live source that were replaced by newer ones before they were read."""
    @property
    def guessed_fps(self) -> bool:
        r"""Neither the source nor fps= said it, so that 30 was assumed."""


class Frame:
    r"""What a camera gave at one moment."""
    @property
    def index(self) -> int:
        r"""The number in the file's name, or counted from 0."""
    @property
    def time(self) -> float:
        r"""Seconds."""
    @property
    def taken(self) -> float:
        r"""Seconds since 1970: when a camera took it, or when it was read."""
    @property
    def name(self) -> str:
        r"""Of its file."""
    @property
    def gap(self) -> str:
        r"""Not empty: why this frame cannot be used."""
    @property
    def late(self) -> int:
        r"""How many frames of a live source this one replaced."""
    @property
    def depth(self) -> NDArray[np.float32] | Any:
        r"""float32 (H, W), metres, 0: nothing measured; None where there is none."""
    @property
    def left(self) -> NDArray[np.uint8] | Any:
        r"""uint8 (H, W), the left picture of a rectified stereo pair; None where there is none."""
    @property
    def right(self) -> NDArray[np.uint8] | Any:
        r"""The right one."""
    @property
    def points(self) -> NDArray[np.float32] | Any:
        r"""float32 (I, 3), metres; None where there are none."""
    @property
    def colour(self) -> NDArray[np.uint8] | Any:
        r"""uint8 (H, W, 3), blue green red; None where there is none."""


class Recording:
    r"""Frames of depth or points, in order: iterate over it.

    It is read once, from where it stands; recording[10:20] and recording[3] open it again."""
    def __iter__(self) -> Recording:
        r"""Itself."""
    def __next__(self) -> Frame:
        r"""The next Frame."""
    def __len__(self) -> int:
        r"""How many frames there are, read or not."""
    def __bool__(self) -> bool:
        r"""True, also where the number of frames is not known."""
    @property
    def size(self) -> int | None:
        r"""How many frames there are; None where that is not known."""
    @property
    def fps(self) -> float:
        r"""Frames per second."""
    @property
    def live(self) -> bool:
        r"""Frames come from a camera, without end."""
    @property
    def late(self) -> int:
        r"""Frames of a live source that were replaced by newer ones before they were read."""
    @overload
    def __getitem__(self, frames: slice) -> Recording:
        r"""A part of it, as a Recording of its own."""
    @overload
    def __getitem__(self, frames: int) -> Frame:
        r"""One Frame of it. Reads those before it."""
    @property
    def camera(self) -> kinema.body.Camera:
        r"""The body.Camera of its frames."""
    @property
    def baseline(self) -> float:
        r"""Metres between the cameras of its pairs; 0 where it has none."""
    @property
    def background(self) -> NDArray[np.float32] | None:
        r"""Depth of the scene without the person, float32 (H, W), metres; None where there is none."""
    @property
    def skeleton(self) -> pathlib.Path | None:
        r"""The path of its skeleton.json; None where there is none."""
    @property
    def truth(self) -> pathlib.Path | None:
        r"""The path of its truth.jsonl; None where there is none."""


def open_colour(
    input: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, fps: float = ..., sequence: bool = ...,
    full_range: bool = ..., reconnect: float = ...
) -> ColourSource:
    r"""A ColourSource: a folder, a pattern, a video, pictures, or a camera such as "camera:0".

    fps         above 0: in place of the video's own; pictures have none
    sequence    pictures are the frames of one camera, in the order of the numbers in their names
    full_range  scale 16-bit pictures by their brightest pixel
    reconnect   seconds to wait for a camera that disappears to come back; 0: it ends there"""


def open_recording(
    input: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, camera_files: Sequence[str |
    os.PathLike[str]] = ..., fps: float = ..., depth_scale: float = ..., baseline: float = ...,
    calibration_unit: float = ..., colour: bool = ..., colour_pattern: str = ..., reconnect: float = ...
) -> Recording:
    r"""A Recording: its folder, a pattern such as depth/%06d.png, a list of files, or a live source.

    camera_files      in place of the camera.json beside the frames: another one, or calibrations of OpenCV
    fps               above 0: in place of that of the camera's file
    depth_scale       metres per unit of depth images, likewise; 0.001 where they hold millimetres
    baseline          metres between the cameras of pairs, likewise
    calibration_unit  metres per unit of an OpenCV calibration
    colour            read the colour pictures too, where there are any
    colour_pattern    their files, where they do not lie beside the frames
    reconnect         seconds to wait for a live source that disappears to come back; 0: it ends there"""
