#!/usr/bin/env python3
"""An avatar that follows a face: a marionette written from the description of the VMC protocol (protocol.vmc.info) and the presets
of VRM (vrm.dev) gets a drawn film with a blink, by each set of names.

    avatar_test.py KINEMA CLIP.bvh

With the environment variable KINEMA_CLIPS, a folder of labelled clips of people (see tests/accuracy/blinks.json), the avatar
blinks with one of them too.
"""

import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

from live_receivers_test import Receiver, messages_of, run

KINEMA = None
FPS, FRAMES = 30, 45
CLOSED = range(32, 35)  # the drawn lids are shut, or nearly
LABELS = pathlib.Path(__file__).resolve().parent.parent / "accuracy" / "blinks.json"

NAMES = {
    "arkit": ("jawOpen", "mouthSmileLeft", "mouthSmileRight", "mouthPucker", "eyeBlinkLeft", "eyeBlinkRight", "browInnerUp",
              "browDownLeft", "browDownRight", "browOuterUpLeft", "browOuterUpRight"),
    # https://vrm.dev/univrm/blendshape/univrm_blendshape, https://github.com/vrm-c/vrm-specification, VRMC_vrm-1.0
    "vrm0": ("Neutral", "A", "I", "U", "E", "O", "Blink", "Joy", "Angry", "Sorrow", "Fun", "LookUp", "LookDown", "LookLeft",
             "LookRight", "Blink_L", "Blink_R"),
    "vrm1": ("happy", "angry", "sad", "relaxed", "surprised", "aa", "ih", "ou", "ee", "oh", "blink", "blinkLeft", "blinkRight",
             "lookUp", "lookDown", "lookLeft", "lookRight", "neutral"),
}
BLINKS = {"arkit": ("eyeBlinkLeft", "eyeBlinkRight"), "vrm0": ("Blink_L", "Blink_R"), "vrm1": ("blinkLeft", "blinkRight")}
VOWELS = {"vrm0": "AIUEO", "vrm1": ("aa", "ih", "ou", "ee", "oh")}


class Marionette:
    """What a receiver makes of a performer's datagrams: blend shapes become visible with Apply."""

    def __init__(self, packets):
        self.frames, waiting, now = [], {}, None
        for packet in packets:
            assert packet.startswith(b"#bundle\0")
            seconds, part = struct.unpack_from(">II", packet, 8)
            for address, arguments in messages_of(packet):
                if address == "/VMC/Ext/OK":
                    loaded, calibrated, mode, tracked = arguments
                    assert (loaded, calibrated, mode) == (1, 3, 0)
                    now = {"tracked": tracked, "bones": {}, "shapes": {}, "time": seconds + part / 2**32}
                    self.frames.append(now)
                elif address in ("/VMC/Ext/Root/Pos", "/VMC/Ext/Bone/Pos", "/VMC/Ext/Hmd/Pos"):
                    name, *values = arguments
                    assert len(values) == 7 and all(isinstance(value, float) for value in values)
                    now["bones"][name] = values[:3], values[3:]
                elif address == "/VMC/Ext/Blend/Val":
                    name, value = arguments
                    waiting[name] = value
                else:
                    assert address == "/VMC/Ext/Blend/Apply" and not arguments, address
                    now["shapes"], waiting = waiting, {}
        assert not waiting


def performed(folder, *words):
    receiver = Receiver()
    try:
        run(KINEMA, *words, "--vmc", receiver.target, "--out", folder / "out.jsonl")
    finally:
        packets = receiver.finish()
    return Marionette(packets)


