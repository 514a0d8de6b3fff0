"""A Slurm of two nodes for tests, and the programs of Stint as its user runs them."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = os.environ.get("STINT_PROGRAMS", HERE.parents[1] / ".build" / "debug")


class Failure(Exception):
    """What a scenario expected and did not see."""


def expect(holds, what):
    if not holds:
        raise Failure(what)


def wait(seconds, what, look):
    """Looks until there is something, and returns it."""
    limit = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > limit:
            raise Failure(f"not within {seconds} s: {what}")
        time.sleep(0.05)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Cluster:
    """The Slurm that `rig` starts."""

    def __init__(self, **settings):
        self.folder = Path(tempfile.mkdtemp(prefix="stint-slurm-"))
        self.folder.chmod(0o755)
        self.settings = settings

    def rig(self, verb, *words):
        environment = dict(os.environ, **self.settings)
        environment.pop("SLURM_CONF", None)
        subprocess.run(
            [HERE / "rig", verb, self.folder / "rig", *words],
            env=environment, check=True, stdin=subprocess.DEVNULL)

    def __enter__(self):
        self.rig("start")
        return self

    def __exit__(self, *_):
        self.rig("stop")
        if "STINT_KEEP" not in os.environ:
            shutil.rmtree(self.folder, ignore_errors=True)


class Site:
    """A user's folder with results and jobs, apart from those of other scenarios."""

    def __init__(self, cluster, name):
        self.cluster = cluster
        self.folder = cluster.folder / name
        self.jobs = self.folder / "jobs"
        os.makedirs(self.jobs, mode=0o700)
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("SLURM_", "STINT_"))
        }
        self.environment |= {
            "SLURM_CONF": str(cluster.folder / "rig" / "slurm.conf"),
            "STINT_JOBS": str(self.jobs),
        }

    def path(self, name):
        return self.folder / name

    # Programs

    def run(self, *words, status=0, seconds=60, **more):
        """Runs a program and returns its outputs together."""
        environment = self.environment | more.pop("environment", {})
        done = subprocess.run(
            words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, **more)
        if status is not None and done.returncode != status:
            raise Failure(f"{' '.join(map(str, words))}: status {done.returncode}: {done.stdout[-9000:]}")
        return done.stdout

    def stint(self, *words, **more):
        return self.run(Path(PROGRAMS, "stint"), *words, **more)

    def start(self, *words, environment=None):
        """Starts `stint` beside the test."""
        return subprocess.Popen(
            [Path(PROGRAMS, "stint"), *words], cwd=self.folder,
            env=self.environment | (environment or {}), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=open(self.path("stderr"), "wb"))

    # Chains

    def submit(self, *words):
        """Submits work and returns its chain."""
        output = self.stint("submit", *words)
        for word in output.split():
            if word.startswith("chain-"):
                return Chain(self, word)
        raise Failure(f"no chain in: {output}")

    def queue(self):
        """The states of what Slurm has in its queue, by the name of the chain."""
        lines = self.run("squeue", "-h", "-r", "-o", "%j %t").splitlines()
        return [tuple(line.split()) for line in lines]


class Chain:
    """A chain of slices."""

    def __init__(self, site, key):
        self.site, self.key = site, key
        self.folder = site.jobs / key

    @property
    def record(self):
        return json.loads((self.folder / "chain.json").read_text())

    @property
    def log(self):
        try:
            return (self.folder / "chain.log").read_text()
        except FileNotFoundError:
            return ""

    def work_key(self):
        return (self.folder / "work").read_text()

    def work(self):
        """What is known of the job that does the work."""
        return json.loads(self.site.stint("status", "--json", self.work_key()))

    def journal(self, key=None):
        path = self.site.jobs / (key or self.key) / "journal.jsonl"
        # A job that is a second old has none yet.
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [json.loads(line) for line in lines]

    def nodes(self):
        """The nodes of its slices, in their order."""
        return [it["engineNode"] for it in self.journal() if it["event"] == "stintBegan"]

    def is_running(self):
        return any(name == self.key and state == "R" for name, state in self.site.queue())

    def is_queued(self):
        return any(name == self.key for name, _ in self.site.queue())

    def wait_for_link(self, number, seconds=30):
        """Waits until a slice works."""
        wait(seconds, f"slice {number} of {self.key} works",
             lambda: self.record["link"] >= number and (self.folder / "work").exists() and self.holder())

    def holder(self):
        """Who works on the job of the chain, as its lock says."""
        try:
            return self.work().get("holder")
        except Failure:
            return None

    def wait_for_end(self, ending, seconds=120):
        """Waits for the end of the chain, and until nothing of it is in the queue."""
        def ended():
            record = self.record
            return record if record["state"] == "ended" else None
        record = wait(seconds, f"{self.key} ends; its log: {self.log[-1500:]}", ended)
        expect(record["ending"] == ending,
               f"{self.key} ended as {record['ending']}, not as {ending}: {self.log[-1500:]}")
        wait(30, f"{self.key} leaves the queue", lambda: not self.is_queued())
        return record

    def check_one_at_a_time(self):
        """No two processes ever worked on the job at once: each stint began after the end of the
        one before, or after its process was gone."""
        for key in (self.key, self.work_key()):
            last = None
            for event in self.journal(key):
                process = event["pid"]
                if event["event"] == "stintBegan":
                    last = process
                elif event["event"] in ("stintEnded", "checkpoint") and last:
                    expect(process == last, f"{key}: process {process} wrote in a stint of {last}")

    def gaps(self):
        """The times between the end of a slice and the begin of the next one."""
        ended, gaps = None, []
        for event in self.journal():
            if event["event"] == "stintEnded":
                ended = event["bootSeconds"]
            elif event["event"] == "stintBegan" and ended is not None:
                gaps.append(event["bootSeconds"] - ended)
        return gaps
