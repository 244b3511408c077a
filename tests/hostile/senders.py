"""Programs that send to kinema what it cannot use: streams, requests and messages that are none, slow and idle ones."""

import json
import os
import random
import re
import signal
import socket
import struct
import time

from commands import Case, runs


def free_port():
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def stream(frames, width, height, live=False, seed=1):
    """Depth images as docs/stream.md has them, of noise."""
    chance = random.Random(seed)
    header = {"kinema": 1, "width": width, "height": height, "fx": width, "fy": width, "cx": width / 2,
              "cy": height / 2, "fps": 30, "depth": "uint16", "depth_scale": 0.001, "live": live}
    parts = [json.dumps(header).encode() + b"\n"]
    rows = [struct.pack(f"<{width}H", *(chance.randrange(500, 3000) for _ in range(width))) for _ in range(97)]
    for i in range(frames):
        parts.append(json.dumps({"time": i / 30}).encode() + b"\n")
        parts += [rows[(i + 7 * y) % len(rows)] for y in range(height)]
    return b"".join(parts)


def connect(port, patience=20):
    until = time.monotonic() + patience
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=10)
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


def mutated(data, chance):
    """The bytes with some of them changed, left out, repeated or cut off."""
    data = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(data) + 1)
        many = chance.choice([1, 1, 2, 4, 30])
        what = chance.randrange(5)
        if what == 0:
            data[at:at + many] = os.urandom(many)
        elif what == 1:
            del data[at:at + many]
        elif what == 2:
            data[at:at] = data[at:at + many]
        elif what == 3:
            data[at:at + many] = chance.choice([b"\0", b"\xff", b"-1", b"1e999", b"{", b"]", b"\n", b"%s", b"9" * 30])
        elif len(data) > 1 and chance.random() < 0.3:
            del data[at:]
    return bytes(data)


def waiting_run(kinema, guests):
    """A run that waits at a port is not ended by who comes and is no stream."""
    case = Case("strangers at tcp:PORT")
    chance, port = random.Random(4), free_port()
    child = kinema.start(["record", "--input", f"tcp:{port}", "--out", "sent", "--json"])
    whole = stream(3, 16, 12)
    for i in range(guests):
        with connect(port) as guest:
            greeting = [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"", b"\x16\x03\x01\x02\0\x01\0",
                        b"SSH-2.0-x\r\n", os.urandom(300), b"{" * 3000 + b"\n", b'{"kinema":1}\n', whole[:40]][i % 8]
            try:
                guest.sendall(greeting)
            except OSError:
                pass
            if i % 8 == 2:  # who is not polite enough to close
                guest.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        case.check([] if runs(child) else [f"guest {i} ended the run"])
    for drip in [b"", b'{"kinema":']:  # who says little, and stays
        guest = connect(port)
        guest.sendall(drip)
        case.check([] if runs(child) else ["a silent guest ended the run"])
    with connect(port) as sender:
        sender.sendall(whole)
    ended = kinema.end(child)
    case.check(ended.faults([0]) or ([] if ended.json()["frames"] == 3 else ["frames are missing"]))
    lines = ended.err.splitlines()
    case.check([f"it said {line!r}" for line in lines if "waits for another" not in line])
    case.notes.append(f"{len(lines)} lines")
    return case


