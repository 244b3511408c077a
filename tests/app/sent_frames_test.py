#!/usr/bin/env python3
"""Frames that another program sends to `kinema serve`: the program of docs/protocol.md, as it stands there, with a stand-in
for the camera's own module. Another connection follows the body.

    sent_frames_test.py KINEMA CLIP.bvh
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KINEMA, CLIP = None, None
DOCS = Path(__file__).resolve().parents[2] / "docs"

# serves the frames of the file "units" over and over, at the rate of a camera
STAND_IN = """
import time

SIZE = 640 * 480 * 2
UNITS = open("units", "rb").read()


class stream:
    depth = "depth"


class Lens:
    width, height, fx, fy, ppx, ppy = 640, 480, 525.0, 525.0, 319.5, 239.5


class Profile:
    get_stream = as_video_stream_profile = lambda self, *_: self
    get_intrinsics = lambda self: Lens
    fps = lambda self: 30


class Frame:
    def __init__(self, number):
        self.number = number

    def get_depth_frame(self):
        return self

    def get_timestamp(self):
        return 1000 * self.number / 30

    def get_data(self):
        at = self.number % (len(UNITS) // SIZE) * SIZE
        return memoryview(UNITS)[at : at + SIZE]


class pipeline:
    number = -1
    start = lambda self: Profile()

    def wait_for_frames(self):
        time.sleep(1 / 30)
        self.number += 1
        return Frame(self.number)
"""


def code_block(page):
    return (DOCS / page).read_text().split("```python\n")[1].split("```")[0]


class SentFrames(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def serve(self):
        server = subprocess.Popen([KINEMA, "serve", "--port", "0"], stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        line = server.stderr.readline()
        found = re.search(r"http://([^/]*)/(\S+)", line)
        if not found and "built without" in line:
            self.skipTest(line)
        return f"ws://{found[1]}/live{found[2]}"

    def connect(self, address):
        page = websocket.create_connection(address, timeout=120)
        self.addCleanup(page.close)
        return page

    def test_the_program_of_the_documentation_shows_a_person(self):
        subprocess.run([KINEMA, "body", "simulate", "--motion", CLIP, "--mode", "depth", "--out", "walk", "--frames", "3"],
                       check=True, cwd=self.folder, capture_output=True)
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", "walk/depth/%06d.png", "-f", "rawvideo", "-pix_fmt", "gray16le",
                              "-"], check=True, cwd=self.folder, capture_output=True).stdout
        (self.folder / "units").write_bytes(raw)
        (self.folder / "pyrealsense2.py").write_text(STAND_IN)
        program = code_block("protocol.md")
        self.assertLessEqual(program.count("\n"), 12)
        address = self.serve()
        (self.folder / "forward.py").write_text(program)
        page = self.connect(address)
        self.assertIn("frames", json.loads(page.recv())["offers"])
        page.send(json.dumps({"do": "follow", "channel": "body"}))
        sender = subprocess.Popen([sys.executable, "forward.py", address], cwd=self.folder)
        self.addCleanup(sender.wait)
        self.addCleanup(sender.kill)
        found = []
        while len(found) < 2:
            message = page.recv()
            if isinstance(message, str):
                self.assertNotEqual(json.loads(message).get("say"), "error", message)
                continue
            header = json.loads(message[4 : 4 + struct.unpack_from("<I", message)[0]])
            if header["found"]:
                found.append(header)
        self.assertEqual({array["name"] for array in header["arrays"]} >= {"points", "joints"}, True)
        live = found[-1]["live"]
        self.assertGreater(live["latency"], 0)
        self.assertGreater(live["points"], 0)
        self.assertGreater(found[1]["time"], found[0]["time"])
        # it may find again at any time, and the frames go on
        page.send(json.dumps({"do": "find again"}))
        while isinstance(message := page.recv(), str):
            self.assertNotEqual(json.loads(message).get("say"), "error", message)

    def test_a_program_without_the_token_is_refused(self):
        with self.assertRaises(websocket.WebSocketBadStatusException) as refusal:
            self.connect(self.serve().split("?")[0])
        self.assertEqual(refusal.exception.status_code, 403)

    def test_what_is_no_stream_is_refused(self):
        address = self.serve()
        page, other = self.connect(address), self.connect(address)
        for each in (page, other):
            json.loads(each.recv())
        page.send(json.dumps({"do": "frames"}))
        self.assertEqual(json.loads(page.recv()), {"say": "frames"})
        other.send(json.dumps({"do": "frames"}))
        self.assertEqual(json.loads(other.recv())["text"], "another program sends frames already")
        page.send_binary(b"GIF89a\n")
        self.assertIn("the header is not JSON", json.loads(page.recv())["text"])
        other.send(json.dumps({"do": "frames"}))
        self.assertEqual(json.loads(other.recv()), {"say": "frames"})


if __name__ == "__main__":
    try:
        import websocket
    except ImportError:
        print("skipped: there is no python3-websocket")
        sys.exit(77)
    KINEMA, CLIP = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
