"""What measure_mechanisms.py runs with each mechanism off, and the figures of each run.

A set of the body is a folder of recordings, as they are or packed (pack_recordings.py); those of heads, faces and persons are
measurements of constant_runs.py.
"""

import copy
import gzip
import json
import lzma
import math
import os
import shutil
import statistics
import struct
import subprocess
import tempfile
import threading
import zipfile
from pathlib import Path

from constant_runs import SEEDS, Measurement
from pack_recordings import BESIDE, PACKED

# How the joints of a set differ from those of its truth by definition: by an offset in the frame of a bone, as a share of the
# stature, which the other recordings tell; by one that the recording itself tells; or not at all.
BY_OTHERS, BY_ITSELF, EQUAL = "others", "itself", "equal"
DEFINED = {"realistic": BY_OTHERS, "stereo": BY_OTHERS, "kinect": BY_ITSELF, "clips": EQUAL}

# Joints, and the bones of the truth in whose frames they lie.
BONES = {"pelvis": "Hips", "neck": "Spine1", "head": "Neck1"}
for _side in ("Left", "Right"):
    for _joint, _bone in (("shoulder", "Spine1"), ("elbow", f"{_side}Arm"), ("wrist", f"{_side}ForeArm"), ("hip", "Hips"),
                          ("knee", f"{_side}UpLeg"), ("ankle", f"{_side}Leg")):
        BONES[f"{_side.lower()}_{_joint}"] = _bone
JOINTS = list(BONES)
AT = {name: i for i, name in enumerate(JOINTS)}
OTHER_SIDE = [AT[name.replace("left_", "right_") if name.startswith("left_") else name.replace("right_", "left_")]
              for name in JOINTS]
ACROSS = [-1 if name.startswith("right_") else 1 for name in JOINTS]  # of x, where right sides count as left ones

UNIT = 1e-4         # metres, in which kept joints are rounded
NEAR = 0.1          # metres
LIKELY = 7.815      # squared length of a vector of three standard normal numbers that 95 % do not exceed
LIKELY_SHARE = 95


