"""Runs the kinema command as somebody who means no good would, and looks at how it ended."""

import json
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path


class Ended:
    def __init__(self, code, out, err, peak_mb, seconds):
        self.code = code  # minus the number of the signal that ended it
        self.out, self.err = out, err
        self.peak_mb, self.seconds = peak_mb, seconds

    def faults(self, codes):
        """What is wrong with how it ended: it may end with these codes, and says why in one line unless that is 0."""
        lines = self.err.splitlines()
        if self.code not in codes:
            return [f"ended with {self.code}: {self.err[-300:]!r}"]
        if self.code > 0 and (not lines or not lines[-1].startswith("kinema: ")):
            return [f"ended with {self.code} without a line that says why: {self.err[-300:]!r}"]
        return []

    def json(self):
        return json.loads(self.out)


class Kinema:
    def __init__(self, program, folder):
        self.program, self.folder = Path(program).resolve(), Path(folder)

    def start(self, words, stdin=None, file_bytes=None):
        """A child whose output goes to files or, where no file may become larger than `file_bytes`, to pipes."""

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, resource.RLIM_INFINITY))

        given = open(stdin or os.devnull, "rb")
        to = [tempfile.TemporaryFile() if file_bytes is None else subprocess.PIPE for _ in range(2)]
        child = subprocess.Popen([self.program, *map(str, words)], cwd=self.folder, stdin=given, stdout=to[0],
                                 stderr=to[1], preexec_fn=None if file_bytes is None else limit)
        given.close()
        child.files = to if file_bytes is None else [child.stdout, child.stderr]
        child.begun = time.monotonic()
        return child

    def end(self, child, timeout=120):
        """Waits for a child; one that hangs is killed, which ends with -9."""
        timer = threading.Timer(timeout, child.kill)
        timer.start()
        _, status, used = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)  # so that nobody waits for it again
        texts = []
        for file in child.files:
            if file.seekable():
                file.seek(0)
            texts.append(file.read().decode(errors="replace"))
            file.close()
        return Ended(child.returncode, *texts, used.ru_maxrss / 1024, time.monotonic() - child.begun)

    def run(self, words, stdin=None, file_bytes=None, timeout=120):
        return self.end(self.start(words, stdin, file_bytes), timeout)

    def need(self, words, stdin=None):
        """A call that a case stands on."""
        ended = self.run(words, stdin)
        if ended.code != 0:
            raise SystemExit(f"hostile: kinema {' '.join(map(str, words))}: ended with {ended.code}: {ended.err}")
        return ended

    def signalled(self, words, number, after, stdin=None):
        """A call that gets a signal some seconds after it began, or ends before."""
        child = self.start(words, stdin)
        time.sleep(after)
        os.kill(child.pid, number)
        return self.end(child)


def runs(child):
    """Whether it has not ended; without taking its end away from end()."""
    return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


class Case:
    """What a case tried, and what was wrong."""

    def __init__(self, name):
        self.name, self.tried, self.faults, self.notes = name, 0, [], []

    def check(self, faults, where=""):
        self.tried += 1
        self.faults += [f"{where}: {fault}" if where else fault for fault in faults]
