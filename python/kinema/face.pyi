"""The face: appearance models, their fits to images, and a tracker for videos."""

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



class Detector:
    r"""Finds faces in an image: OpenCV's detectors.

    data  a cascade (.xml), or a network for OpenCV's FaceDetectorYN (.onnx); None: the cascade of Debian's opencv-data

        tracker = face.Tracker(face.read_model(), detect=face.Detector())"""
    def __init__(self, data: str | os.PathLike[str] | None = ...) -> None:
        r"""See the class."""
    def __call__(self, image: NDArray[np.uint8]) -> list[list[float]]:
        r"""Boxes (x, y, width, height), the largest first, of the faces in an image: uint8 (H, W). Releases the GIL."""


class Estimate:
    r"""A face in a frame of a video."""
    @property
    def found(self) -> bool:
        r"""False: there is no face, or its fit failed."""
    @property
    def person(self) -> int:
        r"""The number of the person, from 1; 0 if not found, or where one face is followed."""
    @property
    def time(self) -> float:
        r"""As given to track(), seconds."""
    @property
    def why(self) -> str:
        r"""If not found: the reason."""
    @property
    def confidence(self) -> float:
        r"""0 to 1: 1 - probability of failure."""
    @property
    def detected(self) -> bool:
        r"""Started anew, not from the frame before."""
    @property
    def fit(self) -> Fit:
        r"""Of this frame alone; if not found, the best that was tried."""
    @property
    def landmarks(self) -> NDArray[np.float32]:
        r"""float32 (L, 2), smoothed if asked for; empty if not found."""
    @property
    def head(self) -> HeadPose | None:
        r"""The HeadPose; None if not found, or for other models than 68 landmarks."""
    @property
    def times(self) -> dict[str, float]:
        r"""Milliseconds by stage."""


class Fit:
    r"""A model in an image."""
    @property
    def landmarks(self) -> NDArray[np.float32]:
        r"""float32 (L, 2), pixels from 0."""
    @property
    def failure(self) -> float:
        r"""Probability that the mean error is over 8 % of the outer eyes' distance."""
    @property
    def quality(self) -> float:
        r"""1 - failure."""
    @property
    def confidence(self) -> NDArray[np.float32]:
        r"""Of each landmark, that it is within those 8 %."""
    @property
    def shape(self) -> NDArray[np.float32]:
        r"""Parameters of the shape."""
    @property
    def error(self) -> float:
        r"""What the last stage minimised, over its values; 0 after a cascade."""
    @property
    def iterations(self) -> int:
        r"""Of all stages."""
    @property
    def converged(self) -> bool:
        r"""The last stage ended before its iterations were used up."""
    @property
    def ms(self) -> float:
        r"""Milliseconds that it took."""


class Fitter:
    r"""Fits a model to images.

    score     probability of failure and confidences, if the model has them
    starts    number of starts of the cascade, of which the median is taken
    backend   'auto', 'reference', 'cpu' or 'cuda'
    threads   0: one per core. Results do not depend on it
    devices   GPUs: 'all', '0,2' or numbers; None: the first"""
    def __init__(
        self, model: Model, *, score: bool = ..., starts: int = ..., backend: str = ..., threads: int = ...,
        devices: str | Sequence[int] | None = ...
    ) -> None:
        r"""See the class."""
    def fit(
        self, image: NDArray[np.uint8] | GpuArray, *, box: Sequence[float] | None = ..., detector: bool = ...,
        landmarks: NDArray[np.float32] | None = ..., again: bool = ...
    ) -> Fit:
        r"""The Fit to an image: uint8 (H, W). Releases the GIL.

        With the backend 'cuda' and one GPU, also an array in its memory, such as a tensor of PyTorch.

        box        where to start: (x, y, width, height), from a face detector, or (detector=False) around the landmarks
        landmarks  alternatively: float32 (L, 2), of which position, size and rotation are used
        again      try other starts if the fit looks failed"""
    @property
    def backend(self) -> str:
        r"""What runs: 'reference', 'cpu' or 'cuda'."""
    @property
    def stages(self) -> list[tuple[str, str]]:
        r"""Where each stage runs: a list of (method, backend)."""


