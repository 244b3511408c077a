"""Arrays as people have them: millimetres, doubles, parts and columns, tensors, and clocks that run backwards."""

import sys
import unittest

try:
    import numpy as np
except ImportError:
    print(f"skipped: {sys.executable} has no numpy (Debian: python3-numpy)")
    sys.exit(77)

import kinema
from kinema import body, face, head, person

CAMERA = body.Camera(64, 48, 60, 60, 31.5, 23.5)


def wall(height=48, width=64):
    return np.full((height, width), 2.5, np.float32)


class Tensor:
    """An array of another library in host memory, by DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnGpu:
    """Says that it lies on a GPU, at an address that no GPU has."""

    def __init__(self, shape, kind="|u1", strides=None):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": kind, "data": (4096, False), "version": 3,
                                         "strides": strides}


class Arrays(unittest.TestCase):
    def refused(self, pattern, call, *arguments, **settings):
        with self.assertRaisesRegex(kinema.Error, pattern):
            call(*arguments, **settings)

    def trackers(self):
        tracker = body.Tracker(camera=CAMERA, backend="cpu", lag=0, particles=20)
        foreground = body.Foreground(CAMERA)
        return (lambda depth: tracker.track(depth, 0.0)), tracker.set_background, foreground.cut, foreground.set_background

    def test_millimetres_are_refused_with_what_to_pass(self):
        for call in self.trackers():
            for kind in (np.uint16, np.int16, np.int32):
                self.refused(r"millimetres\? pass depth \* 0.001 as float32", call, (1000 * wall()).astype(kind))
            self.refused(r"millimetres\? pass depth \* 0.001 as float32", call, 1000 * wall())
        self.refused(r"millimetres\? pass points \* 0.001", body.Tracker(backend="cpu").track_points,
                     np.full((50, 3), 1500, np.float32), 0.0)

    def test_a_depth_of_another_kind_is_refused_with_what_to_pass(self):
        for call in self.trackers():
            self.refused(r"float32, not float64: pass depth.astype", call, wall().astype(np.float64))
            self.refused(r"ascontiguousarray\(depth\)", call, np.asfortranarray(wall()))
            self.refused(r"ascontiguousarray\(depth\)", call, wall()[:, ::-1])
            self.refused(r"ascontiguousarray\(depth\)", call, wall()[::-1])
            self.refused(r"\(H, W\), not \(48, 64, 1\)", call, wall()[:, :, None])
            self.refused("NumPy array .* not list", call, wall().tolist())

    def test_parts_of_a_larger_image_are_taken_as_they_lie(self):
        whole = np.zeros((100, 200), np.float32)
        whole[20:68, 30:94] = np.linspace(1.5, 3, 48 * 64, dtype=np.float32).reshape(48, 64)
        part = whole[20:68, 30:94]
        cuts = [body.Foreground(CAMERA, planes=False).cut(image) for image in (part, part.copy())]
        np.testing.assert_array_equal(cuts[0][0], cuts[1][0])
        self.assertGreater(len(cuts[0][0]), 0)

    def test_depth_without_measurements_and_of_one_distant_wall_is_no_millimetres(self):
        track, *_ = self.trackers()
        self.assertFalse(track(np.zeros((48, 64), np.float32)).found)
        self.assertFalse(track(np.full((48, 64), np.inf, np.float32)).found)
        self.assertFalse(track(np.full((48, 64), 40, np.float32)).found)

    def test_arrays_of_other_libraries_in_host_memory(self):
        track, *_ = self.trackers()
        self.assertEqual(track(Tensor(wall())).why, track(wall()).why)
        self.refused("float32, not float64", track, Tensor(wall().astype(np.float64)))

    def test_arrays_on_a_gpu_that_is_not_there_are_refused(self):
        track, *_ = self.trackers()
        self.refused(r"depth .*GPU.*depth\.cpu\(\)\.numpy\(\)", track, OnGpu((48, 64), "<f4"))
        image = np.full((60, 80, 3), (200, 150, 120), np.uint8)
        image[:, :30] = image[:10] = image[-10:] = image[:, 50:] = (60, 90, 120)
        colours = head.calibrate(image, (40, 30, 8, 16))
        tracker = head.Tracker(colours, mode="plain", backend="cpu")
        self.refused(r"image .*GPU.*image\.cpu\(\)\.numpy\(\)", tracker.track, OnGpu((60, 80, 3)), 0.0)
        fitter = face.Fitter(face.read_model(), backend="cpu")
        self.refused(r"image .*GPU", fitter.fit, OnGpu((60, 80)), box=(1, 1, 9, 9))
        self.refused(r"image .*GPU", face.Tracker(face.read_model(), backend="cpu").track, OnGpu((60, 80)), 0.0)

    def test_time_does_not_go_backwards(self):
        image = np.full((60, 80, 3), 100, np.uint8)
        image[20:40, 30:50] = (200, 150, 120)
        colours = head.calibrate(image, (40, 30, 9, 9))
        nothing = np.empty((0, 3), np.float32)
        tracker = body.Tracker(backend="cpu", lag=0)
        trackers = {
            "body": lambda time: tracker.track_points(nothing, time),
            "filter": lambda time, own=body.Filter(backend="cpu"): own.track(time, nothing),
            "head": lambda time, own=head.Tracker(colours, backend="cpu"): own.track(image, time),
            "face": lambda time, own=face.Tracker(face.read_model(), backend="cpu"): own.track(image, time),
            "person": lambda time, own=person.Tracker(face.read_model(), calibration=colours, backend="cpu"):
                own.track(image, time),
        }
        for name, track in trackers.items():
            with self.subTest(name):
                track(1.0)
                track(1.5)
                self.refused("time goes backwards, from 1.5.* to 1.4", track, 1.4)
                self.refused("finite", track, float("nan"))
                track(1.6)
        tracker.finish()
        trackers["body"](0.0)  # a new sequence


if __name__ == "__main__":
    unittest.main()
