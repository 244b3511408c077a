"""The Python package gives the library's results, takes arrays as they lie in memory, and refuses what does not fit."""

import sys
import threading
import unittest

try:
    import numpy as np
except ImportError:
    print(f"skipped: {sys.executable} has no numpy (Debian: python3-numpy)")
    sys.exit(77)

import kinema
import kinema.body

TAU, SIGMA = 0.1, 0.05


def sphere(x, y, z, r):
    return [x, y, z, r, x, y, z]


def likelihood(**settings):
    return kinema.body.Likelihood(**{"tau": TAU, "sigma": SIGMA, "backend": "cpu", **settings})


def one_point(distance):
    """One point this far before the skin of the sphere of SPHERE, whose near side lies at z = 1.9."""
    return np.array([[0, 0, 1.9 - distance]], np.float32)


def random_problem():
    rng = np.random.default_rng(1)
    points = rng.normal([0, 0, 2.5], [0.4, 0.6, 0.2], (500, 3)).astype(np.float32)
    a = rng.normal([0, 0, 2.5], 0.4, (20, 12, 3))
    b = a + rng.normal(0, 0.2, a.shape)
    radius = rng.uniform(0.05, 0.15, (20, 12, 1))
    return points, np.concatenate([a, radius, b], axis=2).astype(np.float32)


SPHERE = np.array([[sphere(0, 0, 2, 0.1)]], np.float32)
MISS = -(TAU**2) / (2 * SIGMA**2)


class Results(unittest.TestCase):
    def test_a_point_off_the_skin_costs_its_squared_distance(self):
        body = likelihood()
        self.assertEqual(body.set_points(one_point(0.03)), (1, 0))
        out = body.evaluate(SPHERE)
        self.assertEqual(out.dtype, np.float64)
        self.assertEqual(out.shape, (1,))
        # float32 inputs near 2 are off by 1e-7, which the division by sigma^2 makes 1e-6
        self.assertAlmostEqual(out[0], -(0.03**2) / (2 * SIGMA**2), places=5)

    def test_a_ray_that_misses_costs_tau_squared(self):
        body = likelihood()
        body.set_points(np.array([[1, 0, 1]], np.float32))
        self.assertAlmostEqual(body.evaluate(SPHERE)[0], MISS, places=6)

    def test_bad_points_are_counted_as_dropped(self):
        points = np.array([[0, 0, 2], [np.nan, 0, 2], [0, 0, 0], [0, np.inf, 1]], np.float32)
        self.assertEqual(likelihood().set_points(points), (1, 3))

    def test_background_points_cost_nothing_unless_something_stands_before_them(self):
        body = likelihood()
        points = np.array([[0, 0, 4], [1, 0, 1]], np.float32)
        for marks in (np.array([True, True]), np.array([1, 1], np.uint8)):
            body.set_points(points, background=marks)
            self.assertAlmostEqual(body.evaluate(SPHERE)[0], MISS, places=6)

    def test_background_is_ignored_without_free_space(self):
        body = likelihood(free_space=False)
        body.set_points(np.array([[1, 0, 1]], np.float32), background=np.array([True]))
        self.assertAlmostEqual(body.evaluate(SPHERE)[0], MISS, places=6)

    def test_associations_differ_where_one_capsule_hides_another(self):
        capsules = np.array([[sphere(0, 0, 1, 0.1), sphere(0, 0, 2, 0.1)]], np.float32)
        values = {}
        for association in ("nearest", "first-hit"):
            body = likelihood(association=association)
            body.set_points(one_point(0.0))
            values[association] = body.evaluate(capsules)[0]
        self.assertAlmostEqual(values["nearest"], 0, places=5)
        self.assertAlmostEqual(values["first-hit"], MISS, places=5)

    def test_the_camera_moves_the_rays(self):
        camera = (0.5, -0.25, 1.0)
        body = likelihood(camera=camera)
        body.set_points(one_point(0.03) + np.array(camera, np.float32))
        shift = np.array([*camera, 0, *camera], np.float32)
        self.assertAlmostEqual(body.evaluate(SPHERE + shift)[0], -(0.03**2) / (2 * SIGMA**2), places=4)

    def test_cpu_agrees_with_the_reference(self):
        points, capsules = random_problem()
        values = []
        for backend in ("reference", "cpu"):
            body = likelihood(backend=backend)
            self.assertEqual(body.backend, backend)
            body.set_points(points)
            values.append(body.evaluate(capsules))
        np.testing.assert_allclose(values[1], values[0], rtol=1e-4)  # the tolerance of the cpu backend's own tests

    def test_the_number_of_threads_changes_no_bit(self):
        points, capsules = random_problem()
        values = []
        for threads in (1, 3):
            body = likelihood(threads=threads)
            body.set_points(points)
            values.append(body.evaluate(capsules))
        np.testing.assert_array_equal(values[1], values[0])

    def test_the_number_of_devices_changes_no_bit(self):
        points, capsules = random_problem()
        values = []
        for devices in (None, [0], "0,0,0", (0, 1, 2, 3)):
            body = likelihood(devices=devices)
            body.set_points(points)
            values.append(body.evaluate(capsules))
        for other in values[1:]:
            np.testing.assert_array_equal(other, values[0])
        with self.assertRaisesRegex(kinema.Error, "no devices 'gpu'"):
            likelihood(devices="gpu")

    def test_nothing_gives_nothing(self):
        body = likelihood()
        self.assertEqual(body.set_points(np.empty((0, 3), np.float32)), (0, 0))
        self.assertEqual(body.evaluate(SPHERE).tolist(), [0.0])
        self.assertEqual(body.evaluate(np.empty((0, 4, 7), np.float32)).shape, (0,))


