"""The C++ and the Python program of the README write the same poses as `kinema body track`, to the bit."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["KINEMA_SOURCE"])
COMMAND = os.environ["KINEMA_COMMAND"]
PROGRAM = os.environ["KINEMA_PROGRAM"]


def python_program():
    blocks = re.findall(r"```python\n(.*?)```", (SOURCE / "README.md").read_text(), re.DOTALL)
    return next(block for block in blocks if "PosesWriter" in block)


def poses(path):
    """The lines of a poses.jsonl as text, without the times, which no two runs share."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        del line["ms"]
    return [json.dumps(line) for line in lines]


class Readme(unittest.TestCase):
    def compare(self, mode, *options):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)

            def run(*call):
                subprocess.run(call, cwd=folder, check=True, stdout=subprocess.DEVNULL)

            run(COMMAND, "body", "simulate", "--motion", str(SOURCE / "samples" / "walk.bvh"), "--mode", mode,
                "--frames", "24", "--out", "walk", *options)
            (folder / "walk" / "skeleton.json").unlink()  # a stranger, whose size is fitted on the way
            run(COMMAND, "body", "track", "--input", "walk", "--out", "command.jsonl")
            run(PROGRAM, "walk", "program.jsonl")
            run(sys.executable, "-c", python_program())
            expected = poses(folder / "command.jsonl")
            self.assertEqual(len(expected), 24)
            self.assertIn('"joints": {', expected[0])
            self.assertEqual(poses(folder / "program.jsonl"), expected)
            self.assertEqual(poses(folder / "poses.jsonl"), expected)

    def test_depth_images(self):
        self.compare("depth")

    def test_stereo_pairs(self):
        self.compare("stereo")

    def test_point_clouds(self):
        self.compare("points")

    def test_programs_are_short(self):
        program = re.search(r"```cpp\n(#include <kinema/kinema.h>.*?)```", (SOURCE / "README.md").read_text(), re.DOTALL)
        for text in (program[1], python_program()):
            self.assertLessEqual(len([line for line in text.splitlines() if line.strip()]), 12)


if __name__ == "__main__":
    unittest.main()
