"""One object of each kind that the package makes, for tests that ask all of them the same."""

import pathlib
import subprocess

import numpy as np

from kinema import body, face, head, io, person, stereo

CAMERA = body.Camera(64, 48, 60, 60, 31.5, 23.5)


def simulated(command, clip, folder, mode="depth", frames=4):
    """A short recording, and its folder."""
    subprocess.run([command, "body", "simulate", "--motion", clip, "--mode", mode, "--frames", str(frames), "--out",
                    folder], check=True, capture_output=True)
    return folder


def portrait():
    """A face-coloured ellipse before a bluish wall."""
    image = np.full((120, 160, 3), (90, 110, 130), np.uint8)
    v, u = np.mgrid[:120, :160]
    image[((u - 80) / 20) ** 2 + ((v - 60) / 26) ** 2 < 1] = (200, 150, 120)
    return image


def small_model():
    rng = np.random.default_rng(3)
    shape = np.array([[-2, -2], [2, -2], [-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1], [-2, 2], [2, 2], [0, 2.5]])
    landmarks = [(shape * (14 + number) + [80, 80] + rng.normal(0, 2, shape.shape)).astype(np.float32)
                 for number in range(9)]
    v, u = np.mgrid[:160, :160]
    images = []
    for points in landmarks:
        image = np.full((160, 160), 200.0)
        for x, y in points:
            image -= 80 * np.exp(-((u - x) ** 2 + (v - y) ** 2) / 30)
        images.append(image.clip(0, 255).astype(np.uint8))
    return face.train(images, landmarks, pixels=400, levels=1), images, landmarks


def values(recording):
    """By name: settings, estimates and frames, which can be copied."""
    tracker = body.Tracker(body.settings_for(recording, seed=2), "cpu", lag=0)
    frame = recording[0]
    colours = head.calibrate(portrait(), (80, 60, 18, 24), distance=0.6, field_of_view=1.0)
    model, images, landmarks = small_model()
    shape = face.read_model().mean_shape
    mean = ((shape - shape.mean(axis=0)) * 60 + [330, 250]).astype(np.float32)
    of_face = face.Tracker(model, lost=1.0, backend="cpu")
    of_face.start(landmarks=landmarks[0])
    of_person = person.Tracker(face.read_model(), calibration=colours, backend="cpu")
    return {
        "camera": CAMERA,
        "skeleton": tracker.skeleton,
        "settings": body.TrackerSettings(lag=3, particles=50, cut_out="no", camera=CAMERA),
        "frame": frame,
        "body": tracker.track(frame),
        "nobody": body.Tracker(backend="cpu", lag=0).track_points(np.empty((0, 3), np.float32), 1.5),
        "observation": body.FaceObservation((0, 0, 1), (0, 0, -1), probability=0.9, distance=2),
        "calibration": colours,
        "histogram": head.calibrate(portrait(), (80, 60, 18, 24), classifier="histogram"),
        "head": head.Tracker(colours, backend="cpu").track(portrait(), 0.5),
        "fit": face.Fitter(model, backend="cpu").fit(images[0], landmarks=landmarks[0]),
        "face": of_face.track(images[0], 0.5),
        "pose": face.HeadPoseSolver().solve(mean, 640, 480),
        "person": of_person.track(portrait(), 0.5),
    }, model, of_face, of_person


def others(recording, folder):
    """By name: what works, and is not copied."""
    _, model, of_face, of_person = values(recording)
    tracker = body.Tracker(backend="cpu", lag=0)
    filter = body.Filter(backend="cpu")
    colours = pathlib.Path(folder) / "colours"
    colours.mkdir(exist_ok=True)
    (colours / "000.ppm").write_bytes(b"P6 4 4 255\n" + bytes(48))
    return {
        "recording": recording, "source": io.open_colour(str(colours / "%03d.ppm")), "tracker": tracker, "filter": filter,
        "smoother": body.Smoother(filter, lag=2), "foreground": body.Foreground(CAMERA),
        "likelihood": body.Likelihood(backend="cpu"), "writer": body.PosesWriter(f"{folder}/p.jsonl", tracker.skeleton),
        "model": model, "fitter": face.Fitter(model, backend="cpu"), "face tracker": of_face,
        "solver": face.HeadPoseSolver(), "person tracker": of_person,
        "observer": person.FaceObserver(face.read_model(), CAMERA),
        "matcher": stereo.Matcher(CAMERA, 0.1, backend="cpu"),
    }
