"""The programs of docs/start-cpp.md and docs/start-python.md, as they stand there, on a simulated recording and a drawn film."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ["KINEMA_COMMAND"]
PROGRAMS = pathlib.Path(os.environ["KINEMA_START"])


def python_program(word):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "start-python.md").read_text(), re.DOTALL)
    return next(block for block in blocks if word in block)


class Start(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        for call in (["body", "simulate", "--motion", ROOT / "samples" / "walk.bvh", "--mode", "depth", "--frames", "8", "--out", "walk"],
                     ["face", "film", "--frames", "8", "--out", "film"]):
            subprocess.run([COMMAND, *call], cwd=cls.folder, check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def lines(self, *call):
        done = subprocess.run(call, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_cpp_bends_a_knee_in_every_frame(self):
        lines = self.lines(PROGRAMS / "start_recording", "walk")
        self.assertEqual(len(lines), 8)
        for line in lines:
            self.assertRegex(line, r"^\d\.\d{3} s: -?\d+ degrees, \+-\d+$")

    def test_cpp_turns_a_head(self):
        lines = self.lines(PROGRAMS / "start_colour", "film")
        self.assertGreaterEqual(len(lines), 6)
        for line in lines:
            self.assertRegex(line, r"^\d\.\d{3} s: yaw -?\d+ degrees, 0\.[4-8]\d m away$")

    def test_cpp_says_what_is_wrong(self):
        done = subprocess.run([PROGRAMS / "start_recording", "nowhere"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^nowhere: .*\n$")

    def test_python_tracks_a_body(self):
        lines = self.lines(sys.executable, "-c", python_program("body.track("))
        self.assertEqual(len(lines), 8)
        self.assertRegex(lines[0], r"^0\.0 \[.*\] .+")

    def test_python_turns_a_head(self):
        lines = self.lines(sys.executable, "-c", python_program("open_colour"), "film")
        self.assertGreaterEqual(len(lines), 6)
        self.assertRegex(lines[-1], r"yaw -?\d+°, 0\.[4-8]\d m away$")

    def test_python_takes_an_array(self):
        self.lines(sys.executable, "-c", "import numpy\ndepth, seconds = numpy.zeros((480, 640), numpy.float32), 0.0\n"
                   + python_program("TrackerSettings"))


if __name__ == "__main__":
    unittest.main()
