#!/usr/bin/env python3
"""Receivers of what `kinema body track` sends live, written from the public descriptions of the protocols.

Open Sound Control 1.0 (opensoundcontrol.org), the Virtual Motion Capture protocol (protocol.vmc.info), VRChat's trackers
(docs.vrchat.com/docs/osc-trackers) and opentrack's UDP packet. The poses that arrive are compared with poses.jsonl.

    live_receivers_test.py KINEMA CLIP.bvh
"""

import json
import math
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

KINEMA, CLIP = None, None
FRAMES = 6


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stderr[-500:]}")
    return done


class Receiver:
    """Collects datagrams until it is closed."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.target = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.packets = []
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        while True:
            packet = self.socket.recv(65536)
            if packet == b"end":
                return
            self.packets.append(packet)

    def finish(self):
        """All that was sent before: loopback keeps the order."""
        host, port = self.target.split(":")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"end", (host, int(port)))
        self.thread.join()
        self.socket.close()
        return self.packets


def text_at(packet, at):
    end = packet.index(b"\0", at)
    return packet[at:end].decode(), (end // 4 + 1) * 4


def messages_of(packet):
    """(address, arguments) of a datagram, and of bundles in bundles."""
    if packet.startswith(b"#bundle\0"):
        at = 16  # after the time tag
        while at < len(packet):
            size = struct.unpack_from(">i", packet, at)[0]
            assert size % 4 == 0
            yield from messages_of(packet[at + 4:at + 4 + size])
            at += 4 + size
        assert at == len(packet)
        return
    address, at = text_at(packet, 0)
    types, at = text_at(packet, at)
    assert types[0] == ","
    arguments = []
    for kind in types[1:]:
        if kind == "s":
            value, at = text_at(packet, at)
        else:
            value = struct.unpack_from({"i": ">i", "f": ">f"}[kind], packet, at)[0]
            at += 4
        arguments.append(value)
    assert at == len(packet)
    yield address, arguments


def turned(quaternion, vector):
    """By x y z w, as Unity's Quaternion * Vector3; the algebra is that of right-handed frames too."""
    x, y, z, w = quaternion
    a, b, c = vector
    tx, ty, tz = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    return (a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx)


def times(p, q):
    ax, ay, az, aw = p
    bx, by, bz, bw = q
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


# Unity's skeleton of humanoid avatars: each bone and its parent
PARENTS = {"Hips": None, "Spine": "Hips", "Chest": "Spine", "Neck": "Chest", "Head": "Neck"}
for side in ("Left", "Right"):
    PARENTS |= {f"{side}Shoulder": "Chest", f"{side}UpperArm": f"{side}Shoulder", f"{side}LowerArm": f"{side}UpperArm",
                f"{side}Hand": f"{side}LowerArm", f"{side}UpperLeg": "Hips", f"{side}LowerLeg": f"{side}UpperLeg",
                f"{side}Foot": f"{side}LowerLeg", f"{side}Toes": f"{side}Foot"}
JOINTS = {"Hips": "pelvis", "Neck": "neck", "Head": "head"}
for side in ("Left", "Right"):
    low = side.lower()
    JOINTS |= {f"{side}UpperArm": f"{low}_shoulder", f"{side}LowerArm": f"{low}_elbow", f"{side}Hand": f"{low}_wrist",
               f"{side}UpperLeg": f"{low}_hip", f"{side}LowerLeg": f"{low}_knee", f"{side}Foot": f"{low}_ankle"}


