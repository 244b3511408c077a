"""The body: the tracker and its parts: foreground, filter, smoother and likelihood."""

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



class Camera:
    r"""A pinhole camera, in pixels: u = fx x/z + cx, v = fy y/z + cy."""
    def __init__(self, width: int, height: int, fx: float, fy: float, cx: float, cy: float) -> None:
        r"""The size of its images, focal lengths and principal point, pixels."""
    @property
    def width(self) -> int:
        r"""Of its images, pixels."""
    @property
    def height(self) -> int:
        r"""Of its images, pixels."""
    @property
    def fx(self) -> float:
        r"""Focal length across, pixels."""
    @property
    def fy(self) -> float:
        r"""Focal length down, pixels."""
    @property
    def cx(self) -> float:
        r"""Column of the principal point."""
    @property
    def cy(self) -> float:
        r"""Row of the principal point."""


class Estimate:
    r"""Where the person is in a frame, and how sure that is."""
    @property
    def frame(self) -> int:
        r"""Its number: that of a recorded frame, else counted from 0."""
    @property
    def time(self) -> float:
        r"""Seconds, of the frame."""
    @property
    def found(self) -> bool:
        r"""False: no person, or lost; of the rest only why and times then say anything."""
    @property
    def why(self) -> str:
        r"""Where not found: the reason."""
    @property
    def person(self) -> int:
        r"""The number of the person, from 1; 0 if not found, or where one person is followed."""
    @property
    def hidden(self) -> bool:
        r"""Found before, and expected here behind somebody or something."""
    @property
    def confidence(self) -> float:
        r"""0 to 1: the share of the points' squared distances that the pose explains."""
    @property
    def joints(self) -> NDArray[np.float64]:
        r"""Positions, float64 (joints, 3), metres in the camera's frame."""
    @property
    def joint_names(self) -> list[str]:
        r"""The names of the joints in their order; common ones where the skeleton has others."""
    @property
    def joint(self) -> dict[str, NDArray[np.float64]]:
        r"""Positions by name, {name: float64 (3,)}; empty where nobody was found.

            estimate.joint["left_knee"]"""
    @property
    def deviation(self) -> NDArray[np.float64]:
        r"""Of each joint the standard deviation along each axis, metres: float64 (joints,)."""
    @property
    def shape_deviation(self) -> NDArray[np.float64]:
        r"""The part of deviation that comes from the person's proportions: float64 (joints,).

        It is nearly the same in consecutive frames. Empty where the skeleton is given."""
    @property
    def angles(self) -> NDArray[np.float64]:
        r"""Radians, by joint and freedom."""
    @property
    def anatomical(self) -> dict[str, tuple[float, float]]:
        r"""Joint angles by the ISB's conventions and their standard deviations, radians: {name: (angle, deviation)}."""
    @property
    def head_deviation(self) -> tuple[float, float, float] | None:
        r"""Of the rotation of the head about its own axes, radians: nodding, turning, tilting.

        None where the skeleton has no head that turns."""
    @property
    def head_rotation(self) -> tuple[float, float, float, float] | None:
        r"""Of the head in the camera's frame, a quaternion w, x, y, z; None as head_deviation."""
    @property
    def position(self) -> tuple[float, float, float]:
        r"""Of the pelvis."""
    @property
    def rotation(self) -> tuple[float, float, float, float]:
        r"""Of the pelvis: a quaternion w, x, y, z."""
    @property
    def log_likelihood(self) -> float:
        r"""Of the likeliest particle: the sum of eq. 3 over all points, without its constant."""
    @property
    def effective_sample_size(self) -> float:
        r"""Of the particles: how many equally weighted ones say as much."""
    @property
    def skeleton(self) -> Skeleton:
        r"""The person that the pose belongs to, as fitted so far."""
    @property
    def faces(self) -> list[FaceObservation]:
        r"""FaceObservations that were given with the frame."""
    @property
    def times(self) -> dict[str, float]:
        r"""Where the time went: milliseconds by stage."""


