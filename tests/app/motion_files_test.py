#!/usr/bin/env python3
"""The motion files of `kinema body track`, read back by other programs and by readers written from their descriptions.

glTF and BVH by assimp (Debian: assimp-utils), glTF also by Khronos' validator if node finds gltf-validator, C3D also by
ezc3d if Python has it. A test whose program is missing says so and is skipped.

    motion_files_test.py KINEMA CLIP.bvh
"""

import csv
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KINEMA, CLIP = None, None
FRAMES, GAP = 9, (4, 5)  # nobody is seen in frames 4 and 5


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stdout[-500:]} {done.stderr[-500:]}")
    return done.stdout


def empty_cloud(path):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }"
    header += " " * ((64 - (10 + len(header) + 1) % 64) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())


def read_trc(path):
    """Header, marker names, and rows of (frame, time, {marker: place or None}), as OpenSim describes the format."""
    lines = path.read_text().split("\n")
    header = dict(zip(lines[1].split("\t"), lines[2].split("\t")))
    names = [name for name in lines[3].split("\t")[2:] if name]
    axes = lines[4].split("\t")[2:]
    assert axes == [f"{axis}{i + 1}" for i in range(len(names)) for axis in "XYZ"], axes
    assert lines[5] == ""
    rows = []
    for line in lines[6:]:
        if not line:
            continue
        cells = line.split("\t")
        assert len(cells) == 2 + 3 * len(names), line
        places = {}
        for i, name in enumerate(names):
            three = cells[2 + 3 * i:5 + 3 * i]
            places[name] = None if three == ["", "", ""] else [float(cell) for cell in three]
        rows.append((int(cells[0]), float(cells[1]), places))
    return lines[0].split("\t"), header, names, rows


def read_mot(path):
    """Header and rows by column, as OpenSim describes the format."""
    head, _, body = path.read_text().partition("endheader\n")
    lines = body.rstrip("\n").split("\n")
    names = lines[0].split("\t")
    rows = [dict(zip(names, map(float, line.split("\t")))) for line in lines[1:]]
    return head.split("\n"), names, rows


def read_c3d(path):
    """Header, parameters by GROUP:NAME, and frames of points (x, y, z, residual), as c3d.org describes the format."""
    data = path.read_bytes()
    parameter_block, key = data[0], data[1]
    assert key == 0x50
    points, samples, first, last, gap, scale, data_block, per_frame, rate = struct.unpack_from("<HHHHHfHHf", data, 2)
    header = dict(points=points, first=first, last=last, gap=gap, scale=scale, data_block=data_block, rate=rate,
                  samples=samples, per_frame=per_frame)
    at = 512 * (parameter_block - 1)
    assert data[at + 1] == 0x50 and data[at + 3] == 84  # little-endian, IEEE floats
    end = at + 512 * data[at + 2]
    assert end == 512 * (data_block - 1)
    at += 4
    groups, parameters = {}, []
    while data[at] != 0:
        length, group = struct.unpack_from("<bb", data, at)
        name = data[at + 2:at + 2 + abs(length)].decode()
        link = at + 2 + abs(length)
        step = struct.unpack_from("<H", data, link)[0]
        if group < 0:
            groups[-group] = name
        else:
            kind, dimensions = struct.unpack_from("<bB", data, link + 2)
            sizes = list(data[link + 4:link + 4 + dimensions])
            start = link + 4 + dimensions
            count = math.prod(sizes)
            if kind == -1:
                text = data[start:start + count].decode()
                value = text if dimensions < 2 else [text[i * sizes[0]:(i + 1) * sizes[0]].rstrip() for i in range(sizes[1])]
                size = count
            else:
                letter = {1: "b", 2: "h", 4: "f"}[kind]
                value = list(struct.unpack_from(f"<{count}{letter}", data, start))
                value = value[0] if dimensions == 0 else value
                size = abs(kind) * count
            assert step == 2 + 2 + dimensions + size + 1 + data[start + size], name  # the description ends an entry
            parameters.append((group, name, value))
        at = link + step
        assert at < end
    values = {f"{groups[group]}:{name}": value for group, name, value in parameters}
    frames = []
    for frame in range(first, last + 1):
        offset = 512 * (data_block - 1) + (frame - first) * points * 16
        frames.append([struct.unpack_from("<ffff", data, offset + 16 * i) for i in range(points)])
    assert len(data) % 512 == 0
    return header, values, frames


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def moved(matrix, point):
    return [sum(matrix[i][k] * point[k] for k in range(3)) + matrix[i][3] for i in range(3)]