class LiveReceivers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = folder = Path(scratch.name)
        run(KINEMA, "body", "simulate", "--motion", CLIP, "--mode", "points", "--frames", FRAMES, "--out", folder / "walk")
        receivers = {name: Receiver() for name in ("osc", "udp", "vmc", "vrchat")}
        try:
            cls.track(folder / "poses.jsonl", *[word for name, receiver in receivers.items()
                                                for word in (f"--{name}", receiver.target)])
        finally:
            cls.packets = {name: receiver.finish() for name, receiver in receivers.items()}
        cls.poses = [json.loads(line) for line in (folder / "poses.jsonl").read_text().splitlines()]

    @classmethod
    def track(cls, out, *more):
        return run(KINEMA, "body", "track", "--input", cls.folder / "walk", "--out", out, "--lag", 0, "--particles", 50,
                   "--points", 800, "--threads", 1, *more)

    def messages(self, name):
        return [message for packet in self.packets[name] for message in messages_of(packet)]

    def test_somebody_was_tracked(self):
        self.assertEqual(len(self.poses), FRAMES)
        self.assertTrue(all(pose["joints"] for pose in self.poses))

    def test_datagrams_fit_an_ethernet_frame(self):
        for packets in self.packets.values():
            self.assertLessEqual(max(map(len, packets)), 1472)

    def test_osc(self):
        frame, seen = None, 0
        for address, arguments in self.messages("osc"):
            if address == "/kinema/body":
                frame = self.poses[arguments[0]]
                self.assertTrue(0 < arguments[1] <= 1)
                continue
            self.assertEqual(address, "/kinema/body/joint")
            name, *values = arguments
            self.assertLess(math.dist(values[:3], frame["joints"][name]), 1e-5)
            self.assertAlmostEqual(math.hypot(*values[3:7]), 1, places=5)
            self.assertAlmostEqual(values[7], frame["std"][name], places=6)
            seen += 1
        self.assertEqual(seen, FRAMES * len(self.poses[0]["joints"]))

    def test_osc_rotations_turn_bones_to_where_they_point(self):
        # in the rest pose the left upper arm points along x, the right thigh down
        frames = [{} for _ in range(FRAMES)]
        for address, arguments in self.messages("osc"):
            if address == "/kinema/body":
                current = frames[arguments[0]]
            elif address == "/kinema/body/joint":
                current[arguments[0]] = arguments[1:]
        for frame in frames:
            for joint, end, rest in (("left_shoulder", "left_elbow", (1, 0, 0)), ("right_hip", "right_knee", (0, -1, 0))):
                bone = [b - a for a, b in zip(frame[joint][:3], frame[end][:3])]
                along = [part / math.hypot(*bone) for part in bone]
                self.assertLess(math.dist(turned(frame[joint][3:7], rest), along), 1e-3)

    def test_vmc_bones_stand_where_the_joints_are(self):
        frames = []
        for address, arguments in self.messages("vmc"):
            if address == "/VMC/Ext/OK":
                self.assertEqual(arguments, [1, 3, 0, 1])
                frames.append({})
            elif address == "/VMC/Ext/T":
                self.assertAlmostEqual(arguments[0], self.poses[len(frames) - 1]["time"], places=5)
            elif address == "/VMC/Ext/Root/Pos":
                self.assertEqual(arguments[0], "root")
                frames[-1]["root"] = arguments[1:4], arguments[4:]
            else:
                self.assertEqual(address, "/VMC/Ext/Bone/Pos")
                frames[-1][arguments[0]] = arguments[1:4], arguments[4:]
        self.assertEqual(len(frames), FRAMES)
        for frame, pose in zip(frames, self.poses):
            self.assertEqual(set(frame) - {"root"}, set(PARENTS))
            world = {None: frame["root"]}
            for bone, parent in PARENTS.items():  # parents come first
                place, turn = world[parent]
                offset, own = frame[bone]
                world[bone] = [a + b for a, b in zip(place, turned(turn, offset))], times(turn, own)
            hips = pose["joints"]["pelvis"]
            floor = world["Hips"][0][1] + hips[1]  # y down, in the camera frame
            # left-handed, y up from the floor: all axes of the camera frame are turned over
            for bone, joint in JOINTS.items():
                x, y, z = pose["joints"][joint]
                self.assertLess(math.dist(world[bone][0], (-x, floor - y, -z)), 1e-4, bone)
            feet = min(world["LeftFoot"][0][1], world["RightFoot"][0][1])
            self.assertTrue(0 < feet < 0.2, feet)  # ankles are above the floor

    def test_vrchat_trackers(self):
        frames = [{}]
        for address, arguments in self.messages("vrchat"):
            if address in frames[-1]:
                frames.append({})
            self.assertEqual(len(arguments), 3)
            frames[-1][address] = arguments
        self.assertEqual(len(frames), FRAMES)
        places = {"1": "pelvis", "3": "left_ankle", "4": "right_ankle", "5": "left_knee", "6": "right_knee",
                  "7": "left_elbow", "8": "right_elbow", "head": "head"}
        for frame, pose in zip(frames, self.poses):
            self.assertEqual(len(frame), 18)
            floor = frame["/tracking/trackers/1/position"][1] + pose["joints"]["pelvis"][1]
            for number, joint in places.items():
                x, y, z = pose["joints"][joint]
                self.assertLess(math.dist(frame[f"/tracking/trackers/{number}/position"], (-x, floor - y, -z)), 1e-4)
            # Unity's angles turn about z, then x, then y; a thigh at rest points down
            angles = [math.radians(part) for part in frame["/tracking/trackers/5/rotation"]]
            halves = [(math.sin(part / 2), math.cos(part / 2)) for part in angles]
            (sx, cx), (sy, cy), (sz, cz) = halves
            turn = times(times((0, sy, 0, cy), (sx, 0, 0, cx)), (0, 0, sz, cz))
            thigh = [-(b - a) for a, b in zip(pose["joints"]["left_hip"], pose["joints"]["left_knee"])]
            along = [part / math.hypot(*thigh) for part in thigh]
            self.assertLess(math.dist(turned(turn, (0, -1, 0)), along), 1e-3)

    def test_opentrack(self):
        packets = self.packets["udp"]
        self.assertEqual(len(packets), FRAMES)
        for packet, pose in zip(packets, self.poses):
            x, y, z, yaw, pitch, roll = struct.unpack("<6d", packet)
            head = pose["joints"]["head"]
            self.assertLess(math.dist((x, y, z), (-100 * head[0], -100 * head[1], 100 * head[2])), 1e-3)
            self.assertLess(max(map(abs, (yaw, pitch, roll))), 90)  # a walker who comes towards the camera
        self.assertGreater(max(abs(value) for packet in packets for value in struct.unpack("<6d", packet)[3:]), 0.1)

    def test_receivers_change_nothing(self):
        """Whether nobody listens, or somebody who never reads."""
        deaf = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        deaf.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{deaf.getsockname()[1]}"
        absent = "127.0.0.1:9"
        self.track(self.folder / "deaf.jsonl", "--osc", target, "--vmc", target, "--vrchat", absent, "--udp", absent)
        for line, pose in zip((self.folder / "deaf.jsonl").read_text().splitlines(), self.poses):
            other = json.loads(line)
            self.assertEqual({k: v for k, v in other.items() if k != "ms"}, {k: v for k, v in pose.items() if k != "ms"})
        deaf.close()

    def test_refuses_what_is_no_receiver(self):
        for flag in ("--osc", "--udp", "--vmc", "--vrchat"):
            done = subprocess.run([KINEMA, "body", "track", "--input", self.folder / "walk", "--out",
                                   self.folder / "none.jsonl", flag, "nonsense"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("is not a receiver", done.stderr)
            self.assertFalse((self.folder / "none.jsonl").exists())


if __name__ == "__main__":
    KINEMA, CLIP = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