class Refusals(unittest.TestCase):
    def refused(self, pattern, call, *arguments, **settings):
        with self.assertRaisesRegex(kinema.Error, pattern):
            call(*arguments, **settings)

    def test_points(self):
        body = likelihood()
        good = np.zeros((4, 3), np.float32)
        self.refused("float32, not float64", body.set_points, good.astype(np.float64))
        self.refused("float32, not >f4", body.set_points, good.astype(">f4"))
        self.refused(r"shape \(I, 3\), not \(3, 4\)", body.set_points, np.zeros((3, 4), np.float32))
        self.refused(r"shape \(I, 3\), not \(12,\)", body.set_points, good.ravel())
        self.refused("C-contiguous", body.set_points, np.zeros((8, 3), np.float32)[::2])
        self.refused("C-contiguous", body.set_points, np.asfortranarray(good))
        self.refused("NumPy array .* not list", body.set_points, [[0.0, 0.0, 1.0]])

    def test_background(self):
        body = likelihood()
        points = np.ones((4, 3), np.float32)
        self.refused("one mark per point", body.set_points, points, np.zeros(3, bool))
        self.refused("bool or uint8, not int64", body.set_points, points, np.zeros(4, np.int64))
        self.refused("C-contiguous", body.set_points, points, np.zeros(8, bool)[::2])

    def test_capsules(self):
        body = likelihood()
        body.set_points(one_point(0))
        self.refused("float32, not float64", body.evaluate, SPHERE.astype(np.float64))
        self.refused(r"\(J, K, 7\), not \(1, 7\)", body.evaluate, SPHERE[0])
        self.refused(r"\(J, K, 7\), not \(1, 1, 6\)", body.evaluate, SPHERE[:, :, :6].copy())
        bad = SPHERE.copy()
        bad[0, 0, 3] = -1
        self.refused("radius", body.evaluate, bad)

    def test_settings(self):
        self.refused("association .* 'farthest'", likelihood, association="farthest")
        self.refused("tau", likelihood, tau=-1.0)
        self.refused("sigma", likelihood, sigma=0.0)
        self.refused("abacus", likelihood, backend="abacus")
        with self.assertRaises(TypeError):
            kinema.body.Likelihood(0.1, 0.05)  # settings go by name


class Package(unittest.TestCase):
    def test_arrays_are_not_copied_or_changed(self):
        body = likelihood()
        points = one_point(0.03)
        capsules = SPHERE.copy()
        points.flags.writeable = capsules.flags.writeable = False
        body.set_points(points)
        body.evaluate(capsules)
        np.testing.assert_array_equal(capsules, SPHERE)

    def test_points_belong_to_the_likelihood_once_set(self):
        body = likelihood()
        points = one_point(0.03)
        body.set_points(points)
        before = body.evaluate(SPHERE)[0]
        points[:] = 99
        self.assertEqual(body.evaluate(SPHERE)[0], before)

    def test_threads_may_share_a_likelihood(self):
        body = likelihood()
        body.set_points(np.random.default_rng(2).normal([0, 0, 2], 0.3, (2000, 3)).astype(np.float32))
        expected = body.evaluate(SPHERE)[0]
        seen = []

        def work():
            seen.extend(body.evaluate(SPHERE) for _ in range(50))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({float(value[0]) for value in seen}, {expected})
        self.assertEqual(len(seen), 200)

    def test_devices_names_what_can_be_asked_for(self):
        devices = kinema.devices()
        self.assertIn("cpu", devices["backends"])
        self.assertIn("reference", devices["backends"])
        self.assertEqual(devices["version"], kinema.__version__)
        self.assertEqual("cuda" in devices["backends"], bool(devices["gpus"]))

    def test_names_are_those_of_the_package(self):
        self.assertEqual(f"{kinema.Error.__module__}.{kinema.Error.__name__}", "kinema.Error")
        self.assertEqual(kinema.body.Likelihood.__module__, "kinema.body")


if __name__ == "__main__":
    unittest.main()