class HeadPose:
    r"""The pose of a head in front of the camera.

    The camera frame has x right, y down, z forward, metres; the head's frame x to the person's left, y up, z out of the
    face. The head's place is midway between the outer corners of the eyes."""
    @property
    def rotation(self) -> NDArray[np.float64]:
        r"""float64 (4,): w x y z, from the head's frame to the camera's."""
    @property
    def position(self) -> NDArray[np.float64]:
        r"""float64 (3,): metres, camera frame."""
    @property
    def yaw(self) -> float:
        r"""Degrees, to the person's right."""
    @property
    def pitch(self) -> float:
        r"""Degrees, up."""
    @property
    def roll(self) -> float:
        r"""Degrees, to the right shoulder."""
    @property
    def angle_deviation(self) -> NDArray[np.float64]:
        r"""float64 (3,): standard deviations of yaw, pitch and roll, degrees."""
    @property
    def position_deviation(self) -> NDArray[np.float64]:
        r"""float64 (3,): of the position for a head of the assumed size, metres."""
    @property
    def residual(self) -> float:
        r"""Root mean square distance of the landmarks, pixels."""
    @property
    def expression(self) -> dict[str, float]:
        r"""Weights of blend shapes by ARKit's names, 0 to 1."""
    @property
    def expression_deviation(self) -> dict[str, float]:
        r"""Standard deviations of these weights."""
    @property
    def rest_angles(self) -> NDArray[np.float64]:
        r"""float64 (3,): yaw, pitch and roll of the person at rest in a film, degrees."""


class HeadPoseSolver:
    r"""Poses of heads from 68 landmarks in iBUG's order.

    field_of_view  of the camera across the frame, radians
    camera         a body.Camera in place of the field of view; scaled to the size of the frames
    eye_distance   between the outer corners of the person's eyes, metres"""
    def __init__(
        self, *, field_of_view: float = ..., camera: kinema.body.Camera | None = ..., eye_distance: float = ...
    ) -> None:
        r"""See the class."""
    def solve(
        self, landmarks: NDArray[np.float32], width: int, height: int, *, confidence: NDArray[np.float32] | None
        = ...
    ) -> HeadPose | None:
        r"""The HeadPose of one picture alone; None if no head looks like this. Releases the GIL.

        landmarks   float32 (68, 2), pixels from 0, of a picture of this width and height
        confidence  float32 (68,), 0 to 1: how much each landmark counts, as Fit.confidence; None: alike"""
    def follow(
        self, landmarks: NDArray[np.float32], width: int, height: int, *, confidence: NDArray[np.float32] | None
        = ...
    ) -> HeadPose | None:
        r"""The same for the next frame of one person: starts from the last pose, and learns the person's proportions."""
    def reset(self) -> None:
        r"""Forgets the last pose and the proportions learnt: the next frame may show another person."""
    def project(self, pose: HeadPose, width: int, height: int) -> NDArray[np.float32]:
        r"""float32 (68, 2): where the points of a head in this pose, with the proportions learnt so far, lie."""


class Model:
    r"""An appearance model: the contents of a .kface."""
    @property
    def landmarks(self) -> int:
        r"""How many."""
    @property
    def mean_shape(self) -> NDArray[np.float32]:
        r"""float32 (L, 2), in the model's unit."""
    @property
    def shape_modes(self) -> int:
        r"""How many parameters a shape has."""
    @property
    def examples(self) -> int:
        r"""Faces it was trained on."""
    def save(self, path: str | os.PathLike[str]) -> None:
        r"""Writes a .kface."""


class Refinement:
    r"""A refined Model, and what it is worth."""
    @property
    def model(self) -> Model:
        r"""The model that was given if it was not bettered."""
    @property
    def better(self) -> bool:
        r"""Whether the images are fitted better by it."""
    @property
    def before(self) -> float:
        r"""Mean error of the images over the outer eyes' distance."""
    @property
    def after(self) -> float:
        r"""The same, each by a model that was refined without it."""


