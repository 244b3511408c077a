"""kinema.stereo gives disparities of pairs, with deviations, and refuses what does not fit."""

import sys
import unittest

try:
    import numpy as np
except ImportError:
    print(f"skipped: {sys.executable} has no numpy (Debian: python3-numpy)")
    sys.exit(77)

import kinema
import kinema.body
import kinema.stereo


def camera(width, height):
    return kinema.body.Camera(width, height, 200, 200, (width - 1) / 2, (height - 1) / 2)


def pair(width, height, disparity):
    """A pattern of waves, and the same moved to the left."""
    rng = np.random.default_rng(3)
    smooth = rng.normal(128, 40, (height + 2, width + disparity + 2))
    smooth = (smooth[:-2] + 2 * smooth[1:-1] + smooth[2:]) / 4
    smooth = (smooth[:, :-2] + 2 * smooth[:, 1:-1] + smooth[:, 2:]) / 4
    pattern = np.clip(smooth, 0, 255).astype(np.uint8)
    return pattern[:, :width].copy(), pattern[:, disparity : disparity + width].copy()


class Matching(unittest.TestCase):
    def test_finds_the_disparity_of_a_wall(self):
        matcher = kinema.stereo.Matcher(camera(160, 90), 0.1, nearest=0.7, backend="cpu")
        self.assertAlmostEqual(matcher.focal_baseline, 20)
        left, right = pair(160, 90, 8)
        disparity, deviation = matcher.match(left, right)
        self.assertEqual(disparity.shape, (90, 160))
        known = disparity > 0
        self.assertGreater(known[10:-10, 30:-10].mean(), 0.9)
        self.assertLess(np.abs(disparity[known] - 8).max(), 0.5)
        self.assertTrue((deviation[known] > 0).all() and (deviation[~known] == 0).all())

    def test_threads_and_rows_of_a_larger_picture(self):
        left, right = pair(160, 90, 5)
        one = kinema.stereo.Matcher(camera(100, 60), 0.1, nearest=0.7, backend="cpu", threads=1)
        two = kinema.stereo.Matcher(camera(100, 60), 0.1, nearest=0.7, backend="cpu", threads=2)
        part = (left[10:70, 20:120], right[10:70, 20:120])
        first, second = one.match(*part), two.match(*part)
        np.testing.assert_array_equal(first[0], second[0])
        np.testing.assert_array_equal(first[1], second[1])

    def test_refuses_what_does_not_fit(self):
        matcher = kinema.stereo.Matcher(camera(100, 60), 0.1, nearest=0.7, backend="cpu")
        left, right = pair(160, 90, 5)
        with self.assertRaises(kinema.Error):
            matcher.match(left, right)
        with self.assertRaises(kinema.Error):
            matcher.match(left.astype(np.float32), right)
        with self.assertRaises(kinema.Error):
            kinema.stereo.Matcher(camera(100, 60), -1)


if __name__ == "__main__":
    unittest.main()
