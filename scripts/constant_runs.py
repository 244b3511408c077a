"""What measure_constants.py runs: the recordings that trackers are measured on, made once, and a figure or two for each run.

A measurement is named by its tracker and, where a tracker has several, by what is measured: "body", "face detector".
"""

import json
import math
import os
import re
import shutil
import statistics
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

import measure_pose

ROOT = Path(__file__).resolve().parent.parent
SEEDS = (1, 2, 3)  # the first is that of all runs with a changed constant
GAP = range(40, 55)  # frames of the film that show nobody
TESTED, REFINED_ON = 60, 20  # photographs

# Filled in with what was measured: {mode} of the walk, {faces} on which fits are tested.
METRICS = {
    "body": "mean joint error in mm and, in brackets, normalised error; the walk of `samples/` as {mode}, 40 frames, a person "
            "who is not known, lag 15",
    "head": "mean error in percent of the head's width, a lost frame counted as 100, the head of `kinema demo`",
    "face training": "mean error in percent of the outer-eye distance and, in brackets, area under the ROC curve of the score; "
                     "a model of the 90 faces of `kinema demo`, on its 30 test faces, the second from starts displaced twice as far",
    "face combined": "mean error in percent; the same faces, a model without a cascade",
    "face detector": "mean error in percent and area; the model that ships, from the detector, on {faces}",
    "face drawn": "mean error in percent and area; a model of 100 drawn faces, from the detector, on {faces}",
    "face refined": "mean error in percent and area; the model that ships, refined on 20 others of these, on {faces}",
    "face film": "mean error of the rotation in degrees and, in brackets, of the place in percent of the distance; `face fit "
                 "--sequence --head-smoothing 0.5`, 90 frames of `kinema face film --person 2`, 15 of which show nobody",
    "face expression": "mean error of the weights of expressions in percent, the same film",
    "face deviations": "root mean square of the errors of the angles over their stated deviations, the same film",
    "person": "mean error of the rotation in degrees and, in brackets, of the place in percent of the distance, `kinema track`, "
              "the same film",
    "person expression": "mean error of the weights of expressions in percent, the same",
}

# What differs between the runs without a change, where it is not the seed alone.
VARIED = {
    **dict.fromkeys(("face detector", "face drawn", "face refined"), "Other faces"),
    **dict.fromkeys(("face film", "face expression", "face deviations", "person", "person expression"), "Other films"),
}