class Tracker:
    r"""Follows a face through the frames of a video.

    detect     called with a uint8 (H, W) image when the face must be detected: a list of boxes (x, y, width, height); None:
               a lost face is searched for at its last position, else start() says where
    lost       a fit with a higher probability of failure is lost
    smoothing  cutoff for a face at rest, hertz; 0: no smoothing
    field_of_view  of the camera across the frame, radians: for the pose of the head
    eye_distance   between the outer corners of the person's eyes, metres
    head_smoothing cutoff for the pose of a head at rest, hertz; 0: no smoothing
    backend    'auto', 'reference', 'cpu' or 'cuda'
    order      of the channels of colour frames: 'rgb', or 'bgr' as in OpenCV
    threads    0: one per core. Results do not depend on it
    devices    GPUs: 'all', '0,2' or numbers; None: the first
    people     how many faces are followed at most, each with a number; 0: all, up to 30"""
    def __init__(
        self, model: Model, *, detect: Callable[[NDArray[np.uint8]], Sequence[Sequence[float]]] | None = ...,
        lost: float = ..., smoothing: float = ..., backend: str = ..., order: str = ..., threads: int = ...,
        field_of_view: float = ..., eye_distance: float = ..., head_smoothing: float = ..., devices: str |
        Sequence[int] | None = ..., people: int = ...
    ) -> None:
        r"""See the class."""
    @property
    def people(self) -> list[Estimate]:
        r"""The Estimates of everybody in the last frame, by number; one that says why if there is nobody."""
    @overload
    def track(self, image: NDArray[np.uint8], time: float) -> Estimate:
        r"""The Estimate of an image: uint8 (H, W), (H, W, 3) or (H, W, 4), seconds. Releases the GIL."""
    @overload
    def track(self, frame: kinema.io.Frame) -> Estimate:
        r"""The Estimate of the next frame of a source. A frame with a gap is skipped."""
    def start(
        self, *, box: Sequence[float] | None = ..., detector: bool = ..., landmarks: NDArray[np.float32] | None
        = ...
    ) -> None:
        r"""Where the face is in the next frame, whatever came before."""
    @property
    def stages(self) -> list[tuple[str, str]]:
        r"""Where each stage runs: a list of (method, backend)."""
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
    def people(self) -> int:
        r"""How many faces are followed at most, 0: all."""
    @property
    def lost(self) -> float:
        r"""A fit with a higher probability of failure is lost."""
    @property
    def smoothing(self) -> float:
        r"""Cutoff for a face at rest, hertz; 0: no smoothing."""
    @property
    def field_of_view(self) -> float | None:
        r"""None for models that show no pose of the head."""
    @property
    def eye_distance(self) -> float | None:
        r"""Likewise."""
    @property
    def head_smoothing(self) -> float:
        r"""Cutoff for the pose of a head at rest, hertz; 0: no smoothing."""


def film_faces(
    model: Model, frames: Iterable[NDArray[np.uint8]], *, detect: Callable[[NDArray[np.uint8]],
    Sequence[Sequence[float]]] | None = ..., fps: float = ..., consecutive: bool = ..., trusted: float = ...,
    most: int = ..., threads: int = ...
) -> list[tuple[NDArray[np.uint8], NDArray[np.float32]]]:
    r"""Faces for refine() from a film of one person without landmarks: a list of (image, landmarks).

    frames       uint8 (H, W) each
    detect       as in Tracker
    consecutive  False: unrelated pictures of the person
    trusted      fits with a higher probability of failure are not taken
    most         faces, at most: those that differ most"""


def read_model(path: str | os.PathLike[str] | None = ...) -> Model:
    r"""The model of a .kface; without one, the model that ships with kinema."""


def refine(
    model: Model, images: Iterable[NDArray[np.uint8]], landmarks: Iterable[NDArray[np.float32]], *, mirrored:
    bool = ..., film: bool = ..., seed: int = ..., threads: int = ..., progress: Callable[[str, float], None] |
    None = ...
) -> Refinement:
    r"""The Refinement of a Model on some labelled images, at least 4: uint8 (H, W) and float32 (L, 2) each.

    film      they are frames of one film, in their order
    progress  called with a stage and the share of all that is done"""


def train(
    images: Iterable[NDArray[np.uint8]], landmarks: Iterable[NDArray[np.float32]], *, pixels: int = ..., levels:
    int = ..., features: str = ..., mirrored: bool = ..., quality: bool = ..., seed: int = ..., threads: int =
    ..., progress: Callable[[str, float], None] | None = ...
) -> Model:
    r"""A Model of labelled images: uint8 (H, W) and float32 (L, 2) each, pixels from 0.

    pixels    of the finest level; each of the other `levels` has a quarter of the one before
    features  'edges', 'orientation' or 'intensity'
    mirrored  learn each face's mirror image too, where the landmarks are those of 300-W (68) or IMM (73)
    quality   learn the probability of failure: needs 8 images
    progress  called with a stage and the share of all that is done"""
