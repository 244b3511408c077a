"""The loop that most programs write: a recording in, settled estimates out."""

from kinema import _kinema


def track(recording, settings=None, backend="auto", threads=0, devices=None, **changes):
    """Yields the Estimate of each frame of a recording once later frames have settled it, oldest first.

    recording  an io.Recording, or what io.open_recording takes
    settings   TrackerSettings; None: those for this recording, with any of the settings by name
    backend, threads, devices  as for Tracker

        for pose in body.track("walk", lag=30):
            print(pose.frame, pose.joint["left_knee"])
    """
    if not isinstance(recording, _kinema.io.Recording):
        recording = _kinema.io.open_recording(recording)
    if settings is None:
        settings, changes = _kinema.body.settings_for(recording, **changes), {}
    tracker = _kinema.body.Tracker(settings, backend, threads, devices, **changes)
    return _settled(tracker, recording)


def _settled(tracker, recording):
    for frame in recording:
        tracker.track(frame)
        yield from tracker.settled()
    yield from tracker.finish()