def grey_picture(width, height):
    """A PNG without anything in it."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + b"\x80" * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Measurement:
    def __init__(self, command, scratch, clips, mode, faces):
        self.command, self.scratch, self.mode = Path(command).resolve(), Path(scratch), mode
        self.clips = [(Path(frames).resolve(), Path(boxes).resolve()) for frames, boxes in clips]
        self.faces_name, self.faces = f"{TESTED} drawn faces", None
        if faces:
            name, _, folder = faces.partition("=")
            self.faces_name, self.faces = f"{TESTED} photographs of {name}", Path(folder).resolve()

    def call(self, *arguments, folder=None, constants=""):
        done = subprocess.run([str(self.command), *map(str, arguments), "--json"], cwd=folder or self.scratch,
                              capture_output=True, text=True, env={**os.environ, "KINEMA_CONSTANTS": constants})
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message")
        return json.loads(done.stdout)

    def prepare(self, names):
        if "body" in names:
            self.call("body", "simulate", "--motion", ROOT / "samples" / "walk.bvh", "--mode", self.mode, "--frames", 40,
                      "--out", "recording")
            (self.scratch / "recording" / "skeleton.json").unlink()  # a person who is not known
        if names & {"head", "face training", "face combined"}:
            self.call("demo", "--out", "demo", "--frames", 60, "--backend", "cpu")
        if names & {"face film", "face expression", "face deviations", "person", "person expression"}:
            for seed in SEEDS:
                film = self.scratch / f"film{seed}"
                self.call("face", "film", "--frames", 90, "--person", 2, "--seed", seed, "--out", film)
                for frame in GAP:
                    (film / f"{frame:06d}.png").write_bytes(grey_picture(640, 480))
        if names & {"face detector", "face drawn", "face refined"}:
            self.divide_faces()

    def divide_faces(self):
        """Links to faces that fits are tested on and others to refine a model on, for each seed."""
        if self.faces is None:
            self.faces = self.scratch / "drawn"
            self.call("face", "draw", "--first", 5000, "--count", len(SEEDS) * TESTED + REFINED_ON, "--out", self.faces)
        pictures = [path for path in sorted(self.faces.iterdir())
                    if path.suffix in (".jpg", ".png") and path.with_suffix(".pts").exists()]
        others = pictures[::len(pictures) // REFINED_ON][:REFINED_ON]
        rest = [path for path in pictures if path not in others]
        for seed in SEEDS:
            some = rest[seed - 1::len(SEEDS)][:TESTED]
            for name, members in ((f"tested{seed}", some), ("others", others)):
                folder = self.scratch / name
                folder.mkdir(exist_ok=True)
                for path in members:
                    for file in (path, path.with_suffix(".pts")):
                        if not (folder / file.name).exists():
                            (folder / file.name).symlink_to(file)

    def run(self, name, constants="", seed=SEEDS[0]):
        folder = Path(tempfile.mkdtemp(dir=self.scratch))
        try:
            return getattr(self, name.replace(" ", "_"))(folder, constants, seed)
        finally:
            shutil.rmtree(folder)

    def body(self, folder, constants, seed):
        self.call("body", "track", "--input", self.scratch / "recording", "--backend", "cpu", "--threads", 1, "--particles", 200,
                  "--points", 3000, "--seed", seed, "--out", "p.jsonl", folder=folder, constants=constants)
        evaluated = self.call("body", "evaluate", "--poses", "p.jsonl", "--truth",
                              self.scratch / "recording" / "truth.jsonl", folder=folder)
        frames = evaluated["frames"]
        return {"error": evaluated["results"]["mean_mm"], "beside": evaluated["results"]["normalised_error"],
                "found": 1 - frames["missing"] / frames["truth"]}

    def head(self, folder, constants, seed):
        errors, missing, all_frames = [], 0, 0
        for frames, boxes in [(self.scratch / "demo" / "head", self.scratch / "demo" / "head-boxes.txt"), *self.clips]:
            x, y, w, h = map(float, re.split(r"[,\s]+", boxes.read_text().split("\n", 1)[0].strip())[:4])
            oval = f"{x - 1 + (w - 1) / 2},{y - 1 + (h - 1) / 2},{w / 2},{h / 2}"
            self.call("head", "calibrate", "--input", frames, "--frames", 1, "--oval", oval, "--out", "f.json", folder=folder,
                      constants=constants)
            truth = self.call("head", "track", "--input", frames, "--filter", "f.json", "--backend", "cpu", "--truth", boxes,
                              "--out", "h.csv", folder=folder, constants=constants)["results"]["truth"]
            answered = truth["frames"] - truth["missing"]
            errors.append(100 * ((truth["mean"] or 0) * answered + truth["missing"]) / truth["frames"])
            missing, all_frames = missing + truth["missing"], all_frames + truth["frames"]
        return {"error": sum(errors) / len(errors), "found": 1 - missing / all_frames}

    # ---- faces

    def train(self, folder, constants, seed, *options):
        self.call("face", "train", *options, "--threads", 1, "--seed", seed, "--out", "m.kface", folder=folder,
                  constants=constants)

    def evaluate(self, folder, constants, seed, images, *options):
        return self.call("face", "evaluate", "--images", images, "--backend", "cpu", "--threads", 1, "--seed", seed, *options,
                         folder=folder, constants=constants)["results"]

    def face_training(self, folder, constants, seed):
        faces = self.scratch / "demo" / "faces"
        self.train(folder, constants, seed, "--images", faces / "train", "--pixels", 4096)
        usual = self.evaluate(folder, constants, seed, faces / "test", "--model", "m.kface", "--tries", 3)
        wide = self.evaluate(folder, constants, seed, faces / "test", "--model", "m.kface", "--tries", 3, "--shift", 0.1,
                             "--scale", 0.1, "--turn", 10)
        return {"error": 100 * usual["mean"], "beside": wide["score"]["roc_area"], "found": 1}

    def face_combined(self, folder, constants, seed):
        faces = self.scratch / "demo" / "faces"
        self.train(folder, constants, seed, "--images", faces / "train", "--pixels", 4096, "--cascade", 0, "--no-quality")
        usual = self.evaluate(folder, constants, seed, faces / "test", "--model", "m.kface", "--tries", 3)
        return {"error": 100 * usual["mean"], "found": 1}

    def from_detector(self, folder, constants, seed, *options):
        results = self.evaluate(folder, constants, seed, self.scratch / f"tested{seed}", "--init", "detect", *options)
        return {"error": 100 * results["mean"], "beside": results["score"]["roc_area"],
                "found": 1 - results["not_found"] / (results["count"] + results["not_found"])}

    def face_detector(self, folder, constants, seed):
        return self.from_detector(folder, constants, seed)

    def face_drawn(self, folder, constants, seed):
        self.train(folder, constants, seed, "--drawn", 100, "--displacements", 2, "--cascade", 8, "--shape-variance", 0.995,
                   "--small")
        return self.from_detector(folder, constants, seed, "--model", "m.kface")

    def face_refined(self, folder, constants, seed):
        self.train(folder, constants, seed, "--start", "shipped", "--images", self.scratch / "others")
        return self.from_detector(folder, constants, seed, "--model", "m.kface")

    # ---- films of a head: several figures of one run

    def poses(self, film, lines):
        """Pairs of an estimated and a true pose, and how many frames that show somebody have one."""
        truth = {frame: line["head"] for frame, line in measure_pose.read(film / "truth.jsonl").items() if frame not in GAP}
        pairs = [(line["head"], truth[frame]) for frame, line in measure_pose.read(lines).items()
                 if line.get("head") and frame in truth]
        return pairs, len(pairs) / len(truth)

    def fitted(self, folder, constants, seed):
        film = self.scratch / f"film{seed}"
        self.call("face", "fit", "--input", film, "--sequence", "--head-smoothing", 0.5, "--out", "t.jsonl", "--backend", "cpu",
                  "--threads", 1, folder=folder, constants=constants)
        return self.poses(film, folder / "t.jsonl")

    def tracked(self, folder, constants, seed):
        film = self.scratch / f"film{seed}"
        self.call("track", "--input", film, "--out", "t.jsonl", "--backend", "cpu", "--threads", 1, folder=folder,
                  constants=constants)
        return self.poses(film, folder / "t.jsonl")

    @staticmethod
    def pose_errors(pairs, found):
        if not pairs:
            return {"error": None, "found": 0}
        turns = [measure_pose.turned(own["rotation"], true["rotation"]) for own, true in pairs]
        places = [100 * math.dist(own["position"], true["position"]) / math.hypot(*true["position"]) for own, true in pairs]
        return {"error": statistics.fmean(turns), "beside": statistics.fmean(places), "found": found}

    @staticmethod
    def expression_errors(pairs, found):
        if not pairs:
            return {"error": None, "found": 0}
        return {"error": 100 * statistics.fmean(abs(own["expression"][name] - weight) for own, true in pairs
                                                for name, weight in true["expression"].items()), "found": found}

    def face_film(self, folder, constants, seed):
        return self.pose_errors(*self.fitted(folder, constants, seed))

    def face_expression(self, folder, constants, seed):
        return self.expression_errors(*self.fitted(folder, constants, seed))

    def face_deviations(self, folder, constants, seed):
        pairs, found = self.fitted(folder, constants, seed)
        squares = [(math.remainder(own[name] - true[name], 360) / own["angle_deviation"][i]) ** 2 for own, true in pairs
                   for i, name in enumerate(("yaw", "pitch", "roll"))]
        return {"error": math.sqrt(statistics.fmean(squares)), "found": found}

    def person(self, folder, constants, seed):
        return self.pose_errors(*self.tracked(folder, constants, seed))

    def person_expression(self, folder, constants, seed):
        return self.expression_errors(*self.tracked(folder, constants, seed))
