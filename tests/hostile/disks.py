"""Disks that are full: former files stay, one line says why, and what was said to be kept is there."""

import os
import shutil
import subprocess

from commands import Case
from kills import CHEAP
from results import count_in, whole_png
import senders

FORMER = b"former\n"


def calls():
    """Calls, and the files that each writes."""
    return [
        (["body", "track", "--input", "../walk", "--out", "p.jsonl", *CHEAP], ["p.jsonl"]),
        (["body", "track", "--input", "../walk", "--out", "/dev/null", "--csv", "p.csv", "--bvh", "p.bvh", "--trc",
          "p.trc", "--mot", "p.mot", "--c3d", "p.c3d", "--gltf", "p.glb", *CHEAP],
         ["p.csv", "p.bvh", "p.trc", "p.mot", "p.c3d", "p.glb"]),
        (["body", "track", "--input", "../depth", "--out", "/dev/null", "--overlay", "o.mp4", *CHEAP], ["o.mp4"]),
        (["face", "fit", "--input", "../film", "--sequence", "--out", "l.jsonl", "--csv", "l.csv", "--overlay",
          "l.mp4"], ["l.jsonl", "l.csv", "l.mp4"]),
        (["head", "calibrate", "--input", "../film/000000.png", "--oval", "120,90,30,40", "--out", "f.json"],
         ["f.json"]),
        (["head", "track", "--input", "../film", "--filter", "../filter.json", "--fps", "30", "--out", "h.csv",
          "--jsonl", "h.jsonl", "--overlay", "h.mp4"], ["h.csv", "h.jsonl", "h.mp4"]),
        (["body", "evaluate", "--poses", "../poses.jsonl", "--truth", "../walk/truth.jsonl", "--out", "."],
         ["evaluate.json", "evaluate.html"]),
        (["face", "train", "--drawn", "12", "--small", "--out", "m.kface"], ["m.kface"]),
    ]


def check_files(folder, files, ended, case, where):
    faults = ended.faults([0, 1])
    former = 0
    for name in files:
        path = folder / name
        if path.read_bytes() == FORMER:
            former += 1
        elif count_in(path) < 0:
            faults.append(f"{name} is torn, {path.stat().st_size} bytes")
    if ended.code == 0 and former:
        faults.append(f"{former} files are the former ones, and it said nothing")
    if "is kept" in ended.err and former:
        faults.append(f"it said that something is kept: {ended.err!r}")
    case.check(faults, where)
    return ended.code


def limited_files(kinema, _):
    """No file may have more than so many bytes."""
    case = Case("files that cannot grow")
    folder = kinema.folder / "limited"
    folder.mkdir()
    failed = 0
    for words, files in calls():
        for limit in [0, 10, 700, 5000, 30000, 10**8]:
            for name in files:
                (folder / name).write_bytes(FORMER)
            inside = type(kinema)(kinema.program, folder)
            code = check_files(folder, files, inside.run(words, file_bytes=limit), case, f"{files[0]}, {limit} bytes")
            failed += code != 0
    case.notes.append(f"{failed} failed with a line")
    shutil.rmtree(folder)
    return case


class Disk:
    """A file system in memory, for who may mount one."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.mounted = False

    def size(self, kilobytes):
        options = f"size={kilobytes}k" + (",remount" if self.mounted else "")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.folder], capture_output=True)
        self.mounted = self.mounted or done.returncode == 0
        return done.returncode == 0

    def empty(self):
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def end(self):
        if self.mounted:
            subprocess.run(["umount", self.folder], check=True)


def full_disk(kinema, _):
    case = Case("a disk that is full")
    disk = Disk(kinema.folder / "disk")
    if os.geteuid() != 0 or not disk.size(64):
        case.notes.append("left out: only root may mount a disk")
        return case
    try:
        inside = type(kinema)(kinema.program, disk.folder)
        for kilobytes in [16, 40, 80, 200]:
            for words, files in calls():
                disk.size(10000)
                disk.empty()
                for name in files:
                    (disk.folder / name).write_bytes(FORMER)
                disk.size(kilobytes)
                check_files(disk.folder, files, inside.run(words), case, f"{files[0]}, {kilobytes} kB")
            disk.size(10000)
            disk.empty()
            disk.size(kilobytes)
            recording(inside, disk.folder, case)
        batch(inside, disk, case)
    finally:
        disk.end()
    return case


def recording(inside, folder, case):
    (folder.parent / "frames").write_bytes(senders.stream(60, 160, 120))
    ended = inside.run(["record", "--input", "-", "--out", "copy", "--json"], folder.parent / "frames")
    pictures = list(folder.glob("copy/depth/[!.]*.png"))
    faults = ended.faults([0, 1])
    faults += [f"{path.name} is torn" for path in pictures if whole_png(path.read_bytes()) < 0]
    if ended.code == 1 and pictures and f"{len(pictures)} frame" not in ended.err:
        faults.append(f"{len(pictures)} frames are there, and it said {ended.err!r}")
    case.check(faults, "record")


def batch(inside, disk, case):
    """A batch on a full disk says so, and the next run goes on where there is room."""
    disk.size(10000)
    disk.empty()
    disk.size(120)
    words = ["batch", "../recordings", "--out", "out", "--body", " ".join(CHEAP[:-2]), "--at-once", "2", "--json"]
    first = inside.run(words)
    case.check(first.faults([1]), "batch on a full disk")
    disk.size(60000)
    last = inside.run(words)
    case.check(last.faults([0]), "batch with room again")
    results = list(disk.folder.glob("out/results/*/poses.jsonl"))
    case.check([f"{path} is torn" for path in results if count_in(path) < 0])