def placed(translation, quaternion):
    w, x, y, z = quaternion
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), translation[0]],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), translation[1]],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), translation[2]],
            [0, 0, 0, 1]]


def rows_of(numbers):
    return [numbers[4 * i:4 * i + 4] for i in range(4)]


def key_at(keys, time):
    """The last key not after a time."""
    value = keys[0][1]
    for when, what in keys:
        if when <= time + 1e-3:
            value = what
    return value


class Scene:
    """What assimp understood of a file."""

    def __init__(self, path, scratch):
        exported = scratch / (path.name + ".assjson")
        run("assimp", "export", path, exported, "-fassjson")
        self.scene = json.loads(exported.read_text())
        self.animation = self.scene["animations"][0]
        self.channels = {channel["name"]: channel for channel in self.animation["channels"]}

    def transforms(self, seconds):
        """The transform of each node at a time."""
        time = seconds * self.animation["tickspersecond"]
        found = {}

        def visit(node, above):
            matrix = rows_of(node["transformation"])
            channel = self.channels.get(node["name"])
            if channel:
                matrix = placed(key_at(channel["positionkeys"], time), key_at(channel["rotationkeys"], time))
            found[node["name"]] = multiply(above, matrix)
            for child in node.get("children", []):
                visit(child, found[node["name"]])

        identity = [[float(i == j) for j in range(4)] for i in range(4)]
        visit(self.scene["rootnode"], identity)
        return found


def to_segment(point, a, b):
    along = [q - p for p, q in zip(a, b)]
    share = sum((x - p) * d for x, p, d in zip(point, a, along)) / sum(d * d for d in along)
    nearest = [p + min(1, max(0, share)) * d for p, d in zip(a, along)]
    return math.dist(point, nearest)


class MotionFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = folder = Path(cls.scratch.name)
        run(KINEMA, "body", "simulate", "--motion", CLIP, "--mode", "points", "--frames", FRAMES, "--out", folder / "walk")
        for frame in GAP:
            cloud = next((folder / "walk" / "points").glob(f"{frame:06d}.*"))
            empty_cloud(cloud)
        run(KINEMA, "body", "track", "--input", folder / "walk", "--out", folder / "poses.jsonl", "--particles", 50,
            "--points", 800, "--threads", 1, *[word for ending in ("csv", "bvh", "trc", "mot", "c3d")
                                               for word in (f"--{ending}", folder / f"out.{ending}")],
            "--gltf", folder / "out.glb")
        cls.poses = [json.loads(line) for line in (folder / "poses.jsonl").read_text().splitlines()]
        cls.found = [i for i, pose in enumerate(cls.poses) if pose["joints"]]

    def joints(self, frame, scale=1):
        """Of poses.jsonl: y up."""
        return {name: [scale * x, -scale * y, -scale * z] for name, (x, y, z) in self.poses[frame]["joints"].items()}

    def assert_near(self, places, expected, tolerance):
        for name, place in expected.items():
            self.assertLess(math.dist(places[name], place), tolerance, name)

    def test_the_run_has_a_gap(self):
        self.assertEqual(len(self.poses), FRAMES)
        self.assertEqual([i for i in range(FRAMES) if i not in self.found], list(GAP))

    def test_trc(self):
        first, header, names, rows = read_trc(self.folder / "out.trc")
        self.assertEqual(first, ["PathFileType", "4", "(X/Y/Z)", "out.trc"])
        self.assertEqual(header["Units"], "mm")
        self.assertEqual(float(header["DataRate"]), 30)
        self.assertEqual(int(header["NumFrames"]), len(rows))
        self.assertEqual(int(header["NumMarkers"]), len(names))
        self.assertEqual(len(rows), FRAMES)
        for i, (number, time, places) in enumerate(rows):
            self.assertEqual(number, i + 1)
            self.assertAlmostEqual(time, self.poses[i]["time"], places=5)
            if i in GAP:
                self.assertEqual(set(places.values()), {None})
            else:
                self.assert_near(places, self.joints(i, 1000), 1e-3)  # four digits of a millimetre

    def test_mot_and_csv_hold_the_same_angles(self):
        head, names, rows = read_mot(self.folder / "out.mot")
        self.assertIn(f"nRows={len(self.found)}", head)
        self.assertIn(f"nColumns={len(names)}", head)
        self.assertIn("inDegrees=yes", head)
        self.assertEqual(len(rows), len(self.found))
        with open(self.folder / "out.csv") as file:
            table = list(csv.DictReader(file))
        self.assertEqual(len(table), FRAMES)
        same = {"hip_flexion_l": "left_hip_flexion", "knee_angle_r": "right_knee_flexion",
                "ankle_angle_l": "left_ankle_dorsiflexion", "shoulder_elv_r": "right_shoulder_elevation",
                "elbow_flex_l": "left_elbow_flexion"}
        for frame, row in zip(self.found, rows):
            self.assertAlmostEqual(row["time"], self.poses[frame]["time"], places=5)
            for coordinate, angle in same.items():
                self.assertAlmostEqual(row[coordinate], float(table[frame][angle]), places=3)
                self.assertAlmostEqual(row[coordinate + "_std"], float(table[frame][angle + "_std"]), places=3)
                self.assertGreater(row[coordinate + "_std"], 0.1)
        for frame in GAP:
            self.assertEqual(table[frame]["left_hip_flexion"], "")

    def test_the_flexion_of_a_knee_is_the_angle_between_its_bones(self):
        _, _, rows = read_mot(self.folder / "out.mot")
        for frame, row in zip(self.found, rows):
            joints = self.joints(frame)
            thigh = [b - a for a, b in zip(joints["left_hip"], joints["left_knee"])]
            shin = [b - a for a, b in zip(joints["left_knee"], joints["left_ankle"])]
            cosine = sum(a * b for a, b in zip(thigh, shin)) / math.hypot(*thigh) / math.hypot(*shin)
            # joints have nine digits, but near 0 degrees a cosine tells little
            self.assertAlmostEqual(row["knee_angle_l"], math.degrees(math.acos(min(1, cosine))), delta=0.1)

    def test_c3d(self):
        header, parameters, frames = read_c3d(self.folder / "out.c3d")
        labels = parameters["POINT:LABELS"]
        self.assertEqual(header["points"], parameters["POINT:USED"])
        self.assertEqual(header["points"], len(labels))
        self.assertEqual((header["first"], header["last"]), (1, FRAMES))
        self.assertEqual(parameters["POINT:FRAMES"], FRAMES)
        self.assertEqual(parameters["TRIAL:ACTUAL_END_FIELD"], [FRAMES, 0])
        self.assertEqual(parameters["POINT:RATE"], 30)
        self.assertEqual(header["rate"], 30)
        self.assertEqual(parameters["POINT:UNITS"], "mm")
        self.assertEqual(parameters["POINT:DATA_START"], header["data_block"])
        self.assertLess(header["scale"], 0)  # floats
        # no analog channels; py-c3d compares the rates and the number of channels with the header
        self.assertEqual(parameters["ANALOG:USED"], 0)
        self.assertEqual(header["samples"], parameters["ANALOG:USED"] * header["per_frame"])
        self.assertEqual(header["per_frame"], parameters["ANALOG:RATE"] / parameters["POINT:RATE"])
        self.assertEqual(header["scale"], parameters["POINT:SCALE"])
        for i, frame in enumerate(frames):
            for point in frame:
                self.assertEqual(point[3], -1 if i in GAP else 0)
            if i not in GAP:
                self.assert_near({label: point[:3] for label, point in zip(labels, frame)}, self.joints(i, 1000), 1e-3)

    def test_c3d_by_ezc3d(self):
        try:
            import ezc3d
        except ImportError:
            self.skipTest("ezc3d is not installed: C3D is only read by this file's own reader")
        read = ezc3d.c3d(str(self.folder / "out.c3d"))
        labels = read["parameters"]["POINT"]["LABELS"]["value"]
        for i in self.found:
            places = {label: read["data"]["points"][:3, j, i] for j, label in enumerate(labels)}
            self.assert_near(places, self.joints(i, 1000), 1e-3)

    def need_assimp(self):
        if not shutil.which("assimp"):
            self.skipTest("assimp is not installed (Debian: assimp-utils)")

    def test_gltf_by_assimp(self):
        self.need_assimp()
        scene = Scene(self.folder / "out.glb", self.folder)
        for frame in self.found:
            transforms = scene.transforms(self.poses[frame]["time"] - self.poses[0]["time"])
            places = {name: moved(matrix, [0, 0, 0]) for name, matrix in transforms.items()}
            self.assert_near(places, self.joints(frame), 1e-4)  # assimp writes six digits
        # in a gap the last pose stands still
        held = scene.transforms(self.poses[GAP[1]]["time"] - self.poses[0]["time"])
        places = {name: moved(matrix, [0, 0, 0]) for name, matrix in held.items()}
        self.assert_near(places, self.joints(GAP[0] - 1), 1e-4)

    def test_the_skin_of_gltf_follows_its_bones(self):
        self.need_assimp()
        scene = Scene(self.folder / "out.glb", self.folder)
        frame = self.found[-1]
        transforms, joints = scene.transforms(self.poses[frame]["time"] - self.poses[0]["time"]), self.joints(frame)
        mesh = scene.scene["meshes"][0]
        skeleton = json.loads((self.folder / "walk" / "skeleton.json").read_text())
        # the foot is no capsule along its bone; the others are
        for joint, end in (("left_knee", "left_ankle"), ("right_elbow", "right_wrist"), ("left_hip", "left_knee")):
            radii = [capsule["radius"] for capsule in skeleton["capsules"] if capsule["joint"] == joint]
            bone = next(bone for bone in mesh["bones"] if bone["name"] == joint)
            matrix = multiply(transforms[joint], rows_of(bone["offsetmatrix"]))
            away = []
            for vertex, weight in bone["weights"]:
                self.assertEqual(weight, 1)
                point = moved(matrix, mesh["vertices"][3 * vertex:3 * vertex + 3])
                away.append(to_segment(point, joints[joint], joints[end]))
            self.assertGreater(len(away), 100)
            self.assertLess(max(away), max(radii) + 0.03)  # some capsules stand beside the line from joint to joint
            self.assertGreater(max(away), min(radii))

    def test_gltf_by_the_validator(self):
        script = ("const v = require('gltf-validator'), fs = require('fs');"
                  "v.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1])))"
                  ".then(r => console.log(JSON.stringify(r.issues)));")
        if not shutil.which("node"):
            self.skipTest("node is not installed")
        done = subprocess.run(["node", "-e", script, str(self.folder / "out.glb")], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest("node does not find gltf-validator (npm install gltf-validator, NODE_PATH)")
        issues = json.loads(done.stdout)
        self.assertEqual((issues["numErrors"], issues["numWarnings"]), (0, 0), issues)

    def test_bvh_by_assimp(self):
        self.need_assimp()
        scene = Scene(self.folder / "out.bvh", self.folder)
        for frame in range(FRAMES):
            transforms = scene.transforms(frame / 30)
            places = {name: moved(matrix, [0, 0, 0]) for name, matrix in transforms.items()}
            last = max(i for i in self.found if i <= frame)
            self.assert_near(places, self.joints(last), 1e-4)

    def test_refuses_names_of_other_formats_and_writes_nothing(self):
        for flag, name in (("--trc", "out.txt"), ("--mot", "out.trc"), ("--c3d", "points"), ("--gltf", "out.gltf")):
            done = subprocess.run([KINEMA, "body", "track", "--input", self.folder / "walk", "--out",
                                   self.folder / "none.jsonl", flag, self.folder / name], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("ends in", done.stderr)
            self.assertFalse((self.folder / "none.jsonl").exists())


if __name__ == "__main__":
    KINEMA, CLIP = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
