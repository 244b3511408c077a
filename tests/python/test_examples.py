"""The examples run: on drawn and simulated data, as people would run them."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy  # noqa: F401
except ImportError:
    print(f"skipped: {sys.executable} has no numpy (Debian: python3-numpy)")
    sys.exit(77)

COMMAND = os.environ["KINEMA_COMMAND"]
CLIP = os.environ["KINEMA_CLIP"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

sys.path.insert(0, str(ROOT / "scripts"))
import run_notebook  # noqa: E402


def has(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def make(self, *arguments, out):
        """Data of the command, in a folder where all tests find it."""
        path = self.folder / out
        if not path.exists():
            subprocess.run([COMMAND, *arguments, "--out", path], check=True, capture_output=True)
        return path

    def simulate(self, mode, out, frames=5):
        return self.make("body", "simulate", "--motion", CLIP, "--mode", mode, "--frames", str(frames), out=out)

    def run_program(self, name, *arguments):
        return subprocess.run([sys.executable, EXAMPLES / name, *arguments], capture_output=True, text=True,
                              cwd=self.folder)

    def run_in_folder(self, name):
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            return run_notebook.run(EXAMPLES / name)
        finally:
            os.chdir(before)

    @unittest.skipUnless(has("matplotlib") and has("pandas"), "needs python3-matplotlib and python3-pandas")
    def test_a_depth_folder_to_joint_angles(self):
        self.simulate("depth", "walk")
        notebook = self.run_in_folder("joint_angles.ipynb")
        shown = json.dumps(notebook)
        self.assertIn("Estimate(frame=2, found, 21 joints", shown)
        self.assertEqual(shown.count('"image/png"'), 2)

    @unittest.skipUnless(has("matplotlib"), "needs python3-matplotlib")
    def test_a_face_model_trained_and_refined(self):
        self.make("face", "draw", "--count", "24", out="faces")
        self.make("face", "draw", "--count", "10", "--first", "1000", "--size", "200", out="others")
        notebook = self.run_in_folder("face_model.ipynb")
        self.assertIn("Refinement(", json.dumps(notebook))

    @unittest.skipUnless(has("matplotlib") and has("pandas"), "needs python3-matplotlib and python3-pandas")
    def test_two_cameras(self):
        self.simulate("stereo", "pairs", frames=3)
        notebook = self.run_in_folder("two_cameras.ipynb")
        self.assertIn("Estimate(frame=2, found", json.dumps(notebook))

    def test_a_webcam_to_a_head_pose(self):
        film = self.make("face", "film", "--frames", "6", out="film")
        done = self.run_program("head_pose.py", film)
        if "face detector" in done.stderr:
            self.skipTest("no face detector is installed (Debian: opencv-data)")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 7)
        self.assertRegex(lines[-1], r"yaw +-?\d.* pitch .* z +0\.\d+ m")

    def test_a_batch_of_recordings_in_processes(self):
        recordings = self.folder / "recordings"
        recordings.mkdir()
        for name in ("first", "second"):
            self.simulate("points", f"recordings/{name}", frames=2)
        (recordings / "wrong").mkdir()
        (recordings / "wrong" / "camera.json").write_text("{}")
        done = self.run_program("batch.py", recordings, self.folder / "tables")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("first: found in", done.stdout)
        self.assertIn("wrong: ", done.stderr)
        for name in ("first", "second"):
            table = (self.folder / "tables" / f"{name}.csv").read_text().splitlines()
            self.assertEqual(len(table), 3)
            self.assertTrue(table[0].startswith("frame,time,pelvis_x"))

    def test_an_array_in_gpu_memory(self):
        faces = self.make("face", "draw", "--count", "24", out="faces")
        done = self.run_program("gpu_tensor.py", faces / "face_0000.png", faces / "face_0000.pts")
        if done.returncode == 77:
            self.skipTest(done.stdout.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("host memory: 0.0", done.stdout)

    def test_notebooks_hold_what_they_show(self):
        for path in EXAMPLES.glob("*.ipynb"):
            cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
            self.assertTrue(any(cell["outputs"] for cell in cells), f"{path}: scripts/run_notebook.py --write")


if __name__ == "__main__":
    unittest.main()
