"""Python threads that share a tracker or a recording."""

import json
import os
import sys
import tempfile
import threading
import unittest

try:
    import numpy as np
except ImportError:
    print(f"skipped: {sys.executable} has no numpy (Debian: python3-numpy)")
    sys.exit(77)

from kinema import body, head, io


def others_run_during(call, work):
    """Whether a third thread gets the GIL while `call` waits for a tracker in which another thread does `work`.

    Where it does not, the thread in the tracker does not get it either, and waits for ever where it has to warn.
    """
    for _ in range(20):  # the work may have ended before the call
        working, calling = threading.Event(), threading.Event()
        returned = []

        def do_work():
            working.set()
            work()

        def do_call():
            working.wait()
            calling.set()
            call()
            returned.append(True)

        threads = [threading.Thread(target=target) for target in (do_work, do_call)]
        for thread in threads:
            thread.start()
        calling.wait()
        seen = not returned
        for thread in threads:
            thread.join()
        if seen:
            return True
    return False


class Trackers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # nobody loses the GIL: it is given up, or kept
        cls.interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)
        random = np.random.default_rng(1)
        cls.points = np.column_stack([random.uniform(-0.3, 0.3, 20000), random.uniform(-0.9, 0.9, 20000),
                                      random.uniform(2.4, 2.6, 20000)]).astype(np.float32)

    @classmethod
    def tearDownClass(cls):
        sys.setswitchinterval(cls.interval)

    def test_members_of_a_filter_wait_without_the_gil(self):
        tracker = body.Filter(backend="cpu")
        for call in (lambda: tracker.skeleton, lambda: tracker.skin):
            self.assertTrue(others_run_during(call, lambda: tracker.track(0.0, self.points)))

    def test_the_floor_of_a_foreground_is_read_without_the_gil(self):
        foreground = body.Foreground(body.Camera(0, 0, 1, 1, 0, 0))
        self.assertTrue(others_run_during(lambda: foreground.floor, lambda: foreground.cut_points(self.points)))

    def test_members_of_a_tracker_wait_without_the_gil(self):
        tracker = body.Tracker(backend="cpu", lag=0)
        for call in (lambda: tracker.skeleton, tracker.settled, tracker.finish, lambda: tracker.set_faces([]),
                     tracker.restart, lambda: tracker.settings, lambda: tracker.backend, lambda: tracker.pace):
            self.assertTrue(others_run_during(call, lambda: tracker.track_points(self.points, 0.0)))

    def test_a_head_is_started_without_the_gil(self):
        image = np.full((1500, 2000, 3), (60, 90, 120), np.uint8)
        image[500:1000, 800:1200] = (200, 150, 120)
        oval = (1000, 750, 180, 240)
        tracker = head.Tracker(head.calibrate(image, oval), backend="cpu")
        self.assertTrue(others_run_during(lambda: tracker.start(oval), lambda: tracker.track(image, 0.0)))


class Recordings(unittest.TestCase):
    def test_threads_that_iterate_a_recording_share_its_frames(self):
        camera = {"kinema": 1, "width": 16, "height": 12, "fx": 15, "fy": 15, "cx": 7.5, "cy": 5.5, "fps": 30,
                  "depth": "float32"}
        count = 3000
        with tempfile.TemporaryFile() as stream:
            stream.write(json.dumps(camera).encode() + b"\n")
            for i in range(count):
                stream.write(json.dumps({"time": i}).encode() + b"\n" + np.full((12, 16), 1 + i, np.float32).tobytes())
            stream.seek(0)
            kept = os.dup(0)
            os.dup2(stream.fileno(), 0)
            try:
                recording = io.open_recording("-")
                start, read = threading.Barrier(4), []

                def iterate():
                    start.wait()
                    read.extend((frame.time, frame.depth.min(), frame.depth.max()) for frame in recording)

                threads = [threading.Thread(target=iterate) for _ in range(4)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            finally:
                os.dup2(kept, 0)
                os.close(kept)
        self.assertEqual(sorted(read), [(i, 1 + i, 1 + i) for i in range(count)])


if __name__ == "__main__":
    unittest.main()