class Runner:
    """Runs the command, with a packed recording at its standard input."""

    def __init__(self, command):
        self.command = str(Path(command).resolve())

    longest = 1200  # seconds: without a mechanism a run may not end

    def __call__(self, *arguments, folder, constants="", packed=None):
        """What it printed as JSON, and the processor time it took."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen([self.command, *map(str, arguments), "--json"], cwd=folder, stdout=out, stderr=errors,
                                       stdin=subprocess.PIPE if packed else subprocess.DEVNULL,
                                       env={**os.environ, "KINEMA_CONSTANTS": constants})
            limit = threading.Timer(self.longest, process.kill)
            limit.start()
            if packed:
                feeder = threading.Thread(target=self.feed, args=(packed, process.stdin))
                feeder.start()
            _, status, usage = os.wait4(process.pid, 0)
            limit.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            if packed:
                feeder.join()
            out.seek(0), errors.seek(0)
            printed, said = out.read().decode(), errors.read().decode().strip()
        seconds = usage.ru_utime + usage.ru_stime
        if process.returncode != 0 and not printed.strip():
            raise RuntimeError(said.splitlines()[-1] if said else f"ended with {process.returncode}")
        return json.loads(printed), seconds

    @staticmethod
    def feed(packed, stream):
        try:
            with lzma.open(packed) as file, stream:
                shutil.copyfileobj(file, stream, 1 << 20)
        except BrokenPipeError:
            pass  # it took as many frames as it was asked for


def check_names(command, settings):
    """Sees that the command reads each constant: one that it does not know would be ignored, as if it changed nothing."""
    unread = []
    for name in sorted({setting.partition("=")[0] for setting in settings}):
        done = subprocess.run([str(command), "--version"], capture_output=True, text=True,
                              env={**os.environ, "KINEMA_CONSTANTS": f"{name}=none"})
        if done.returncode != 2 or "KINEMA_CONSTANTS" not in done.stderr:
            unread.append(name)
    return unread


# ---- recordings of the body

def recordings_of(folder):
    """The recordings of a folder with truth. Those called control have a person who does not move."""
    return sorted(path for path in Path(folder).resolve().iterdir() if (path / "truth.jsonl").exists() and "-control" not in path.name)


def read_joints(path, most=None):
    """Of each frame the joints, missing ones as None, and the deviations."""
    places, deviations = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if most and line["frame"] >= most:
                continue
            joints, std = line.get("joints"), line.get("std") or {}
            places[line["frame"]] = [joints.get(name) for name in JOINTS] if joints else None
            deviations[line["frame"]] = [std.get(name) for name in JOINTS] if joints else None
    return places, deviations


def read_npy(data):
    """An array of little-endian numbers or words as a flat list, and its shape."""
    size, = struct.unpack_from("<H" if data[6] == 1 else "<I", data, 8)
    start = (10 if data[6] == 1 else 12) + size
    words = data[start - size:start].decode().strip()
    kind = words.split("'descr': '")[1].split("'")[0]
    shape = [int(word) for word in words.split("'shape': (")[1].split(")")[0].split(",") if word.strip()]
    if "'fortran_order': True" in words:
        raise SystemExit("mechanism_runs: an array lies in the order of columns")
    if kind.startswith("<U"):
        width = 4 * int(kind[2:])
        return [data[i:i + width].decode("utf-32-le").rstrip("\0") for i in range(start, len(data), width)], shape
    letter = {"<f8": "d", "<f4": "f"}[kind]
    return list(struct.unpack_from(f"<{math.prod(shape)}{letter}", data, start)), shape


def read_frames(path):
    """Of each frame the rotations of the bones of all joints, as rows of nine numbers."""
    with zipfile.ZipFile(path) as file:
        names, _ = read_npy(file.read("names.npy"))
        numbers, (count, bones, _, _) = read_npy(file.read("rotations.npy"))
    own = [names.index(BONES[name]) for name in JOINTS]
    return [[numbers[9 * (frame * bones + bone):9 * (frame * bones + bone) + 9] for bone in own] for frame in range(count)]


class Truth:
    """What is known of a recording, read once."""

    def __init__(self, folder, most):
        self.joints, _ = read_joints(folder / "truth.jsonl", most)
        self.bones = read_frames(folder / "truth_frames.npz") if (folder / "truth_frames.npz").exists() else None
        about = folder / "recording.json"
        self.stature = json.loads(about.read_text())["person"]["stature"] if about.exists() else 1


class Recordings:
    """A set of recordings of the body."""

    def __init__(self, name, folder, options):
        self.name, self.options = name, options
        self.kind = name.removesuffix(" live")
        self.lag = 0 if name.endswith(" live") else 15
        self.folders = recordings_of(folder)
        if options.recordings:
            self.folders = [path for path in self.folders if path.name in options.recordings]
            self.folders.sort(key=lambda path: options.recordings.index(path.name))
        self.truth = {path.name: Truth(path, options.frames) for path in self.folders}
        self.offsets = {}

    def place(self, run, seed, recording):
        return self.options.work / self.name.replace(" ", "-") / f"{run or 'as_it_is'}-{seed}" / f"{recording.name}.json.gz"

    def track(self, runner, recording, run, seed, mechanism):
        """Tracks a recording, and keeps what was found; `mechanism`: off, or none."""
        options = ["--backend", "cpu", "--threads", 1, "--particles", self.options.particles, "--points", self.options.points,
                   "--seed", seed]
        if self.options.frames:
            options += ["--frames", self.options.frames]
        own = mechanism.options.split() if mechanism else []
        if "--lag" not in own:
            options += ["--lag", self.lag]
        packed = recording / PACKED
        packed = packed if packed.exists() else None
        with tempfile.TemporaryDirectory() as folder:
            # without the skeleton that simulated recordings have: people are not known
            source = Path(folder) / "recording"
            source.mkdir()
            for path in recording.iterdir():
                if path.name not in ("skeleton.json", *BESIDE) or path.name == "camera.json":
                    (source / path.name).symlink_to(path)
            try:
                _, seconds = runner("body", "track", "--input", "-" if packed else source, *options, *own, "--out", "p.jsonl",
                                    folder=folder, packed=packed, constants=",".join(mechanism.switches if mechanism else []))
            except RuntimeError as error:
                return {"failed": f"{recording.name}: {error}"}
            joints, deviations = read_joints(Path(folder) / "p.jsonl")
            evaluated = None
            if any(joints.values()):
                truth = recording / "truth.jsonl"
                if self.options.frames:
                    lines = truth.read_text().splitlines()[:self.options.frames]
                    truth = Path(folder) / "truth.jsonl"
                    truth.write_text("\n".join(lines) + "\n")
                evaluated, _ = runner("body", "evaluate", "--poses", "p.jsonl", "--truth", truth, folder=folder)
        rounded = {frame: places and [[round(x / UNIT) for x in place] for place in places] for frame, places in joints.items()}
        stated = {frame: own and [round(x / UNIT) for x in own] for frame, own in deviations.items()}
        found = {"seconds": seconds, "joints": rounded, "std": stated}
        if evaluated:
            found["evaluated"] = {"mean_mm": evaluated["results"]["mean_mm"],
                                  "normalised_error": evaluated["results"]["normalised_error"],
                                  "missing": evaluated["frames"]["missing"], "truth": evaluated["frames"]["truth"]}
        place = self.place(run, seed, recording)
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_suffix(".partial")
        with gzip.open(part, "wt") as file:
            json.dump(found, file, separators=(",", ":"))
        part.rename(place)
        return {"seconds": seconds}

    def first(self, part):
        """The recordings up to a part of so many as are run together, or all."""
        return self.folders[:(part + 1) * self.options.part] if self.options.part else self.folders

    def parts(self):
        return -(-len(self.folders) // self.options.part) if self.options.part else 1

    def figures(self, run, seed, part):
        """The figures of each recording up to a part, or nothing while one is missing."""
        if not all(self.place(run, seed, recording).exists() for recording in self.first(part)):
            return None
        errors = {recording.name: self.errors(run, seed, recording) for recording in self.first(part)}
        return {"by": {name: {key: round(value, 3) for key, value in own.figures(self.offset(own, name)).items()}
                       for name, own in errors.items()}}

    def errors(self, run, seed, recording):
        with gzip.open(self.place(run, seed, recording), "rt") as file:
            return Errors(self.truth[recording.name], json.load(file))

    def offset(self, own, name):
        """By which joints differ from those of the truth: where others tell, as they were tracked with everything on."""
        if DEFINED[self.kind] == EQUAL:
            return None
        if DEFINED[self.kind] == BY_OTHERS and own.truth.bones:
            others = [offset for other, offset in self.usual_offsets().items() if not other.startswith(name)]
            if others:
                own.in_bones = True
                return both_sides(median_offset(others))
        return own.offset(DEFINED[self.kind] == BY_OTHERS and own.truth.bones is not None)

    def usual_offsets(self):
        for recording in self.folders:
            if recording.name not in self.offsets and self.place("", SEEDS[0], recording).exists():
                self.offsets[recording.name] = self.errors("", SEEDS[0], recording).offset(True)
        return self.offsets


def median_offset(offsets):
    return [[statistics.median(column) for column in zip(*(offset[j] for offset in offsets))] for j in range(len(JOINTS))]


def both_sides(offset):
    return [[(a + b) / 2 for a, b in zip(offset[j], offset[OTHER_SIDE[j]])] for j in range(len(JOINTS))]


def facing_wrong(truth, joints):
    """Whether the right of a pose is where the left is."""
    def across(places):
        at = [places[AT[name]] for name in ("left_hip", "right_hip", "left_shoulder", "right_shoulder")]
        return [a - b + c - d for a, b, c, d in zip(*at)]
    return sum(a * b for a, b in zip(across(truth), across(joints))) < 0


class Errors:
    """A tracked recording beside its truth."""

    def __init__(self, truth, found):
        self.truth, self.found, self.in_bones = truth, found, False
        self.pairs = []  # of frames that have both: number, true and own joints, deviations
        for frame, places in truth.joints.items():
            own = found["joints"].get(str(frame))
            if own and places:
                self.pairs.append((frame, places, [[UNIT * x for x in place] for place in own],
                                   [UNIT * x for x in found["std"][str(frame)]]))

    def offset(self, in_bones):
        """The median error of each joint, in the frame of its bone and shares of the stature if `in_bones`, right sides as left."""
        self.in_bones = in_bones
        samples = [[] for _ in JOINTS]
        for frame, true, own, _ in self.pairs:
            if in_bones and facing_wrong(true, own):
                continue
            for j in range(len(JOINTS)):
                error = [a - b for a, b in zip(own[j], true[j])]
                if in_bones:
                    turn = self.truth.bones[frame][j]
                    error = [sum(turn[3 * b + a] * error[b] for b in range(3)) / self.truth.stature for a in range(3)]
                    error[0] *= ACROSS[j]
                samples[j].append(error)
        return [[statistics.median(column) for column in zip(*of)] if of else [0, 0, 0] for of in samples]

    def moved(self, frame, j, offset):
        """The offset of a joint in the frame of the camera, metres."""
        if offset is None:
            return (0, 0, 0)
        if not self.in_bones:
            return offset[j]
        turn, scale = self.truth.bones[frame][j], self.truth.stature
        own = [scale * ACROSS[j] * offset[j][0], scale * offset[j][1], scale * offset[j][2]]
        return [sum(turn[3 * a + b] * own[b] for b in range(3)) for a in range(3)]

    def figures(self, offset):
        lengths, likely, normalised, trembling = [], [], [], []
        last = {}
        for frame, true, own, stated in self.pairs:
            errors = [[a - b - c for a, b, c in zip(own[j], true[j], self.moved(frame, j, offset))] for j in range(len(JOINTS))]
            last[frame] = errors
            for error, deviation in zip(errors, stated):
                square = sum(x * x for x in error)
                lengths.append(math.sqrt(square))
                if deviation > 0:
                    likely.append(square <= LIKELY * deviation * deviation)
                    normalised.append(square / (3 * deviation * deviation))
            if frame - 1 in last and frame - 2 in last:
                for a, b, c in zip(errors, last[frame - 1], last[frame - 2]):
                    trembling.append(math.sqrt(sum((x - 2 * y + z) ** 2 for x, y, z in zip(a, b, c))))
        frames = sum(1 for places in self.truth.joints.values() if places)
        evaluated = self.found.get("evaluated") or {}
        nobody = 1000  # mm, where no frame has a person
        return {"error": 1000 * statistics.fmean(lengths) if lengths else nobody,
                "near": 100 * sum(length < NEAR for length in lengths) / (frames * len(JOINTS)),
                "found": 100 * len(self.pairs) / frames,
                "stated": 100 * statistics.fmean(likely) if likely else 0,
                "normalised": statistics.fmean(normalised) if normalised else 0,
                "trembling": 1000 * statistics.median(trembling) if trembling else 0,
                "raw": evaluated.get("mean_mm") or nobody,
                "milliseconds": 1000 * self.found["seconds"] / frames}


# ---- heads, faces and persons

class OffMeasurement(Measurement):
    """A measurement of constants whose command also gets options, and which also tells how poses of heads tremble."""

    options = ()

    def off(self, options):
        other = copy.copy(self)
        other.options = tuple(options)
        return other

    def call(self, *arguments, folder=None, constants=""):
        words = tuple(map(str, arguments[:2]))
        tracks = words in (("head", "track"), ("face", "evaluate"), ("face", "fit")) or words[0] == "track"
        return super().call(*arguments, *(self.options if tracks else ()), folder=folder, constants=constants)

    @staticmethod
    def pose_errors(pairs, found):
        row = Measurement.pose_errors(pairs, found)
        errors = [[math.remainder(own[name] - true[name], 360) for name in ("yaw", "pitch", "roll")] for own, true in pairs]
        if len(errors) > 2:
            row["trembling"] = statistics.median(math.dist([x + z for x, z in zip(a, c)], [2 * y for y in b])
                                                 for a, b, c in zip(errors, errors[1:], errors[2:]))
        return row


def head_face_figures(row):
    """As of a set of recordings: percents."""
    return {"error": row["error"], "found": 100 * row["found"], **{key: row[key] for key in ("beside", "trembling") if key in row}}
