"""kinema tracks people with models instead of networks.

kinema.body     a person from depth images, stereo pairs or point clouds: the tracker and its parts
kinema.head     a head from colour frames, by the colours of its skin
kinema.face     a face from grey images: appearance models
kinema.person   one person in front of a webcam: position, rotation and expression of the head
kinema.io       recordings: frames from files
kinema.stereo   disparities of stereo pairs
kinema.devices  what this build includes and this machine provides
kinema.to_dataframe  estimates of any tracker as a table of pandas
kinema.Error    invalid input, or a failure at run time; its message is one line

Metres, radians, seconds. Camera frame: x right, y down, z forward. Pixels count from 0 at the centre of the first.
"""

# written by scripts/make_stubs.py
from collections.abc import Iterable
from typing import Any

import kinema.body
import pandas  # type: ignore
from kinema import body as body
from kinema import face as face
from kinema import head as head
from kinema import io as io
from kinema import person as person
from kinema import stereo as stereo

__version__: str


class Error(Exception):
    """Invalid input, or a failure at run time; its message is one line."""


def devices() -> dict[str, Any]:
    r"""devices() -> dict

    What this build holds and what this machine offers: version, the backends that can be asked for, GPUs, SIMD level, threads, CUDA toolkit ('' where CUDA is not built in)."""


def to_dataframe(
    estimates: Iterable[kinema.body.Estimate | kinema.head.Estimate | kinema.face.Estimate |
    kinema.person.Estimate]
) -> pandas.DataFrame:
    r"""A pandas.DataFrame with a row for each Estimate of a tracker: of body, head, face or person.

    Metres, pixels and seconds; angles in degrees. What is not known in a frame is NaN. Columns of the body are those of
    poses.csv: frame, time, left_knee_x, left_knee_std, left_knee_flexion, ..."""
