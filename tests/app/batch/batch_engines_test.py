#!/usr/bin/env python3
"""kinema batch under the real engines: Slurm on this machine, Open MPI, GNU parallel. Each is skipped where it is not
installed.

    batch_engines_test.py KINEMA CLIP
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

KINEMA = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
CLIP = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
SBATCH = pathlib.Path(__file__).resolve().parents[3] / "deploy" / "batch.sbatch"
CHEAP = "--particles 20 --points 200 --layers 1 --refined 2 --rivals 0 --no-shape --lag 0"
RECORDINGS = 12
BROKEN = "05"


def free_port():
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return chosen.getsockname()[1]


def wait_until(condition, what, seconds=300):
    """Engines work in the background: nothing but asking says when they are done."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.2)
    raise AssertionError(f"{what}: not within {seconds} s")


class Engine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="kinema-batch-")
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.folder.chmod(0o755)
        subprocess.run([KINEMA, "body", "simulate", "--motion", CLIP, "--mode", "points", "--out", cls.folder / "one",
                        "--frames", "2"], check=True, stdout=subprocess.DEVNULL)
        for i in range(RECORDINGS):
            recording = cls.folder / "recordings" / f"{i:02}"
            shutil.copytree(cls.folder / "one", recording)
            if recording.name == BROKEN:
                (recording / "camera.json").write_text("junk")
        lines = [f"recordings/{i:02} body {CHEAP}\n" for i in range(RECORDINGS)]
        (cls.folder / "jobs.txt").write_text("".join(lines))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def setUp(self):
        self.out = self.folder / self.id().rsplit(".", 1)[-1]

    def records(self):
        return {path.parent.name: json.loads(path.read_text()) for path in self.out.glob("results/*/job.json")}

    def check_results(self):
        records = self.records()
        self.assertEqual(len(records), RECORDINGS)
        failed = [name for name, record in records.items() if record["state"] != "done"]
        self.assertEqual(failed, [f"recordings-{BROKEN}.body"])
        self.assertEqual([path.name for path in (self.out / "work").iterdir()], ["report.lock"])
        page = (self.out / "batch.html").read_text()
        self.assertIn(f"{RECORDINGS - 1} of {RECORDINGS}", page)
        self.assertIn("wrong input", page)


@unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
class Parallel(Engine):
    def test_divides_a_batch(self):
        call = ["parallel", "--will-cite", "-j", "2", str(KINEMA), "batch", "jobs.txt", "--out", str(self.out), "--shard",
                "{}/3", "--threads", "1", ":::", "1", "2", "3"]
        done = subprocess.run(call, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)  # the number of shards with failures
        self.check_results()


@unittest.skipUnless(shutil.which("mpirun"), "Open MPI is not installed")
class Mpi(Engine):
    def test_divides_a_batch(self):
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                           OMPI_MCA_btl_vader_single_copy_mechanism="none")
        probe = subprocess.run(["mpirun", "-n", "2", "true"], env=environment, capture_output=True)
        if probe.returncode != 0:
            self.skipTest("mpirun does not start two ranks here")
        devices = subprocess.run([KINEMA, "devices", "--json"], check=True, capture_output=True)
        built_in = json.loads(devices.stdout)["built_in"]["mpi"]
        # without MPI, ranks do not wait for each other: the first one with a failure must not end the rest
        more = [] if built_in else ["--mca", "orte_abort_on_non_zero_status", "0"]
        call = ["mpirun", *more, "-n", "3", str(KINEMA), "batch", "jobs.txt", "--out", str(self.out), "--threads", "1"]
        done = subprocess.run(call, cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if built_in else 0, done.stderr)
        self.check_results()


class SlurmCluster:
    """munge, the controller and a compute node on this machine, with all their files in one folder."""

    programs = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol"]

    def __init__(self, folder):
        self.folder = folder
        self.daemons = []
        for name in ["state", "spool"]:
            (folder / name).mkdir(parents=True)
        host = socket.gethostname().split(".")[0]
        self.munge_socket = folder / "munge.socket"
        configuration = folder / "slurm.conf"
        configuration.write_text(f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={self.munge_socket},cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
JobRequeue=1
KillWait=5
MinJobAge=3600
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
""")
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        self.environment = dict(os.environ, SLURM_CONF=str(configuration),
                                PATH=f"{KINEMA.parent}:{os.environ['PATH']}:/usr/sbin")
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o600)
        self.start("munged", "--foreground", "--force", f"--socket={self.munge_socket}",
                   f"--key-file={folder}/munge.key", f"--pid-file={folder}/munged.pid",
                   f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed")
        wait_until(self.munge_socket.exists, "munged listens", 30)
        self.start("slurmctld", "-D", "-f", str(configuration))
        self.start("slurmd", "-D", "-f", str(configuration), "-N", host)
        wait_until(lambda: "State=IDLE" in self.call("scontrol", "show", "node", check=False), "the node is idle", 60)

    def start(self, *words):
        with open(self.folder / f"{words[0]}.out", "w") as log:
            self.daemons.append(subprocess.Popen(words, env=self.environment, stdout=log, stderr=log))

    def call(self, *words, check=True, **more):
        environment = dict(self.environment, **more)
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
        if check and done.returncode != 0:
            raise AssertionError(f"{words}: {done.stderr}")
        return done.stdout

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


@unittest.skipUnless(all(shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") for name in SlurmCluster.programs),
                     "Slurm and munge are not installed")
@unittest.skipUnless(os.geteuid() == 0, "the daemons of Slurm need root")
class Slurm(Engine):
    def setUp(self):
        super().setUp()
        try:
            self.cluster = SlurmCluster(self.folder / "slurm")
        except AssertionError as error:
            self.skipTest(f"Slurm does not start here: {error}")
        self.addCleanup(self.cluster.stop)

    def test_array_with_a_broken_recording_and_a_requeued_task(self):
        # one recording is long enough to be requeued while it is tracked
        long = self.folder / "recordings" / "00" / "points"
        for i in range(2, 400):
            os.link(long / "000000.npy", long / f"{i:06}.npy")
        submitted = self.cluster.call(
            "sbatch", f"--array=0-{RECORDINGS - 1}", "--cpus-per-task=1", "--mem-per-cpu=0", f"--output={self.folder}/%a.log",
            f"--chdir={self.folder}", str(SBATCH), JOBS="jobs.txt", OUT=str(self.out))
        job = re.search(r"\d+", submitted).group()
        # the longest job is dealt to the first shard
        wait_until(lambda: (self.out / "work" / "recordings-00.body").exists(), "the long recording is tracked")
        self.cluster.call("scontrol", "requeue", f"{job}_0")
        wait_until(lambda: self.cluster.call("squeue", "--noheader").strip() == "", "all tasks end", 600)
        self.check_results()
        tasks = self.cluster.call("scontrol", "show", "job", job)
        self.assertEqual(len(re.findall(r"JobState=COMPLETED", tasks)), RECORDINGS - 1, tasks)
        self.assertEqual(len(re.findall(r"JobState=FAILED", tasks)), 1, tasks)
        self.assertEqual(len(re.findall(r"Restarts=1", tasks)), 1, tasks)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
