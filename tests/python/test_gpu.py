"""On a GPU: arrays of PyTorch are read where they lie, with the bits of the same arrays in host memory, and every tracker has
the cuda backend. Without a GPU or PyTorch it skips."""

import json
import pathlib
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print(f"skipped: {sys.executable} has no numpy (Debian: python3-numpy)")
    sys.exit(77)

import kinema
from kinema import body, face, head, stereo

if "cuda" not in kinema.devices()["backends"]:
    print("skipped: kinema finds no GPU")
    sys.exit(77)
try:
    import torch
except ImportError:
    print("skipped: there is no PyTorch")
    sys.exit(77)

from objects import CAMERA, portrait, small_model  # noqa: E402
from test_stereo import camera, pair  # noqa: E402


class ByInterface:
    """What a library shows that knows no DLPack."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.__cuda_array_interface__ = tensor.__cuda_array_interface__


class ByDlpack:
    def __init__(self, tensor):
        self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__


FORMS = (lambda tensor: tensor, ByInterface, ByDlpack)


def copied_to_host(call):
    """Bytes of the largest copy from the GPU during a call, as the driver's profiler sees them."""
    activity = torch.profiler.ProfilerActivity
    with torch.profiler.profile(activities=[activity.CPU, activity.CUDA]) as profile:
        call()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.json"
        profile.export_chrome_trace(str(path))
        events = json.loads(path.read_text())["traceEvents"]
    copies = [event for event in events if event.get("cat") == "gpu_memcpy"]
    return max((event["args"]["bytes"] for event in copies if "DtoH" in event["name"]), default=0), bool(copies)


class GpuArrays(unittest.TestCase):
    def large(self, image):
        """In the corner of a picture so large that a copy of it would stand out."""
        canvas = np.full((1200, 1600) + image.shape[2:], 128, np.uint8)
        canvas[: image.shape[0], : image.shape[1]] = image
        return canvas

    def test_a_face_is_fitted_where_its_picture_lies(self):
        model, images, landmarks = small_model()
        fitter = face.Fitter(model, backend="cuda")
        image = self.large(images[0])
        host = fitter.fit(image, landmarks=landmarks[0])
        tensor = torch.from_numpy(image).cuda()
        for form in FORMS:
            np.testing.assert_array_equal(fitter.fit(form(tensor), landmarks=landmarks[0]).landmarks, host.landmarks)
        part = torch.zeros((1300, 1700), dtype=torch.uint8, device="cuda")[50:1250, 30:1630]
        part.copy_(tensor)  # rows with a stride, and work that is under way when it is read
        np.testing.assert_array_equal(fitter.fit(part, landmarks=landmarks[0]).landmarks, host.landmarks)

        largest, seen = copied_to_host(lambda: fitter.fit(tensor, landmarks=landmarks[0]))
        print(f"the largest copy to the host has {largest} bytes, the picture {image.nbytes}" if seen else
              "nobody may profile here: copies to the host were not counted")
        if seen:
            self.assertLess(largest, image.nbytes / 10)
            self.assertGreaterEqual(copied_to_host(tensor.cpu)[0], image.nbytes, "the profiler does not see copies")

    def test_a_head_is_followed_where_its_picture_lies(self):
        colours = head.calibrate(portrait(), (80, 60, 18, 24), distance=0.6, field_of_view=1.0)
        image = self.large(portrait())
        tensor = torch.from_numpy(image).cuda()

        def track(picture):
            found = head.Tracker(colours, mode="plain", smooth=False, backend="cuda").track(picture, 0.0)
            return found.x, found.y, found.area

        for form in FORMS:
            self.assertEqual(track(form(tensor)), track(image))
        tracker = head.Tracker(colours, mode="plain", smooth=False, backend="cuda")
        tracker.track(tensor, 0.0)
        largest, seen = copied_to_host(lambda: tracker.track(tensor, 1.0))
        if seen:
            self.assertLess(largest, image.nbytes / 10)

    def test_what_reads_host_memory_refuses_them_with_what_to_pass(self):
        depth = torch.full((48, 64), 2.5, device="cuda")
        with self.assertRaisesRegex(kinema.Error, r"depth .*depth\.cpu\(\)\.numpy\(\)"):
            body.Tracker(camera=CAMERA, backend="cuda").track(depth, 0.0)
        picture = torch.zeros((60, 80), dtype=torch.uint8, device="cuda")
        with self.assertRaises(kinema.Error):
            face.Tracker(face.read_model(), backend="cpu").track(picture, 0.0)
        with self.assertRaisesRegex(kinema.Error, r"image\.contiguous\(\)"):
            face.Fitter(face.read_model(), backend="cuda").fit(picture.t(), box=(1, 1, 30, 30))
        for form in FORMS:
            with self.assertRaisesRegex(kinema.Error, "uint8, not float32"):
                face.Fitter(face.read_model(), backend="cuda").fit(form(depth), box=(1, 1, 30, 30))


class Module(unittest.TestCase):
    def test_a_shared_library_has_opened_it(self):
        body.Likelihood(backend="cuda")
        mapped = {line.rpartition("/")[2] for line in pathlib.Path("/proc/self/maps").read_text().splitlines()}
        if not any(name.startswith("libkinema.so.") for name in mapped):
            self.skipTest("this library is static, and has the backend in it")
        self.assertTrue(any(name.startswith("libkinema-cuda.so.") for name in mapped))


class Backends(unittest.TestCase):
    def test_points_are_weighed_alike(self):
        rng = np.random.default_rng(2)
        points = rng.uniform((-0.5, -0.5, 2), (0.5, 0.5, 3), (500, 3)).astype(np.float32)
        capsules = np.tile(np.array([0, 0, 2.5, 0.2, 0, 0.4, 2.5], np.float32), (8, 3, 1))
        capsules[:, :, 0] += rng.uniform(-0.3, 0.3, (8, 3)).astype(np.float32)
        results = []
        for backend in ("cpu", "cuda"):
            likelihood = body.Likelihood(backend=backend)
            likelihood.set_points(points)
            results.append(likelihood.evaluate(capsules))
        np.testing.assert_allclose(*results, rtol=1e-4)  # as the suite of the likelihood has it for single precision

    def test_pairs_are_matched_alike(self):
        left, right = pair(160, 90, 8)
        results = [stereo.Matcher(camera(160, 90), 0.1, nearest=0.7, backend=backend).match(left, right)[0]
                   for backend in ("cpu", "cuda")]
        self.assertGreater((np.abs(results[0] - results[1]) < 0.1).mean(), 0.99)

    def test_a_body_is_tracked_on_it(self):
        rng = np.random.default_rng(2)
        angle, height = rng.uniform(np.pi, 2 * np.pi, 4000), rng.uniform(-0.9, 0.9, 4000)
        points = np.stack([0.2 * np.cos(angle), height, 3 + 0.2 * np.sin(angle)], axis=1).astype(np.float32)
        tracker = body.Tracker(seed=3, backend="cuda", lag=0, particles=64)
        self.assertEqual(tracker.backend, "cuda")
        first = tracker.track_points(points, 0.0)
        again = body.Tracker(seed=3, backend="cuda", lag=0, particles=64).track_points(points, 0.0)
        np.testing.assert_array_equal(first.joints, again.joints)


if __name__ == "__main__":
    unittest.main()
