#!/usr/bin/env python3
"""Measures `kinema body track` on a live source: frames per second, latency from camera to message, memory.

    scripts/measure_live.py [--seconds 60]                       # 640 x 480 depth at 30 frames per second
    scripts/measure_live.py --soak 3600 --pulls 20               # with a source that is pulled, and other trouble
    scripts/measure_live.py --keep walk.gz                       # frames for a machine that cannot read images:
    scripts/measure_live.py --recording walk.gz --fps 240
    scripts/measure_live.py --recording pairs               # a folder with left/ and right/

A simulated walk is sent over standard input (or --input tcp) in the framing of docs/stream.md, each frame with the time
at which it was sent; packets of --udp --udp-time carry that time back. --soak sends over a socket, which is closed and
opened again --pulls times; beside it a page follows the body and never reads, and a recording runs into a full disk (a
tmpfs, for which it needs root; otherwise a limit on the size of files). It ends with 1 if memory grew after the page's
history was full, the run broke off or the recording is not whole. Prints one JSON object.
"""

import argparse
import base64
import gzip
import json
import os
import resource
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HISTORY_MB = 64  # of the page, for a live body
HISTORY_FRAMES = 5600  # that fill it, where the tracker uses the fewest points and particles


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinema", type=Path, default=ROOT / "build/release/kinema")
    parser.add_argument("--seconds", type=float, default=60, help="to measure for")
    parser.add_argument("--fps", type=float, default=30, help="of the camera")
    parser.add_argument("--input", choices=["stdin", "tcp"], default="stdin")
    parser.add_argument("--recording", type=Path,
                        help="frames to send: a folder of depth images or stereo pairs, or a file of --keep; default: a simulated walk")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="write the frames to a file and end")
    parser.add_argument("--lag", default="0", help="of body track")
    parser.add_argument("--cores", help="that body track may use, as in 0,1; default: all")
    parser.add_argument("--soak", type=float, metavar="SECONDS")
    parser.add_argument("--pulls", type=int, default=20, help="of the source, while it soaks")
    parser.add_argument("--more", default="", help="further options of body track")
    return parser.parse_args()


def simulated(kinema, folder):
    subprocess.run([kinema, "body", "simulate", "--motion", ROOT / "samples/walk.bvh", "--mode", "depth", "--out", folder,
                    "--frames", "60"], check=True, capture_output=True)
    return folder


def in_frames(raw, camera):
    size = camera["width"] * camera["height"] * 2
    return [raw[at:at + size] for at in range(0, len(raw), size)]


def frames_of(recording):
    """The camera, and the raw pixels of its frames."""
    if recording.is_file():
        with gzip.open(recording) as file:
            camera = json.loads(file.readline())
            raw = file.read()
        return camera, in_frames(raw, camera)
    camera = json.loads((recording / "camera.json").read_text())
    try:
        import cv2

        def pixels(path, flags):
            return cv2.imread(str(path), flags).tobytes()

        if "baseline" in camera:
            frames = [b"".join(pixels(recording / side / left.name, cv2.IMREAD_GRAYSCALE) for side in ("left", "right"))
                      for left in sorted((recording / "left").glob("*.png"))]
        else:
            frames = [pixels(path, cv2.IMREAD_UNCHANGED) for path in sorted((recording / "depth").glob("*.png"))]
    except ImportError:
        raw = subprocess.run(["ffmpeg", "-v", "error", "-framerate", "30", "-pattern_type", "glob", "-i",
                              str(recording / "depth/*.png"), "-f", "rawvideo", "-pix_fmt", "gray16le", "-"],
                             check=True, capture_output=True).stdout
        frames = in_frames(raw, camera)
    return camera, frames


class Camera(threading.Thread):
    """Sends frames at a constant rate until it is told to stop; `write` takes bytes."""

    def __init__(self, camera, frames, fps, write):
        super().__init__(daemon=True)
        self.camera, self.frames, self.fps, self.write = camera, frames, fps, write
        self.ending, self.sent, self.behind = False, 0, 0

    def run(self):
        paired = "baseline" in self.camera
        keys = ("width", "height", "fx", "fy", "cx", "cy", "baseline" if paired else "depth_scale")
        header = {"kinema": 1, "live": True, "fps": self.fps} | ({"pair": "grey"} if paired else {"depth": "uint16"})
        header |= {key: self.camera[key] for key in keys}
        there_and_back = self.frames + self.frames[-2:0:-1]  # nobody jumps
        try:
            self.write(json.dumps(header).encode() + b"\n")
            begin = time.monotonic()
            while not self.ending:
                wait = begin + self.sent / self.fps - time.monotonic()
                if wait > 0:
                    time.sleep(wait)
                self.behind += wait < -1 / self.fps  # the program does not read quickly enough
                line = {"time": self.sent / self.fps, "taken": time.time()}
                self.write(json.dumps(line).encode() + b"\n" + there_and_back[self.sent % len(there_and_back)])
                self.sent += 1
        except (BrokenPipeError, ConnectionError):
            pass