class Server:
    """`kinema serve` at a port of its own."""

    def __init__(self, kinema):
        self.port = free_port()
        self.child = kinema.start(["serve", "--port", self.port])
        self.kinema, self.query = kinema, ""
        connect(self.port).close()
        self.child.files[1].seek(0)
        said = re.search(rb"http://\S+?(\?\S*)? \(", self.child.files[1].read())
        if said and said.group(1):
            self.query = said.group(1).decode()

    def answers(self, patience=15):
        """Seconds until a page comes; nothing if none does."""
        began = time.monotonic()
        while time.monotonic() < began + patience:
            try:
                with connect(self.port) as page:
                    page.settimeout(2)
                    page.sendall(f"GET /{self.query} HTTP/1.1\r\nHost: localhost:{self.port}\r\n\r\n".encode())
                    if b" 200 " in page.recv(1000).split(b"\r\n")[0]:
                        return time.monotonic() - began
            except OSError:
                pass
            time.sleep(0.1)
        return None

    def socket(self):
        """A WebSocket of a page; nothing if it is refused."""
        page = connect(self.port)
        page.sendall((f"GET /live{self.query} HTTP/1.1\r\nHost: localhost:{self.port}\r\nUpgrade: websocket\r\n"
                      f"Origin: http://localhost:{self.port}\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode())
        return page if b" 101 " in page.recv(4096).split(b"\r\n")[0] else None

    def memory_mb(self):
        with open(f"/proc/{self.child.pid}/status") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1024

    def end(self):
        """What is wrong with it at its end."""
        faults = [] if self.answers() is not None else ["no page came any more"]
        os.kill(self.child.pid, signal.SIGTERM)
        return faults + self.kinema.end(self.child, 30).faults([0])


def frame(opcode, payload):
    """A message of a WebSocket, under a mask of zeros."""
    size = len(payload)
    head = bytes([0x80 | opcode])
    head += bytes([0x80 | size]) if size < 126 else struct.pack(">BH", 0xFE, size)
    return head + bytes(4) + payload


def idle_connections(kinema, count):
    case = Case("slow and idle connections")
    server = Server(kinema)
    guests = [connect(server.port) for _ in range(count)]
    for i, guest in enumerate(guests):
        try:
            guest.sendall([b"", b"G", b"GET / HTTP/1.1\r\nHost: loc",
                           b"POST /upload HTTP/1.1\r\nContent-Length: 99999999\r\n"][i % 4])
        except OSError:
            pass
        case.check([])
    waited = server.answers(20)
    case.check([] if waited is not None else ["nobody else was served within 20 s"])
    case.notes.append("nobody served" if waited is None else f"a page after {waited:.1f} s")
    for guest in guests:
        guest.close()
    case.check(server.end())
    return case


def messages(kinema, count, seeds):
    """Requests and messages of pages with bytes changed: the server serves on, and takes no memory."""
    case = Case("mutated messages")
    server, chance = Server(kinema), random.Random(5)
    requests = [path.read_bytes() for path in sorted((seeds / "http").iterdir())]
    said = [path.read_bytes() for kind in ["message", "page_session"] for path in sorted((seeds / kind).iterdir())]
    said += [json.dumps({"do": word}).encode() for word in ["follow", "frames", "track", "record", "find", "calibrate"]]
    opened = 0
    for i in range(20 * count):
        try:
            if i % 2:
                with connect(server.port) as guest:
                    guest.sendall(mutated(chance.choice(requests), chance))
            elif page := server.socket():
                opened += 1
                with page:
                    for _ in range(3):
                        page.sendall(frame(chance.choice([1, 2, 2]), mutated(chance.choice(said), chance)))
                    page.settimeout(0.02)
                    page.recv(65536)
        except OSError:
            pass  # it hung up, as it should
        case.check([] if runs(server.child) else [f"message {i} ended the server"])
        if case.faults:
            return case
    if server.memory_mb() > 700:
        case.faults.append(f"it took {server.memory_mb():.0f} MB")
    if opened < 9 * count:
        case.faults.append(f"only {opened} pages could be opened")
    case.notes.append(f"{opened} pages, {server.memory_mb():.0f} MB")
    case.check(server.end())
    return case


def streams(kinema, count):
    case = Case("mutated streams")
    chance, whole = random.Random(6), stream(4, 16, 12)
    place = kinema.folder / "mutated"
    for i in range(count):
        # more often in the lines than in the pixels
        head, body = whole[:300], whole[300:]
        place.write_bytes(mutated(head, chance) + (mutated(body, chance) if i % 2 else body))
        ended = kinema.run(["record", "--input", "-", "--out", f"stream-{i}"], place)
        case.check(ended.faults([0, 1, 2]) + ([] if ended.peak_mb < 1000 else [f"it took {ended.peak_mb:.0f} MB"]))
    return case