class FaceObservation:
    r"""A face in a colour picture, in the camera frame of the points.

    ray          unit vector from the camera to the middle between the eyes
    direction    unit vector out of the face
    probability  that it is a face
    distance     to that point, metres; 0: not known
    Deviations are standard deviations, in radians and metres."""
    def __init__(
        self, ray: Sequence[float], direction: Sequence[float], *, probability: float = ..., distance: float =
        ..., ray_deviation: float = ..., direction_deviation: float = ..., distance_deviation: float = ...
    ) -> None:
        r"""See the class."""
    @property
    def ray(self) -> tuple[float, float, float]:
        r"""Unit vector from the camera to the middle between the eyes."""
    @property
    def direction(self) -> tuple[float, float, float]:
        r"""Unit vector out of the face."""
    @property
    def probability(self) -> float:
        r"""That it is a face."""
    @property
    def distance(self) -> float:
        r"""To the middle between the eyes, metres; 0: not known."""
    @property
    def ray_deviation(self) -> float:
        r"""Of the ray, radians."""
    @property
    def direction_deviation(self) -> float:
        r"""Of the direction, radians."""
    @property
    def distance_deviation(self) -> float:
        r"""Of the distance, metres."""


class Filter:
    r"""The particle filter beneath Tracker, for points that you cut out yourself.

    Filter(settings=None, backend='auto', threads=0, devices=None, **changes): as Tracker."""
    def __init__(
        self, settings: TrackerSettings | None = ..., backend: str = ..., threads: int = ..., devices: str |
        Sequence[int] | None = ..., *, people: int = ..., camera: Camera = ..., baseline: float = ..., skeleton:
        Skeleton = ..., fit_shape: bool = ..., height_known: bool = ..., lag: int = ..., particles: int = ...,
        layers: int = ..., refined: int = ..., rivals: int = ..., independent_points: float = ..., tempered:
        bool = ..., unperturbed_particle: bool = ..., steady: bool = ..., rest_cutoff: float = ...,
        sensor_noise: float = ..., shared_noise: float = ..., points: int = ..., background_points: int = ...,
        seed: int = ..., nearest: float = ..., farthest: float = ..., planes: bool = ..., cut_out: str = ...
    ) -> None:
        r"""See the class."""
    @property
    def backend(self) -> str:
        r"""The backend that was chosen."""
    @property
    def settings(self) -> TrackerSettings:
        r"""With what was left open filled in."""
    @property
    def skeleton(self) -> Skeleton:
        r"""The person as fitted so far."""
    @property
    def skin(self) -> NDArray[np.float32] | None:
        r"""Capsules of the last frame, float32 (K, 7): what a Foreground expects. None where nobody is."""
    def track(
        self, time: float, points: NDArray[np.float32], background: NDArray[np.bool_] | NDArray[np.uint8] | None
        = ..., floor: Sequence[float] | None = ...
    ) -> Estimate:
        r"""The Estimate of the next frame: seconds, float32 (I, 3) and optionally marks for background points.

        floor: Foreground.floor; it holds the size of a person who is not known.

        The first frame, and any after the person was lost, starts a search. The GIL is released while it runs."""