class Receiver(threading.Thread):
    """opentrack's packet with a seventh number, the time at which the frame was taken."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.target = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.latencies, self.times = [], []

    def run(self):
        while True:
            packet = self.socket.recv(4096)
            now = time.time()
            if len(packet) == 56:
                self.latencies.append(1000 * (now - struct.unpack("<7d", packet)[6]))
                self.times.append(now)


class Memory(threading.Thread):
    """Resident memory of a process, megabytes, once per second."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.samples = pid, []

    def run(self):
        while True:
            try:
                status = Path(f"/proc/{self.pid}/status").read_text()
            except OSError:
                return
            for line in status.splitlines():
                if line.startswith("VmRSS"):
                    self.samples.append(int(line.split()[1]) / 1024)
            time.sleep(1)

    def figures(self, settled=0):
        """After `settled` seconds, the first third of the rest against the last: what grows, grows between them."""
        rest = self.samples[settled:] or self.samples
        third = max(1, len(rest) // 3)
        early, late = rest[:third], rest[-third:]
        return {"samples": len(self.samples), "settled_s": settled, "early_mb": round(statistics.median(early), 1),
                "late_mb": round(statistics.median(late), 1), "most_mb": round(max(self.samples), 1)}


def quantile(values, share):
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1) if ordered else None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connected(port, seconds=30):
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def heed_interrupts():
    """For a child that is ended by SIGINT: a shell lets what it starts in the background ignore that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def track_call(options, source, target, more=()):
    cores = ["taskset", "-c", options.cores] if options.cores else []
    return [*cores, options.kinema, "body", "track", "--input", source, "--out", "/dev/null", "--lag", options.lag, "--udp", target,
            "--udp-time", "--json", *options.more.split(), *more]


def result_of(receiver, sent, behind, report, begin):
    """Begins with the first second left out: it holds the search."""
    steady = [latency for latency, at in zip(receiver.latencies, receiver.times) if at > begin + 1]
    seconds = receiver.times[-1] - (begin + 1) if steady else 0
    return {"sent": sent, "behind": behind, "received": len(receiver.times),
            "received_fps": round(len(steady) / seconds, 1) if seconds > 0 else 0,
            "latency_ms": {"median": quantile(steady, 0.5), "p95": quantile(steady, 0.95), "most": quantile(steady, 1)},
            "program": report}


def measure(options, scratch, camera, frames):
    receiver = Receiver()
    receiver.start()
    port = free_port()
    source = "-" if options.input == "stdin" else f"tcp:{port}"
    errors = open(scratch / "errors", "w+")
    child = subprocess.Popen([str(word) for word in track_call(options, source, receiver.target)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=errors)
    if options.input == "stdin":
        def write(data):
            child.stdin.write(data)
            child.stdin.flush()
    else:
        write = connected(port).sendall
    memory = Memory(child.pid)
    memory.start()
    sender = Camera(camera, frames, options.fps, write)
    sender.start()
    while not receiver.times and child.poll() is None:
        time.sleep(0.01)
    begin = time.time()
    time.sleep(options.seconds)
    sender.ending = True
    sender.join()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate()
    errors.seek(0)
    if child.returncode != 0:
        sys.exit(f"kinema ended with {child.returncode}: {errors.read()}")
    result = result_of(receiver, sender.sent, sender.behind, json.loads(out), begin)
    return result | {"memory": memory.figures()}


def stalled_page(url):
    """Follows the body and never reads."""
    place, token = url.split("//")[1].split("/")
    host, port = place.split(":")
    page = socket.create_connection((host, int(port)))
    page.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    key = base64.b64encode(os.urandom(16)).decode()
    page.sendall(f"GET /live{token} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
    text = b'{"do":"follow","channel":"body"}'
    mask = os.urandom(4)
    page.sendall(bytes([0x81, 0x80 | len(text)]) + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(text)))
    return page


def full_disk(options, scratch, camera, frames):
    """A recording on a disk of 8 MB: how it ended, and whether what it left is whole."""
    disk = scratch / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], capture_output=True).returncode == 0
    limit = None
    if not mounted:  # one image is then larger than a file may be
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))
    try:
        child = subprocess.Popen([options.kinema, "record", "--input", "-", "--out", disk / "recording"],
                                 stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=False, preexec_fn=limit)
        sender = Camera(camera, frames, options.fps, child.stdin.write)
        sender.start()
        try:
            child.wait(300)
        except subprocess.TimeoutExpired:
            child.kill()
        words = child.stderr.read().decode().strip()
        sender.ending = True
        kept = len(list((disk / "recording/depth").glob("*.png")))
        read = subprocess.run([options.kinema, "body", "track", "--input", disk / "recording", "--out", "/dev/null", "--json"],
                              capture_output=True, text=True)
        tracked = json.loads(read.stdout)["frames"] if read.returncode == 0 else 0
        return {"tmpfs": mounted, "exit": child.returncode, "words": words, "kept": kept, "whole": 0 < kept == tracked}
    finally:
        if mounted:
            subprocess.run(["umount", disk])


def soak(options, scratch, camera, frames):
    receiver = Receiver()
    receiver.start()
    port = free_port()
    errors = open(scratch / "errors", "w+")
    call = track_call(options, f"tcp:{port}", receiver.target, ["--view", "--port", "0"])
    child = subprocess.Popen([str(word) for word in call], stdout=subprocess.PIPE, stderr=errors, preexec_fn=heed_interrupts)
    memory = Memory(child.pid)
    memory.start()
    pages, back, sent, behind = [], [], 0, 0
    disk = {}
    filler = threading.Thread(target=lambda: disk.update(full_disk(options, scratch, camera, frames)))
    begin = time.time()
    for pull in range(options.pulls + 1):
        before = len(receiver.times)
        opened = time.time()
        connection = connected(port)
        sender = Camera(camera, frames, options.fps, connection.sendall)
        sender.start()
        while len(receiver.times) == before and child.poll() is None and time.time() < opened + 30:
            time.sleep(0.005)
        back.append(time.time() - opened)
        if pull == 0:
            filler.start()
            while "look at" not in (text := (scratch / "errors").read_text()):
                time.sleep(0.1)
            pages.append(stalled_page(text.split("look at ")[1].split()[0]))
        time.sleep(max(0.1, options.soak / (options.pulls + 1) - 1 - back[-1]))
        sender.ending = True
        sender.join()
        connection.close()  # the cable is pulled
        sent, behind = sent + sender.sent, behind + sender.behind
        if child.poll() is not None:
            break
        time.sleep(1)
    filler.join()
    filled = receiver.times[HISTORY_FRAMES] - begin if len(receiver.times) > HISTORY_FRAMES else options.soak
    settled = filled < 2 / 3 * options.soak
    figures = memory.figures(int(filled) if settled else 0)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate()
    if child.returncode != 0:
        sys.exit(f"kinema ended with {child.returncode}: {(scratch / 'errors').read_text()}")
    result = result_of(receiver, sent, behind, json.loads(out), begin)
    result |= {"memory": figures, "pulls": options.pulls, "disk": disk,
               # the first one holds the start of the program
               "back_s": {"median": round(statistics.median(back[1:] or back), 2), "most": round(max(back[1:] or back), 2)}}
    grown = figures["late_mb"] - figures["early_mb"]
    result["grown_mb"] = round(grown, 1)
    good = disk["exit"] == 1 and disk["whole"] and result["program"]["reopened"] == options.pulls and \
        grown < 20 + (0 if settled else HISTORY_MB)
    return result | {"good": good}


def main():
    options = parse()
    with tempfile.TemporaryDirectory(prefix="kinema-live-") as name:
        scratch = Path(name)
        recording = options.recording or simulated(options.kinema, scratch / "walk")
        camera, frames = frames_of(recording)
        if options.keep:
            with gzip.open(options.keep, "wb") as file:
                file.write(json.dumps(camera).encode() + b"\n" + b"".join(frames))
            return
        frames += frames[-2:0:-1]  # there and back, so that nobody jumps
        result = (soak if options.soak else measure)(options, scratch, camera, frames)
    print(json.dumps(result, indent=2))
    sys.exit(0 if result.get("good", True) else 1)


if __name__ == "__main__":
    main()
