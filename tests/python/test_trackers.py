"""The trackers from Python: a person in points and in depth images, a head in colour frames, a face in grey ones."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print(f"skipped: {sys.executable} has no numpy (Debian: python3-numpy)")
    sys.exit(77)

import kinema
from kinema import body, face, head, io, person

COMMAND = os.environ["KINEMA_COMMAND"]
CLIP = os.environ["KINEMA_CLIP"]


class Body(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.recording = pathlib.Path(cls.folder.name) / "walk"
        subprocess.run([COMMAND, "body", "simulate", "--motion", CLIP, "--mode", "points", "--frames", "6", "--out",
                        cls.recording], check=True, capture_output=True)
        cls.frames = [np.load(path) for path in sorted((cls.recording / "points").glob("*.npy"))]
        cls.truth = [json.loads(line)["joints"] for line in (cls.recording / "truth.jsonl").read_text().splitlines()]
        camera = json.loads((cls.recording / "camera.json").read_text())
        cls.fps = camera["fps"]
        cls.camera = body.Camera(*(camera[key] for key in ("width", "height", "fx", "fy", "cx", "cy")))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def depth_image(self, points):
        camera = self.camera
        image = np.full((camera.height, camera.width), np.inf, np.float32)
        x, y, z = points.T
        u = np.rint(camera.fx * x / z + camera.cx).astype(int)
        v = np.rint(camera.fy * y / z + camera.cy).astype(int)
        seen = (u >= 0) & (u < camera.width) & (v >= 0) & (v < camera.height)
        np.minimum.at(image, (v[seen], u[seen]), z[seen])
        image[np.isinf(image)] = 0
        return image

    def mean_error(self, tracker, person, truth):
        names = tracker.skeleton.joints
        return np.mean([np.linalg.norm(person.joints[names.index(name)] - place) for name, place in truth.items()])

    def follow(self, cut):
        skeleton = body.read_skeleton(self.recording / "skeleton.json")
        tracker = body.Filter(skeleton=skeleton, fit_shape=False, backend="cpu")
        settings = tracker.settings
        foreground = body.Foreground(self.camera, points=settings.points, background_points=settings.background_points)
        smoother = body.Smoother(tracker, lag=2)
        smoothed = []
        self.assertIsNone(tracker.skin)
        for number, points in enumerate(self.frames):
            cloud, background = cut(foreground, points, tracker.skin)
            self.assertEqual(cloud.dtype, np.float32)
            self.assertEqual((cloud.shape[1], background.dtype), (3, np.bool_))
            person = tracker.track(number / self.fps, cloud, background, foreground.floor)
            self.assertTrue(person.found)
            smoothed += smoother.add(number / self.fps, cloud, background, person)
        with self.assertRaisesRegex(kinema.Error, "unit normal"):
            tracker.track(1.0, cloud, background, (0, -2, 0, 1))
        smoothed += smoother.finish()
        self.assertEqual(len(smoothed), len(self.frames))
        self.assertLess(self.mean_error(tracker, smoothed[0], self.truth[0]), 0.1)
        joints = len(tracker.skeleton.joints)
        self.assertEqual(person.joints.shape, (joints, 3))
        self.assertEqual(person.deviation.shape, (joints,))
        self.assertEqual(person.angles.shape, (tracker.skeleton.angles,))
        knee, deviation = smoothed[-1].anatomical["left_knee_flexion"]
        self.assertTrue(-0.1 < knee < 2.7 and 0 < deviation < 1)
        self.assertEqual(tracker.skin.shape, (tracker.skeleton.capsules, 7))
        self.assertAlmostEqual(np.linalg.norm(person.rotation), 1, places=5)
        self.assertIn("weigh", person.times)
        self.assertLess(self.mean_error(tracker, person, self.truth[-1]), 0.1)  # metres; the tracker's own tests ask more
        return foreground

    def test_points_are_followed(self):
        foreground = self.follow(lambda foreground, points, skin: foreground.cut_points(points, expected=skin))
        self.assertAlmostEqual(np.linalg.norm(foreground.floor[:3]), 1)

    def test_depth_images_are_followed(self):  # of few pixels, which show no floor
        self.follow(lambda foreground, points, skin: foreground.cut(self.depth_image(points), skin))

    def test_one_seed_gives_the_same_bits_on_any_number_of_devices(self):
        joints = []
        for devices in (None, "0,0,0"):
            tracker = body.Tracker(seed=3, backend="cpu", devices=devices)
            for number, points in enumerate(self.frames[:2]):
                person = tracker.track_points(np.ascontiguousarray(points[::8]), number / self.fps)
            joints.append(person.joints)
        np.testing.assert_array_equal(*joints)

    def torn_frames(self):
        """The frames of the recording, where the fourth is missing."""
        torn = pathlib.Path(self.folder.name) / "torn"
        shutil.copytree(self.recording, torn, dirs_exist_ok=True)
        sorted((torn / "points").glob("*.npy"))[3].unlink()
        return list(io.open_recording(torn))

    def test_frames_of_a_recording_are_tracked_and_gaps_skipped(self):
        frames = self.torn_frames()
        tracker = body.Tracker(seed=3, backend="cpu", lag=0, particles=40, points=800)
        people = [tracker.track(frame) for frame in frames]
        self.assertEqual([person.found for person in people], [number != 3 for number in range(6)])
        self.assertEqual((people[3].why, people[3].time), (frames[3].gap, frames[3].time))
        self.assertTrue(all(a.time < b.time for a, b in zip(people, people[1:])))
        skipped = tracker.skip(1.0, "the lamp went out")
        self.assertEqual((skipped.found, skipped.why, skipped.time), (False, "the lamp went out", 1.0))

    def test_every_tracker_skips_a_frame_with_a_gap(self):
        gap = self.torn_frames()[3]
        colours = head.calibrate(scene(160, 120), (160, 120, 28, 38))
        model = face.read_model()
        for tracker in (body.Tracker(backend="cpu"), head.Tracker(colours), face.Tracker(model), person.Tracker(model)):
            nobody = tracker.track(gap)
            self.assertEqual((nobody.found, nobody.why, nobody.time), (False, gap.gap, gap.time))
            tracker.restart()
            self.assertIn(tracker.backend, ("cpu", "cuda"))
            self.assertEqual(type(tracker.settings).__name__, "TrackerSettings")
        with self.assertRaisesRegex(kinema.Error, "without pixels"):
            head.Tracker(colours).track(self.torn_frames()[0])  # of points

    def test_a_restarted_tracker_searches_again(self):
        tracker = body.Tracker(seed=3, backend="cpu", lag=0, particles=40, points=800, rivals=0)
        found = []
        for number in range(3):
            if number == 2:
                tracker.restart()
            found.append("search" in tracker.track_points(self.frames[number], number / self.fps).times)
        self.assertEqual(found, [True, False, True])

    def test_a_tracker_keeps_up_with_fewer_points(self):
        tracker = body.Tracker(seed=3, backend="cpu", lag=0, particles=40, rivals=0, fit_shape=False)
        most = tracker.pace
        self.assertEqual(most, (40, tracker.settings.points, 1))
        tracker.keep_up(1e9)  # frames per second, which leave no time
        for number in range(7):
            tracker.track_points(self.frames[0], number / 4)
        particles, points, search_rest = tracker.pace
        self.assertEqual((particles, search_rest), (40, 1))  # as the settings gave them
        self.assertLess(points, most[1])
        self.assertEqual(points, tracker.settings.points)

    def test_the_filter_of_the_paper_has_its_settings(self):
        paper = body.paper_settings()
        self.assertEqual((paper.layers, paper.refined, paper.rivals, paper.lag), (1, 0, 0, 0))
        self.assertFalse(paper.tempered or paper.unperturbed_particle or paper.fit_shape or paper.steady
                         or paper.rest_cutoff)

    def test_a_cut_out_person_is_set_by_a_word(self):
        self.assertEqual(body.TrackerSettings().cut_out, "auto")
        self.assertEqual(body.TrackerSettings(cut_out="no").cut_out, "no")
        with self.assertRaisesRegex(kinema.Error, "cut_out must be"):
            body.TrackerSettings(cut_out="maybe")

    def test_faces_are_given_with_a_frame(self):
        face = body.FaceObservation((0, 0, 1), (0, 0, -1), probability=0.9, distance=2)
        self.assertEqual((face.ray, face.direction, face.probability, face.distance), ((0, 0, 1), (0, 0, -1), 0.9, 2))
        tracker = body.Tracker(seed=3, backend="cpu", lag=0)
        points = np.ascontiguousarray(self.frames[0][::8])
        tracker.set_faces([face])
        self.assertEqual(len(tracker.track_points(points, 0).faces), 1)
        self.assertEqual(tracker.track_points(points, 1 / self.fps).faces, [])
        with self.assertRaisesRegex(kinema.Error, "a unit vector"):
            tracker.set_faces([body.FaceObservation((0, 0, 2), (0, 0, -1))])

    def test_nobody_is_found_in_nothing(self):
        nobody = body.Tracker(backend="cpu").track_points(np.empty((0, 3), np.float32), 0)
        self.assertEqual((nobody.found, nobody.why), (False, "nobody in sight"))

    def test_skeletons_come_back_from_files(self):
        path = pathlib.Path(self.folder.name) / "person.json"
        body.default_human(1.8).save(path)
        self.assertEqual(body.read_skeleton(path).joints, body.default_human().joints)

    def test_what_makes_no_sense_is_refused(self):
        with self.assertRaisesRegex(kinema.Error, "no-such.json"):
            body.read_skeleton("no-such.json")
        with self.assertRaisesRegex(kinema.Error, "layers"):
            body.Tracker(layers=0)
        with self.assertRaises(AttributeError):
            body.Tracker(legs=3)
        with self.assertRaisesRegex(TypeError, "^the setting lag cannot be 'many'$"):
            body.Tracker(lag="many")
        foreground = body.Foreground(self.camera)
        with self.assertRaisesRegex(kinema.Error, "millimetres"):
            foreground.cut(np.zeros((480, 640), np.uint16))
        with self.assertRaisesRegex(kinema.Error, r"\(K, 7\), not \(3,\)"):
            foreground.cut_points(self.frames[0], expected=np.zeros(3, np.float32))


def scene(x, y):
    """A face-coloured ellipse before a bluish wall with noise."""
    rng = np.random.default_rng(5)
    image = rng.normal([90, 110, 130], 4, (240, 320, 3))
    v, u = np.mgrid[:240, :320]
    image[((u - x) / 30) ** 2 + ((v - y) / 40) ** 2 < 1] += [110, 40, -10]
    return image.clip(0, 255).astype(np.uint8)


class Head(unittest.TestCase):
    def test_a_head_is_calibrated_and_followed(self):
        colours = head.calibrate(scene(160, 120), (160, 120, 28, 38), distance=0.6, field_of_view=1.0)
        self.assertGreater(colours.score, 0.8)
        self.assertGreater(colours.degree(200, 150, 120), 0.8)
        self.assertLess(colours.degree(90, 110, 130), 0.1)
        for order in ("rgb", "bgr"):
            tracker = head.Tracker(colours, order=order, backend="cpu")
            for step in range(8):
                x, y = 160 + 3 * step, 120 - step
                image = scene(x, y)
                place = tracker.track(image if order == "rgb" else np.ascontiguousarray(image[:, :, ::-1]), step / 30)
                self.assertTrue(place.found, place.why)
            self.assertLess(np.hypot(place.x - x, place.y - y), 2)
            self.assertAlmostEqual(place.distance, 0.6, delta=0.05)
            self.assertGreater(place.position[0], 0)
            self.assertEqual(len(place.oval), 4)
            self.assertEqual((place.time, place.why), (7 / 30, ""))
            self.assertTrue(0 < place.confidence <= 1)
            self.assertIn("find", place.times)
            self.assertEqual(tracker.backend, "cpu")
            filled = tracker.settings
            self.assertEqual((filled.mode, filled.smooth, filled.recalibrate), ("window", False, True))
            self.assertEqual((filled.reference_distance, filled.field_of_view), (0.6, 1.0))
            tracker.restart()
            self.assertTrue(tracker.track(image if order == "rgb" else np.ascontiguousarray(image[:, :, ::-1]), 1).found)

    def test_lists_parts_of_pictures_and_files(self):
        frames = [scene(150, 120), np.dstack([scene(170, 110), np.zeros((240, 320), np.uint8)])]
        colours = head.calibrate(frames, [(150, 120, 28, 38), (170, 110, 28, 38)], classifier="cbcr")
        self.assertEqual(colours.classifier, "cbcr")
        with tempfile.TemporaryDirectory() as folder:
            colours.save(f"{folder}/filter.json")
            again = head.read_filter(f"{folder}/filter.json")
        self.assertAlmostEqual(again.degree(200, 150, 120), colours.degree(200, 150, 120))
        place = head.Tracker(again, mode="plain").track(scene(160, 120)[40:200, 60:260], 0)
        self.assertLess(np.hypot(place.x - 100, place.y - 80), 1)

    def test_nothing_is_said_to_be_no_head(self):
        colours = head.calibrate(scene(160, 120), (160, 120, 28, 38))
        place = head.Tracker(colours).track(np.full((240, 320, 3), 100, np.uint8), 0)
        self.assertFalse(place.found)
        self.assertTrue(place.why)

    def test_what_makes_no_sense_is_refused(self):
        colours = head.calibrate(scene(160, 120), (160, 120, 28, 38))
        with self.assertRaisesRegex(kinema.Error, "order must be"):
            head.Tracker(colours, order="gbr")
        with self.assertRaisesRegex(kinema.Error, "mode must be"):
            head.Tracker(colours, mode="me")
        with self.assertRaisesRegex(kinema.Error, "uint8, not float64"):
            head.Tracker(colours).track(np.zeros((4, 4, 3)), 0)
        with self.assertRaisesRegex(kinema.Error, r"\(H, W, 3\) or"):
            head.Tracker(colours).track(np.zeros((4, 4, 2), np.uint8), 0)
        with self.assertRaisesRegex(kinema.Error, "neighbouring pixels"):
            head.Tracker(colours).track(scene(1, 1)[:, ::-1], 0)


SHAPE = np.array([[-2, -2], [2, -2], [-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1], [-2, 2], [2, 2], [0, 2.5]])


def drawn_face(number):
    """Dark blots on a light round ground, at landmarks that differ from face to face."""
    rng = np.random.default_rng(number)
    stretch = np.diag(1 + rng.normal(0, 0.12, 2))
    points = (SHAPE @ stretch * 14 + [80, 80] + rng.normal(0, 3, 2)).astype(np.float32)
    v, u = np.mgrid[:160, :160]
    image = 60 + 140 * np.exp(-(((u - points[4, 0]) / 60) ** 2 + ((v - points[4, 1]) / 60) ** 2) ** 2)
    for index, (x, y) in enumerate(points):
        image -= (50 + 5 * index) * np.exp(-((u - x) ** 2 + (v - y) ** 2) / (2 * (4 + index % 3) ** 2))
    return image.clip(0, 255).astype(np.uint8), points


class Face(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        images, landmarks = zip(*(drawn_face(number) for number in range(16)))
        cls.told = []
        cls.model = face.train(images, landmarks, pixels=800, levels=1, progress=lambda *said: cls.told.append(said))

    def test_a_model_is_trained_and_fitted(self):
        self.assertEqual((self.model.landmarks, self.model.examples), (10, 16))
        self.assertEqual(self.model.mean_shape.shape, (10, 2))
        self.assertTrue(self.told and 0 <= self.told[-1][1] <= 1)
        image, truth = drawn_face(100)
        fit = face.Fitter(self.model, backend="cpu").fit(image, landmarks=truth + np.float32(3))
        self.assertEqual(fit.landmarks.shape, (10, 2))
        self.assertEqual(fit.confidence.shape, (10,))
        self.assertLess(np.abs(fit.landmarks - truth).mean(), 1.5)  # pixels, of a face 56 wide
        self.assertTrue(0 <= fit.failure <= 1)
        left, top = truth.min(axis=0)
        width, height = truth.max(axis=0) - (left, top)
        boxed = face.Fitter(self.model, backend="cpu").fit(image, box=(left, top, width, height), detector=False)
        self.assertLess(np.abs(boxed.landmarks - truth).mean(), 3)

    def test_a_model_comes_back_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            self.model.save(f"{folder}/m.kface")
            again = face.read_model(f"{folder}/m.kface")
            image, truth = drawn_face(101)
            fits = [face.Fitter(model, backend="cpu").fit(image, landmarks=truth) for model in (self.model, again)]
        np.testing.assert_array_equal(fits[0].landmarks, fits[1].landmarks)

    def test_a_model_is_refined_on_images_that_are_labelled_otherwise(self):
        images, landmarks = zip(*(drawn_face(number) for number in range(200, 208)))
        refinement = face.refine(self.model, images, [shape + np.float32((0, 2)) for shape in landmarks])
        self.assertEqual(refinement.better, refinement.after < refinement.before)
        self.assertTrue(refinement.better)
        self.assertEqual(refinement.model.landmarks, 10)
        with self.assertRaisesRegex(kinema.Error, "at least 4"):
            face.refine(self.model, images[:3], landmarks[:3])

    def test_the_faces_of_a_film_are_labelled_by_the_model(self):
        image, truth = drawn_face(106)

        def detect(_):
            left, top = truth.min(axis=0)
            return [(left, top, *(truth.max(axis=0) - (left, top)))]

        found = face.film_faces(self.model, [image, image], detect=detect, trusted=1.0)
        self.assertLessEqual(len(found), 1)  # of two equal frames
        for picture, shape in found:
            np.testing.assert_array_equal(picture, image)
            self.assertEqual(shape.shape, truth.shape)

    def test_a_face_is_followed_once_a_detector_found_it(self):
        calls = []

        def detect(image):
            calls.append(image.shape)
            left, top = truth.min(axis=0)
            return [(left, top, *(truth.max(axis=0) - (left, top)))]

        tracker = face.Tracker(self.model, detect=detect, lost=1.0, backend="cpu")
        image, truth = drawn_face(102)
        self.assertTrue(tracker.track(image, 0.0).found)
        self.assertEqual(calls[:1], [(160, 160)])
        tracker.start(landmarks=truth)
        followed = tracker.track(image, 0.1)
        self.assertTrue(followed.found and followed.detected)
        self.assertLess(np.abs(followed.landmarks - truth).mean(), 3)
        self.assertEqual((followed.time, followed.why), (0.1, ""))
        self.assertAlmostEqual(followed.confidence, 1 - followed.fit.failure)
        self.assertIn("fit", followed.times)
        self.assertEqual(tracker.backend, "cpu")
        self.assertEqual({where for _, where in tracker.stages}, {"cpu"})
        self.assertEqual((tracker.settings.lost, tracker.settings.field_of_view), (1.0, None))  # 10 landmarks, no pose
        del calls[:]
        tracker.restart()
        self.assertTrue(tracker.track(image, 0.2).detected)
        self.assertEqual(len(calls), 1)

    def test_several_faces_have_numbers(self):
        image, truth = drawn_face(102)
        left, top = truth.min(axis=0)
        box = (left, top, *(truth.max(axis=0) - (left, top)))
        tracker = face.Tracker(self.model, detect=lambda _: [box], lost=1.0, backend="cpu", people=3)
        self.assertEqual(tracker.settings.people, 3)
        tracker.start(landmarks=truth)
        self.assertEqual(tracker.track(image, 0.0).person, 1)
        self.assertEqual([each.person for each in tracker.people], [1])
        with self.assertRaisesRegex(kinema.Error, "people"):
            face.Tracker(self.model, people=-1)

    def test_colour_frames_are_tracked_as_their_grey_images(self):
        image, truth = drawn_face(105)
        colour = np.dstack([image, image, image])
        landmarks = []
        for frame in (image, colour, np.dstack([colour, image])):
            tracker = face.Tracker(self.model, lost=1.0, backend="cpu")
            tracker.start(landmarks=truth)
            landmarks.append(tracker.track(frame, 0.0).landmarks)
        np.testing.assert_array_equal(landmarks[1], landmarks[0])
        np.testing.assert_array_equal(landmarks[2], landmarks[0])

    def test_faces_for_a_body_need_a_model_that_shows_where_they_look(self):
        camera = body.Camera(64, 48, 60, 60, 31.5, 23.5)
        with self.assertRaisesRegex(kinema.Error, "has 10 landmarks"):
            person.FaceObserver(self.model, camera)
        sizes = []
        observer = person.FaceObserver(face.read_model(), camera, detect=lambda image: sizes.append(image.shape) or [])
        self.assertEqual(observer.observe(np.full((48, 64, 3), 90, np.uint8), 0), [])
        self.assertEqual(sizes, [(48, 64)])

    def test_an_error_of_the_detector_reaches_the_caller(self):
        def detect(image):
            raise RuntimeError("no camera")

        with self.assertRaisesRegex(RuntimeError, "no camera"):
            face.Tracker(self.model, detect=detect).track(drawn_face(103)[0], 0.0)

    def test_what_makes_no_sense_is_refused(self):
        image, truth = drawn_face(104)
        fitter = face.Fitter(self.model, backend="cpu")
        with self.assertRaisesRegex(kinema.Error, "and not both"):
            fitter.fit(image)
        with self.assertRaisesRegex(kinema.Error, r"\(L, 2\), not \(20,\)"):
            fitter.fit(image, landmarks=truth.ravel())
        with self.assertRaisesRegex(kinema.Error, "more images than landmarks"):
            face.train([image, image], [truth])
        with self.assertRaisesRegex(kinema.Error, "no-such.kface"):
            face.read_model("no-such.kface")


class HeadPose(unittest.TestCase):
    WIDTH, HEIGHT = 640, 480

    @classmethod
    def setUpClass(cls):
        shape = face.read_model().mean_shape
        eyes = np.linalg.norm(shape[45] - shape[36])
        cls.points = ((shape - shape.mean(axis=0)) * (120 / eyes) + [330, 250]).astype(np.float32)

    def solve(self, points, **settings):
        return face.HeadPoseSolver(**settings).solve(points, self.WIDTH, self.HEIGHT)

    def test_the_mean_face_faces_the_camera_and_its_points_give_the_same_pose(self):
        pose = self.solve(self.points)
        self.assertLess(abs(pose.yaw) + abs(pose.roll), 3)  # degrees: drawn from both sides alike
        solver = face.HeadPoseSolver()
        projected = solver.project(pose, self.WIDTH, self.HEIGHT)
        self.assertEqual((projected.shape, projected.dtype), ((68, 2), np.float32))
        again = solver.solve(projected, self.WIDTH, self.HEIGHT, confidence=np.ones(68, np.float32))
        np.testing.assert_allclose([again.yaw, again.pitch, again.roll], [pose.yaw, pose.pitch, pose.roll], atol=1)
        np.testing.assert_allclose(again.position, pose.position, rtol=0.02, atol=0.005)
        self.assertLess(again.residual, pose.residual)

    def test_a_film_is_followed_until_it_is_reset(self):
        solver = face.HeadPoseSolver()
        alone = solver.solve(self.points, self.WIDTH, self.HEIGHT)
        for _ in range(10):
            followed = solver.follow(self.points, self.WIDTH, self.HEIGHT)
        self.assertLessEqual(followed.residual, alone.residual)
        solver.reset()
        np.testing.assert_array_equal(solver.follow(self.points, self.WIDTH, self.HEIGHT).position, alone.position)

    def test_distances_go_with_the_size_of_the_head_and_the_camera(self):
        pose = self.solve(self.points)
        np.testing.assert_allclose(self.solve(self.points, eye_distance=0.18).position, 2 * pose.position)
        focal = self.WIDTH / 2 / np.tan(np.pi / 6)
        camera = body.Camera(self.WIDTH, self.HEIGHT, focal, focal, (self.WIDTH - 1) / 2, (self.HEIGHT - 1) / 2)
        np.testing.assert_allclose(self.solve(self.points, camera=camera).position, pose.position)

    def test_what_makes_no_sense_is_refused(self):
        self.assertIsNone(self.solve(np.zeros((68, 2), np.float32)))
        with self.assertRaisesRegex(kinema.Error, "67 landmarks"):
            self.solve(self.points[1:])
        with self.assertRaisesRegex(kinema.Error, "67 confidences"):
            face.HeadPoseSolver().solve(self.points, 640, 480, confidence=np.ones(67, np.float32))
        with self.assertRaisesRegex(kinema.Error, "field of view"):
            face.HeadPoseSolver(field_of_view=0)


if __name__ == "__main__":
    unittest.main()