class Avatar(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = folder = pathlib.Path(scratch.name)
        run(KINEMA, "face", "film", "--frames", FRAMES, "--fps", FPS, "--turn", 8, "--person", 2, "--out", folder / "film")
        words = ("face", "fit", "--input", folder / "film", "--sequence", "--fps", FPS)
        cls.plays = {names: performed(folder, *words, "--blend-shapes", names, "--height", "1.6") for names in NAMES}
        cls.lines = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]

    def test_every_frame_arrives(self):
        for play in self.plays.values():
            self.assertEqual(len(play.frames), FRAMES)
            self.assertTrue(all(frame["tracked"] for frame in play.frames))

    def test_names_are_those_of_the_avatar_and_values_between_0_and_1(self):
        for names, play in self.plays.items():
            first = set(play.frames[0]["shapes"])
            self.assertLessEqual(first, set(NAMES[names]))
            self.assertLessEqual(set(BLINKS[names]), first)
            for frame in play.frames:
                self.assertEqual(set(frame["shapes"]), first)
                self.assertTrue(all(0 <= value <= 1 for value in frame["shapes"].values()), frame["shapes"])
                self.assertLessEqual(sum(frame["shapes"][name] for name in VOWELS.get(names, ())), 1 + 1e-6)

    def test_it_blinks_with_the_person_and_only_then(self):
        for names, play in self.plays.items():
            for lid in BLINKS[names]:
                values = [frame["shapes"][lid] for frame in play.frames]
                self.assertGreaterEqual(max(values[frame] for frame in CLOSED), 0.8, f"{names} {lid} {values}")
                rest = [value for frame, value in enumerate(values) if frame < 29 or frame > 37]
                self.assertLessEqual(max(rest), 0.15, f"{names} {lid} {rest}")

    def test_it_is_as_high_as_the_person(self):
        for frame in self.plays["vrm0"].frames:
            bones = frame["bones"]
            self.assertEqual(set(bones), {"root", "Hips", "Head", "kinema"})
            self.assertEqual(bones["root"][0][1], 0)
            # eyes of somebody of 1.6 m, who moves some centimetres
            self.assertAlmostEqual(bones["kinema"][0][1], 0.936 * 1.6, delta=0.06)
            self.assertAlmostEqual(bones["Hips"][0][1], 0.53 * 1.6, delta=0.06)
            self.assertEqual(bones["root"][0][0], bones["kinema"][0][0])
            self.assertAlmostEqual(math.hypot(*bones["Head"][1]), 1, places=5)

    def test_the_film_is_sent_at_its_own_speed(self):
        # not faster; a busy machine may be slower
        times = [frame["time"] for frame in self.plays["arkit"].frames]
        self.assertGreaterEqual(times[-1] - times[0], 0.98 * (FRAMES - 1) / FPS)

    def test_deviations_are_written(self):
        for line in self.lines:
            head = line["head"]
            self.assertEqual(set(head["expression_deviation"]), set(head["expression"]))
            self.assertTrue(all(0 < value < 1 for value in head["expression_deviation"].values()))

    def test_a_neutral_face_that_is_named_is_the_measure(self):
        run(KINEMA, "face", "fit", "--input", self.folder / "film", "--sequence", "--fps", FPS, "--neutral", "0.2", "--out",
            self.folder / "named.jsonl")
        lines = [json.loads(line) for line in (self.folder / "named.jsonl").read_text().splitlines()]
        frames = [line["head"]["expression"] for line in lines if 0.3 < line["time"] < 0.9]
        for name in ("browDownLeft", "browDownRight", "eyeBlinkLeft", "eyeBlinkRight"):
            self.assertLess(sorted(frame[name] for frame in frames)[len(frames) // 2], 0.1, name)

    def test_refuses_other_names_and_heights(self):
        for flag, word in (("--blend-shapes", "vrm2"), ("--height", "17m"), ("--neutral", "soon")):
            done = subprocess.run([KINEMA, "face", "fit", "--input", self.folder / "film", "--sequence", "--out",
                                   self.folder / "none.jsonl", flag, word], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(flag, done.stderr)

    def test_it_blinks_with_a_person(self):
        clips = os.environ.get("KINEMA_CLIPS")
        label = json.loads(LABELS.read_text())["default.wmv"]
        clip = pathlib.Path(clips or "") / label["path"]
        if not clips or not clip.exists():
            self.skipTest("no clips of people: set KINEMA_CLIPS to the folder that has them")
        play = performed(self.folder, "face", "fit", "--input", clip, "--blend-shapes", "vrm1")
        for lid in BLINKS["vrm1"]:
            values = [frame["shapes"][lid] for frame in play.frames]
            for first, last in label["closed"]:
                self.assertGreaterEqual(max(values[first:last + 2]), 0.8, f"{lid} in frames {first} to {last}")


if __name__ == "__main__":
    KINEMA = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
