"""The package as Python programmers know packages: texts, copies, slices, with, tables, messages in its own words."""

import copy
import os
import pathlib
import pickle
import re
import shutil
import sys
import tempfile
import unittest
import unittest.mock

try:
    import numpy as np
except ImportError:
    print(f"skipped: {sys.executable} has no numpy (Debian: python3-numpy)")
    sys.exit(77)

import kinema
import objects
from kinema import body, face, io

COMMAND = os.environ["KINEMA_COMMAND"]
CLIP = os.environ["KINEMA_CLIP"]


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.walk = objects.simulated(COMMAND, CLIP, cls.folder / "walk")
        cls.values, *_ = objects.values(io.open_recording(cls.walk))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_every_object_says_what_is_inside(self):
        for name, value in {**self.values, **objects.others(io.open_recording(self.walk), self.folder)}.items():
            with self.subTest(name):
                self.assertRegex(repr(value), r"^\w+\(.*\)$")
        person = self.values["body"]
        self.assertRegex(repr(person), r"^Estimate\(frame=0, found, 21 joints, ±\d+ mm\)$")
        self.assertEqual(repr(self.values["nobody"]), "Estimate(frame=0, not found: nobody in sight)")
        self.assertEqual(repr(self.values["camera"]), "Camera(64, 48, fx=60, fy=60, cx=31.5, cy=23.5)")
        self.assertRegex(repr(self.values["settings"]), r"^TrackerSettings\(camera=Camera.*lag=3, particles=50, .*'no'")
        self.assertEqual(repr(body.TrackerSettings()), "TrackerSettings()")
        self.assertRegex(repr(io.open_recording(self.walk)), r"walk', 4 frames, \d+ x \d+, depth, 30 fps\)")

    def test_joints_have_names(self):
        person = self.values["body"]
        self.assertEqual(person.joint_names, self.values["skeleton"].joints)
        self.assertEqual(list(person.joint), person.joint_names)
        knee = person.joint_names.index("left_knee")
        np.testing.assert_array_equal(person.joint["left_knee"], person.joints[knee])
        self.assertEqual(self.values["nobody"].joint, {})

    def test_copies_are_equal(self):
        for name, value in self.values.items():
            with self.subTest(name):
                state = value.__getstate__()
                self.assertEqual(pickle.loads(pickle.dumps(value)).__getstate__(), state)
                self.assertEqual(copy.deepcopy(value).__getstate__(), state)
        again = pickle.loads(pickle.dumps(self.values["body"]))
        np.testing.assert_array_equal(again.joints, self.values["body"].joints)
        self.assertEqual(again.anatomical, self.values["body"].anatomical)
        self.assertEqual(again.skeleton.joints, self.values["body"].skeleton.joints)

    def test_a_pickle_of_something_else_is_refused(self):
        with self.assertRaisesRegex(kinema.Error, "another version"):
            body.Camera.__new__(body.Camera).__setstate__((1, 2))

    def test_a_copied_frame_is_tracked_as_the_frame_itself(self):
        joints = []
        for frame in (self.values["frame"], copy.deepcopy(self.values["frame"])):
            tracker = body.Tracker(body.settings_for(io.open_recording(self.walk)), "cpu", particles=50, lag=0)
            joints.append(tracker.track(frame).joints)
        np.testing.assert_array_equal(*joints)

    def test_estimates_become_a_table(self):
        estimates = [self.values["body"], self.values["nobody"]]
        try:
            import pandas
        except ImportError:
            with self.assertRaisesRegex(ImportError, "needs pandas"):
                kinema.to_dataframe(estimates)
            self.skipTest("there is no pandas (Debian: python3-pandas)")
        table = kinema.to_dataframe(estimates)
        self.assertEqual(list(table.found), [True, False])
        self.assertEqual(table.left_knee_x[0], self.values["body"].joint["left_knee"][0])
        self.assertTrue(np.isnan(table.left_knee_x[1]))
        self.assertAlmostEqual(table.left_knee_flexion[0],
                               np.degrees(self.values["body"].anatomical["left_knee_flexion"][0]))
        for name, column in (("head", "distance"), ("face", "x0"), ("person", "x")):
            self.assertIn(column, kinema.to_dataframe([self.values[name]]).columns)
        with self.assertRaisesRegex(TypeError, "not Camera"):
            kinema.to_dataframe([self.values["camera"]])

    def test_without_pandas_a_table_says_what_is_missing(self):
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "pip install pandas"):
                kinema.to_dataframe([])