class Foreground:
    r"""Cuts the person out of depth images or clouds.

    camera              a Camera; for clouds any
    nearest, farthest   depths outside are nobody's, metres
    planes              find floor and walls, and remove them
    gate                points this near to the expected skin are the person's, metres
    points              at most this many of the person, evenly spread; 0: all
    background_points   at most this many rays that see past it; 0: all
    threads             0: one per core. Results do not depend on it"""
    def __init__(
        self, camera: Camera, *, nearest: float = ..., farthest: float = ..., planes: bool = ..., gate: float =
        ..., points: int = ..., background_points: int = ..., threads: int = ...
    ) -> None:
        r"""See the class."""
    def set_background(self, depth: NDArray[np.float32]) -> None:
        r"""A depth image of the scene without the person."""
    def cut(
        self, depth: NDArray[np.float32], expected: NDArray[np.float32] | None = ...
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        r"""Points and marks for Filter.track, of a depth image: float32 (H, W), metres, 0 where nothing was measured.

        expected: Filter.skin, where the person was last; None while it is looked for."""
    def cut_points(
        self, points: NDArray[np.float32], background: NDArray[np.bool_] | NDArray[np.uint8] | None = ...,
        expected: NDArray[np.float32] | None = ...
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        r"""The same of a cloud: float32 (I, 3), and marks where there are any."""
    @property
    def floor(self) -> tuple[float, float, float, float] | None:
        r"""The floor for Filter.track: (x, y, z, offset), None where none is seen.

        x, y, z is its unit normal, and x X + y Y + z Z + offset the height of a point above it."""


class Likelihood:
    r"""One frame's points, held against any number of poses.

    tau          distances are cut off here, in metres
    sigma        standard deviation of a point about the skin, in metres
    association  'nearest': the capsule surface nearest to the point along its ray; 'first-hit': the one met first
    camera       where all rays start
    free_space   points marked as background cost 0 when their ray meets nothing before them, tau^2 otherwise
    backend      'auto', 'reference', 'cpu' or 'cuda'
    threads      for the CPU work; 0: one per core. Results do not depend on it
    devices      GPUs that share the poses: 'all', '0,2' or numbers; None: the first. Results do not depend on it

    Raises kinema.Error where the settings make no sense or the backend is not there."""
    def __init__(
        self, *, tau: float = ..., sigma: float = ..., association: str = ..., camera: Sequence[float] = ...,
        free_space: bool = ..., backend: str = ..., threads: int = ..., devices: str | Sequence[int] | None =
        ...
    ) -> None:
        r"""See the class."""
    @property
    def backend(self) -> str:
        r"""The backend that was chosen."""
    def set_points(
        self, points: NDArray[np.float32], background: NDArray[np.bool_] | NDArray[np.uint8] | None = ...
    ) -> tuple[int, int]:
        r"""The points of a frame: float32 (I, 3); optionally a bool or uint8 mark (I,) for background points.

        Returns (used, dropped): dropped points are not finite, or lie at the camera itself."""
    def evaluate(self, capsules: NDArray[np.float32]) -> NDArray[np.float64]:
        r"""log p of the points for each of J poses, without its constant: float64 (J,).

        capsules: float32 (J, K, 7), each ax ay az r bx by bz. The GIL is released while it runs."""


class PosesWriter:
    r"""Writes estimates to poses.jsonl, or a table where the name ends in .csv.

    The file appears at commit(); until then its lines stand in NAME.partial.

        with PosesWriter("poses.jsonl", tracker.skeleton) as poses:
            poses.add(estimate)

    commits at the end of the block, unless an exception leaves it."""
    def __init__(self, path: str | os.PathLike[str], skeleton: Skeleton, people: bool = ...) -> None:
        r"""The file, and the person whose joints it names: Tracker.skeleton.

        people: lines have the numbers of people."""
    def add(self, estimate: Estimate) -> None:
        r"""Writes a frame, also one in which nobody was found."""
    def commit(self) -> None:
        r"""The file is complete: NAME.partial takes its name."""
    def __enter__(self) -> PosesWriter:
        r"""Itself."""
    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        r"""Commits, unless there is an exception."""


class Skeleton:
    r"""A person as a tree of joints with a skin of capsules."""
    @property
    def joints(self) -> list[str]:
        r"""The names of the joints, in the order of Estimate.joints."""
    @property
    def capsules(self) -> int:
        r"""How many the skin has."""
    @property
    def angles(self) -> int:
        r"""How many degrees of freedom all joints have."""
    def save(self, path: str | os.PathLike[str]) -> None:
        r"""Writes a skeleton.json."""
    @property
    def name(self) -> str:
        r"""What its file calls it."""
    @property
    def height(self) -> float:
        r"""From sole to crown in the rest pose, metres."""


class Smoother:
    r"""Estimates of a Filter, corrected by what was seen after them.

    filter   whose estimates they are
    lag      how many later frames correct an estimate"""
    def __init__(self, filter: Filter, lag: int = ...) -> None:
        r"""See the class."""
    def add(
        self, time: float, points: NDArray[np.float32], background: NDArray[np.bool_] | NDArray[np.uint8],
        estimate: Estimate
    ) -> list[Estimate]:
        r"""What Filter.track was given, and its estimate. Returns the Estimates that are settled by now.

        Each that was added comes back once, in order."""
    def finish(self) -> list[Estimate]:
        r"""All that are not settled yet."""


class Tracker:
    r"""Follows a person, or several, through the frames of one camera.

    Tracker(settings=None, backend='auto', **changes): TrackerSettings, 'auto', 'reference', 'cpu' or 'cuda', and any of the
    settings by name.

    The first frame, and any after the person was lost, starts a search. The GIL is released while it runs."""
    def __init__(
        self, settings: TrackerSettings | None = ..., backend: str = ..., threads: int = ..., devices: str |
        Sequence[int] | None = ..., *, people: int = ..., camera: Camera = ..., baseline: float = ..., skeleton:
        Skeleton = ..., fit_shape: bool = ..., height_known: bool = ..., lag: int = ..., particles: int = ...,
        layers: int = ..., refined: int = ..., rivals: int = ..., independent_points: float = ..., tempered:
        bool = ..., unperturbed_particle: bool = ..., steady: bool = ..., rest_cutoff: float = ...,
        sensor_noise: float = ..., shared_noise: float = ..., points: int = ..., background_points: int = ...,
        seed: int = ..., nearest: float = ..., farthest: float = ..., planes: bool = ..., cut_out: str = ...
    ) -> None:
        r"""See the class."""
    @overload
    def track(self, depth: NDArray[np.float32], time: float) -> Estimate:
        r"""The Estimate of a depth image: float32 (H, W), metres, 0 where nothing was measured; time in seconds."""
    @overload
    def track(self, frame: kinema.io.Frame) -> Estimate:
        r"""The Estimate of the next frame of a source. A frame with a gap is skipped."""
    def track_points(
        self, points: NDArray[np.float32], time: float, background: NDArray[np.bool_] | NDArray[np.uint8] | None
        = ...
    ) -> Estimate:
        r"""The Estimate of a cloud: float32 (I, 3), with marks where rays past the person are known."""
    def track_pair(self, left: NDArray[np.uint8], right: NDArray[np.uint8], time: float) -> Estimate:
        r"""The Estimate of a rectified stereo pair: uint8 (H, W) each."""
    @property
    def people(self) -> list[Estimate]:
        r"""The Estimates of everybody in the last frame, by their numbers; one that says why if there is nobody.

        track() gives the first of them."""
    def choose(self, x: float, y: float) -> None:
        r"""Follows whoever is at this pixel of the next frame; of several people, first of all.

        Where one person is followed, nobody else is until somebody is there."""
    def settled(self) -> list[Estimate]:
        r"""Estimates that `lag` later frames have settled since the last call, oldest first.

        Each frame comes back once, with corrected joints and deviations; of several people all of a frame, one after another."""
    def finish(self) -> list[Estimate]:
        r"""Settles all frames that are left."""
    def keep_up(self, fps: float) -> None:
        r"""Keeps up with a live source of this many frames per second.

        track() measures itself, and takes fewer particles and points while frames take too long or the source drops some.
        Numbers that the settings gave are kept."""
    @property
    def pace(self) -> tuple[int, int, int]:
        r"""What keep_up() chose: particles, points, and how many times rarer searches for rivals are than usual."""
    def set_faces(self, faces: Sequence[FaceObservation], ms: float = ...) -> None:
        r"""FaceObservations of the next frame, which tell the person's front from the back.

        See kinema.person.FaceObserver. None: the points alone decide. ms: what looking for them took, for keep_up()."""
    @property
    def skeleton(self) -> Skeleton:
        r"""The person as fitted so far."""
    def set_background(self, depth: NDArray[np.float32]) -> None:
        r"""A depth image of the scene without the person, for a surer outline: float32 (H, W), metres."""
    @property
    def floor(self) -> tuple[float, float, float, float] | None:
        r"""The floor: (x, y, z, offset); None where none is seen.

        x, y, z is its unit normal, and x X + y Y + z Z + offset the height of a point above it."""
    @property
    def points(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        r"""The person in the last frame: points and marks, float32 (I, 3) and bool (I,).

        Marked points are where rays past the person ended."""
    def set_counts(self, particles: int = ..., points: int = ..., search_rest: int = ...) -> None:
        r"""Other numbers of particles and points from the next frame on; 0: what this machine holds.

        search_rest: rivals of the pose are looked for this many times more rarely than usual."""
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
    r"""What a Tracker is made with; by name: TrackerSettings(lag=0, particles=500)."""
    def __init__(
        self, *, people: int = ..., camera: Camera = ..., baseline: float = ..., skeleton: Skeleton = ...,
        fit_shape: bool = ..., height_known: bool = ..., lag: int = ..., particles: int = ..., layers: int =
        ..., refined: int = ..., rivals: int = ..., independent_points: float = ..., tempered: bool = ...,
        unperturbed_particle: bool = ..., steady: bool = ..., rest_cutoff: float = ..., sensor_noise: float =
        ..., shared_noise: float = ..., points: int = ..., background_points: int = ..., seed: int = ...,
        nearest: float = ..., farthest: float = ..., planes: bool = ..., cut_out: str = ...
    ) -> None:
        r"""Settings by name; the others have their defaults."""
    @property
    def people(self) -> int:
        r"""How many are followed at most, each with a number; 1: the one most like a person, 0: all."""
    @people.setter
    def people(self, value: int) -> None: ...
    @property
    def camera(self) -> Camera:
        r"""Of depth images and stereo pairs; not needed for clouds."""
    @camera.setter
    def camera(self, value: Camera) -> None: ...
    @property
    def baseline(self) -> float:
        r"""Metres between the cameras of a stereo pair; above 0: depth comes from such pairs."""
    @baseline.setter
    def baseline(self, value: float) -> None: ...
    @property
    def skeleton(self) -> Skeleton:
        r"""The person; by default an average human."""
    @skeleton.setter
    def skeleton(self, value: Skeleton) -> None: ...
    @property
    def fit_shape(self) -> bool:
        r"""Fit lengths and radii of the skeleton to the person who is seen."""
    @fit_shape.setter
    def fit_shape(self, value: bool) -> None: ...
    @property
    def height_known(self) -> bool:
        r"""The skeleton is as tall as the person: fit_shape fits proportions only."""
    @height_known.setter
    def height_known(self, value: bool) -> None: ...
    @property
    def lag(self) -> int:
        r"""How many later frames correct an estimate before it is settled; 0: none."""
    @lag.setter
    def lag(self, value: int) -> None: ...
    @property
    def particles(self) -> int:
        r"""Poses tried in a layer; 0: what this machine holds."""
    @particles.setter
    def particles(self, value: int) -> None: ...
    @property
    def layers(self) -> int:
        r"""Annealing layers."""
    @layers.setter
    def layers(self, value: int) -> None: ...
    @property
    def refined(self) -> int:
        r"""Poses that are refined by least squares; 0: none."""
    @refined.setter
    def refined(self, value: int) -> None: ...
    @property
    def rivals(self) -> int:
        r"""Alternative poses that each frame is held against; 0: none."""
    @rivals.setter
    def rivals(self, value: int) -> None: ...
    @property
    def independent_points(self) -> float:
        r"""The number of a frame's points that count as independent evidence."""
    @independent_points.setter
    def independent_points(self, value: float) -> None: ...
    @property
    def tempered(self) -> bool:
        r"""Weights are the likelihood to the power of independent_points over the number of points; False: the likelihood itself."""
    @tempered.setter
    def tempered(self, value: bool) -> None: ...
    @property
    def unperturbed_particle(self) -> bool:
        r"""One particle is moved without noise."""
    @unperturbed_particle.setter
    def unperturbed_particle(self, value: bool) -> None: ...
    @property
    def steady(self) -> bool:
        r"""The estimate at once is held to the motion of the last frames; False: the mean of the particles."""
    @steady.setter
    def steady(self, value: bool) -> None: ...
    @property
    def rest_cutoff(self) -> float:
        r"""Cutoff of joints at rest in immediate estimates, hertz; lower is steadier, 0: no low pass."""
    @rest_cutoff.setter
    def rest_cutoff(self, value: float) -> None: ...
    @property
    def sensor_noise(self) -> float:
        r"""Standard deviation of a depth at 1 m, metres; it grows with the square of the distance."""
    @sensor_noise.setter
    def sensor_noise(self, value: float) -> None: ...
    @property
    def shared_noise(self) -> float:
        r"""The part of it that all points have in common, as those of matched stereo pairs do."""
    @shared_noise.setter
    def shared_noise(self, value: float) -> None: ...
    @property
    def points(self) -> int:
        r"""Of the person that are kept of a frame; 0: what this machine holds."""
    @points.setter
    def points(self, value: int) -> None: ...
    @property
    def background_points(self) -> int:
        r"""Likewise of the rays that see past the person."""
    @background_points.setter
    def background_points(self, value: int) -> None: ...
    @property
    def seed(self) -> int:
        r"""The same gives the same bits."""
    @seed.setter
    def seed(self, value: int) -> None: ...
    @property
    def nearest(self) -> float:
        r"""Nearer depths are nobody's, metres."""
    @nearest.setter
    def nearest(self, value: float) -> None: ...
    @property
    def farthest(self) -> float:
        r"""Depths beyond are nobody's, metres."""
    @farthest.setter
    def farthest(self, value: float) -> None: ...
    @property
    def planes(self) -> bool:
        r"""Find floor and walls, and remove them."""
    @planes.setter
    def planes(self, value: bool) -> None: ...
    @property
    def cut_out(self) -> str:
        r"""Whether depth images hold only the person: 'auto', 'yes' or 'no'. Empty pixels are then rays past the person."""
    @cut_out.setter
    def cut_out(self, value: str) -> None: ...


def default_human(height: float = ...) -> Skeleton:
    r"""A grown-up of 21 joints, 46 degrees of freedom and 40 capsules, of this height in metres."""


def paper_settings() -> TrackerSettings:
    r"""The plain filter of the paper; see docs/body-method.md."""


def read_skeleton(path: str | os.PathLike[str]) -> Skeleton:
    r"""The person of a skeleton.json."""


def settings_for(
    recording: kinema.io.Recording, *, people: int = ..., camera: Camera = ..., baseline: float = ..., skeleton:
    Skeleton = ..., fit_shape: bool = ..., height_known: bool = ..., lag: int = ..., particles: int = ...,
    layers: int = ..., refined: int = ..., rivals: int = ..., independent_points: float = ..., tempered: bool =
    ..., unperturbed_particle: bool = ..., steady: bool = ..., rest_cutoff: float = ..., sensor_noise: float =
    ..., shared_noise: float = ..., points: int = ..., background_points: int = ..., seed: int = ..., nearest:
    float = ..., farthest: float = ..., planes: bool = ..., cut_out: str = ...
) -> TrackerSettings:
    r"""TrackerSettings for a recording: with its camera, and the person of its skeleton.json where there is one."""


def track(
    recording: kinema.io.Recording | str | os.PathLike[str] | Sequence[str | os.PathLike[str]], settings:
    TrackerSettings | None = ..., backend: str = ..., threads: int = ..., devices: str | Sequence[int] | None =
    ..., *, people: int = ..., camera: Camera = ..., baseline: float = ..., skeleton: Skeleton = ..., fit_shape:
    bool = ..., height_known: bool = ..., lag: int = ..., particles: int = ..., layers: int = ..., refined: int
    = ..., rivals: int = ..., independent_points: float = ..., tempered: bool = ..., unperturbed_particle: bool
    = ..., steady: bool = ..., rest_cutoff: float = ..., sensor_noise: float = ..., shared_noise: float = ...,
    points: int = ..., background_points: int = ..., seed: int = ..., nearest: float = ..., farthest: float =
    ..., planes: bool = ..., cut_out: str = ...
) -> Iterator[Estimate]:
    r"""Yields the Estimate of each frame of a recording once later frames have settled it, oldest first.

    recording  an io.Recording, or what io.open_recording takes
    settings   TrackerSettings; None: those for this recording, with any of the settings by name
    backend, threads, devices  as for Tracker

        for pose in body.track("walk", lag=30):
            print(pose.frame, pose.joint["left_knee"])"""
