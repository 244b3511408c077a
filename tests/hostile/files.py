"""Files that are damaged or claim too much: one line says so, without a crash and without the memory they claim."""

import random
import struct
import zlib

from commands import Case
from senders import mutated

MOST_MB = 1000


def png(width, height, bits=8):
    """A picture of zeros, which packs a thousand times smaller than it is."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    packer, packed, row = zlib.compressobj(9), b"", bytes(1 + width * bits // 8)
    for _ in range(height):
        packed += packer.compress(row)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)) +
            chunk(b"IDAT", packed + packer.flush()) + chunk(b"IEND", b""))


def bombs(kinema, _):
    case = Case("bombs")
    folder = kinema.folder / "bombs"
    (folder / "depth").mkdir(parents=True)
    (folder / "large.png").write_bytes(png(30000, 30000))
    (folder / "depth/000000.png").write_bytes(png(30000, 20000, 16))
    camera = '{"width":30000,"height":20000,"fx":500,"fy":500,"cx":1,"cy":1,"fps":30,"depth_scale":0.001}'
    (folder / "camera.json").write_text(camera)
    (folder / "claims").write_bytes(b'{"kinema":1,"width":16384,"height":16384,"fx":4,"fy":4,"cx":2,"cy":1.5,"fps":30,'
                                    b'"depth":"float32"}\n{"time":0}\n')
    (folder / "claims.npy").write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", 118) + (
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 3), }".ljust(117) + b"\n"))
    (folder / "claims.ply").write_text("ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n"
                                       "property float x\nproperty float y\nproperty float z\nend_header\n")
    (folder / "claims.bvh").write_text((kinema.folder / "clip.bvh").read_text().split("Frames:")[0] +
                                       "Frames: 2000000000\nFrame Time: 0.03\n0 0 0\n")
    out, most = ["--out", "bomb.out"], 0
    for name, words, stdin in [
            ("a picture", ["face", "fit", "--input", "bombs/large.png", "--out", "b.jsonl"], None),
            ("a picture", ["head", "track", "--input", "bombs/large.png", "--filter", "filter.json", *out], None),
            ("a recording", ["body", "track", "--input", "bombs", *out], None),
            ("a stream", ["record", "--input", "-", "--out", "bomb"], folder / "claims"),
            ("a cloud", ["body", "track", "--input", "bombs/claims.npy", "--fps", "30", *out], None),
            ("a cloud", ["body", "track", "--input", "bombs/claims.ply", "--fps", "30", *out], None),
            ("a clip", ["body", "simulate", "--motion", "bombs/claims.bvh", "--mode", "points", "--out", "b"], None)]:
        ended = kinema.run(words, stdin)
        faults = ended.faults([1, 2])
        if ended.peak_mb > MOST_MB:
            faults.append(f"took {ended.peak_mb:.0f} MB")
        case.check(faults, name)
        most = max(most, ended.peak_mb)
    case.notes.append(f"at most {most:.0f} MB")
    return case


def damaged(kinema, runs):
    """Files with bytes changed, as each command that reads them takes them."""
    case = Case("mutated models and recordings")
    chance = random.Random(7)
    track = ["body", "track", "--input", "walk", "--out", "/dev/null", "--frames", "1", "--particles", "20", "--points",
             "200", "--layers", "1"]
    clip = ["body", "simulate", "--mode", "points", "--frames", "1", "--force", "--out", "b", "--motion"]
    readers = [("m.kface", ["face", "info"]),
               ("m.kface", ["face", "fit", "--input", "film/000000.png", "--out", "/dev/null", "--model"]),
               ("filter.json", ["head", "track", "--input", "film/000000.png", "--out", "/dev/null", "--filter"]),
               ("walk/skeleton.json", [*track, "--skeleton"]),
               ("walk/camera.json", [*track, "--camera-file"]),
               ("pose.json", [*track, "--init"]),
               ("walk/points/000000.npy", [*track[:2], "--fps", "30", *track[4:], "--input"]),
               ("clip.bvh", clip),
               ("poses.jsonl", ["body", "evaluate", "--truth", "walk/truth.jsonl", "--poses"])]
    for i in range(2 * runs):
        name, words = readers[i % len(readers)]
        path = kinema.folder / name
        place = kinema.folder / f"damaged{path.suffix}"
        place.write_bytes(mutated(path.read_bytes(), chance))
        ended = kinema.run([*words, place.name])
        faults = ended.faults([0, 1, 2])
        if ended.peak_mb > MOST_MB:
            faults.append(f"took {ended.peak_mb:.0f} MB")
        case.check(faults, f"{name}, number {i}")
        if faults:
            place.rename(kinema.folder / f"fault-{i}{path.suffix}")
    return case