class Recordings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.walk = objects.simulated(COMMAND, CLIP, cls.folder / "walk", frames=7)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_parts_of_a_recording_are_those_of_a_list(self):
        recording = io.open_recording(self.walk)
        self.assertEqual(len(recording), 7)
        whole = [frame.index for frame in recording]
        for part in (slice(2, 5), slice(None, None, 3), slice(-2, None), slice(5, 100), slice(3, 3), slice(1, -1, 2)):
            with self.subTest(part):
                self.assertEqual([frame.index for frame in recording[part]], whole[part])
                self.assertEqual(len(recording[part]), len(whole[part]))
        self.assertEqual([frame.index for frame in recording[1:][::2][1:]], whole[1:][::2][1:])
        self.assertEqual((recording[2].index, recording[-1].index), (whole[2], whole[-1]))
        np.testing.assert_array_equal(recording[2].depth, recording[2:3][0].depth)
        for place in (7, -8):
            with self.assertRaises(IndexError):
                recording[place]
        with self.assertRaisesRegex(kinema.Error, "in their order"):
            recording[::-1]
        with self.assertRaises(ValueError):
            recording[::0]
        self.assertTrue(recording)

    def test_settings_of_a_recording_are_arguments(self):
        recording = io.open_recording(self.walk, fps=15, colour=False)
        self.assertEqual(recording.fps, 15)
        self.assertIsNone(recording.background)
        self.assertFalse(recording.live)
        self.assertEqual(recording.truth, self.walk / "truth.jsonl")
        files = sorted(str(path) for path in (self.walk / "depth").glob("*.png"))
        self.assertEqual(len(io.open_recording(files, camera_files=[self.walk / "camera.json"])), 7)
        # in the words of Python
        alone = self.folder / "alone"
        alone.mkdir()
        with self.assertRaisesRegex(kinema.Error, "camera_files="):
            io.open_recording(shutil.copy(files[0], alone))
        with self.assertRaisesRegex(kinema.Error, "must be a path"):
            io.open_recording(3)

    def test_the_loop_in_one_call(self):
        def joints(settled):
            return [estimate.joints for estimate in settled]

        recording = io.open_recording(self.walk)
        tracker = body.Tracker(body.settings_for(recording, particles=50, lag=2), "cpu")
        expected = []
        for frame in recording:
            tracker.track(frame)
            expected += tracker.settled()
        expected += tracker.finish()
        for given in (self.walk, str(self.walk), io.open_recording(self.walk)):
            found = list(body.track(given, backend="cpu", particles=50, lag=2))
            self.assertEqual([estimate.frame for estimate in found], list(range(7)))
            for one, other in zip(joints(found), joints(expected)):
                np.testing.assert_array_equal(one, other)
        with self.assertRaises(AttributeError):
            body.track(self.walk, legs=3)

    def test_a_writer_commits_unless_an_exception_leaves_its_block(self):
        estimates = list(body.track(io.open_recording(self.walk)[:2], backend="cpu", particles=50))
        target = self.folder / "poses.jsonl"
        with self.assertRaises(ZeroDivisionError):
            with body.PosesWriter(target, estimates[0].skeleton) as poses:
                poses.add(estimates[0])
                1 / 0
        self.assertFalse(target.exists())
        with body.PosesWriter(target, estimates[0].skeleton) as poses:
            for estimate in estimates:
                poses.add(estimate)
        self.assertEqual(len(target.read_text().splitlines()), 2)
        with self.assertRaisesRegex(kinema.Error, "closed"):
            poses.add(estimates[0])

    def test_what_the_tracker_knows_of_the_scene(self):
        recording = io.open_recording(self.walk)
        tracker = body.Tracker(body.settings_for(recording), "cpu", particles=50, lag=0)
        tracker.set_background(np.full((recording.camera.height, recording.camera.width), 6, np.float32))
        tracker.track(recording[0])
        points, marks = tracker.points
        self.assertEqual((points.shape[1], points.dtype, marks.dtype), (3, np.float32, np.bool_))
        self.assertEqual(len(points), len(marks))
        self.assertTrue(tracker.floor is None or len(tracker.floor) == 4)
        tracker.set_counts(particles=20)
        self.assertEqual(tracker.track(recording[1]).frame, 1)
        with self.assertRaisesRegex(kinema.Error, "time goes backwards"):
            tracker.track(recording[0])

    def test_colour_frames_of_pictures(self):
        for number in range(3):
            (self.folder / f"picture_{number}.ppm").write_bytes(b"P6 6 4 255\n" + bytes([250, number, 3] * 24))
        source = io.open_colour(str(self.folder / "picture_%d.ppm"), fps=10)
        self.assertEqual((len(source), source.fps, source.guessed_fps, source.live), (3, 10, False, False))
        frames = list(source)
        self.assertEqual([frame.time for frame in frames], [0, 0.1, 0.2])
        self.assertEqual(frames[2].colour.shape, (4, 6, 3))
        self.assertEqual(frames[2].colour[0, 0].tolist(), [3, 2, 250])
        self.assertIsNone(frames[2].depth)
        with self.assertRaises(kinema.Error):
            io.open_colour(self.folder / "no-such-folder")

    def test_the_detector_finds_no_face_in_nothing(self):
        try:
            detector = face.Detector()
        except kinema.Error as error:
            self.assertRegex(str(error), r"Debian|OpenCV")
            self.skipTest("no face detector is installed")
        self.assertEqual(detector(np.full((200, 200), 90, np.uint8)), [])
        with self.assertRaisesRegex(kinema.Error, "no-such.xml"):
            face.Detector("no-such.xml")


class Words(unittest.TestCase):
    # of the library, which may reach Python; readers of other formats and folders of the command are not called from it
    FOLDERS = ("src/core", "src/body", "src/head", "src/face", "src/person", "src/stereo", "src/io/cameras",
               "src/io/recordings", "src/io/sources", "src/io/faces", "src/io/pictures", "src/io/files")
    COMMAND_ALONE = {"simulated_recording.cpp", "source_schemes.cpp"}

    def test_options_of_the_command_become_arguments(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        known = re.findall(r'\{"(--[a-z-]+)', (root / "python" / "module.cpp").read_text())
        self.assertIn("--fps", known)
        for folder in self.FOLDERS:
            for path in (root / folder).rglob("*.c[pu]*"):
                if path.name in self.COMMAND_ALONE:
                    continue
                for line in path.read_text().splitlines():
                    for text in re.findall(r'"(?:[^"\\]|\\.)*"', line.partition("//")[0]):
                        for option in re.findall(r"--[a-z][a-z-]+", text):
                            self.assertIn(option, known, f"{path}: {text}")


if __name__ == "__main__":
    unittest.main()
