"""Estimates as a table of pandas."""

import math

from kinema import _kinema


def _person(estimate):
    """The columns of poses.csv, docs/poses.md."""
    row = {"frame": estimate.frame, "time": estimate.time, "found": estimate.found, "why": estimate.why}
    if not estimate.found:
        return row
    row["confidence"] = estimate.confidence
    for (name, place), deviation in zip(estimate.joint.items(), estimate.deviation):
        row.update({f"{name}_x": place[0], f"{name}_y": place[1], f"{name}_z": place[2], f"{name}_std": deviation})
    for name, (angle, deviation) in estimate.anatomical.items():
        row.update({name: math.degrees(angle), f"{name}_std": math.degrees(deviation)})
    return row


def _common(estimate):
    return {"time": estimate.time, "found": estimate.found, "why": estimate.why, "confidence": estimate.confidence}


def _place(position):
    return {} if position is None else dict(zip(("position_x", "position_y", "position_z"), position))


def _pose(pose):
    if pose is None:
        return {}
    return {"yaw": pose.yaw, "pitch": pose.pitch, "roll": pose.roll, **pose.expression}


def _landmarks(landmarks):
    return {f"{axis}{i}": value for i, point in enumerate(landmarks) for axis, value in zip("xy", point)}


def _head(estimate):
    row = _common(estimate)
    if estimate.found:
        row.update(x=estimate.x, y=estimate.y, area=estimate.area, distance=estimate.distance,
                   **_place(estimate.position))
    return row


def _face(estimate):
    row = _common(estimate)
    if estimate.found:
        place = estimate.head.position if estimate.head is not None else None
        row.update(**_pose(estimate.head), **_place(place), **_landmarks(estimate.landmarks))
    return row


def _before_camera(estimate):
    row = _common(estimate)
    if estimate.found:
        row.update(x=estimate.x, y=estimate.y, **_pose(estimate.pose), **_place(estimate.position),
                   **_landmarks(estimate.landmarks))
    return row


_ROWS = {
    _kinema.body.Estimate: _person,
    _kinema.head.Estimate: _head,
    _kinema.face.Estimate: _face,
    _kinema.person.Estimate: _before_camera,
}


def to_dataframe(estimates):
    """A pandas.DataFrame with a row for each Estimate of a tracker: of body, head, face or person.

    Metres, pixels and seconds; angles in degrees. What is not known in a frame is NaN. Columns of the body are those of
    poses.csv: frame, time, left_knee_x, left_knee_std, left_knee_flexion, ...
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_dataframe() needs pandas: pip install pandas (Debian: python3-pandas)") from error
    rows = []
    for estimate in estimates:
        row = _ROWS.get(type(estimate))
        if row is None:
            raise TypeError(f"to_dataframe() takes estimates of a tracker, not {type(estimate).__name__}")
        rows.append(row(estimate))
    return pandas.DataFrame(rows)
