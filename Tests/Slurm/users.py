"""What users and administrators of a cluster expect of chains: names, ends, holds, arrays of chains."""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import sys
import time
from pathlib import Path

from cluster import PROGRAMS, Chain, digest, expect, wait
from scenarios import RECIPES, photographs, scenario


def states(site, array):
    """The tasks of an array that Slurm remembers: task, state and exit code."""
    text = site.run("scontrol", "show", "job", "-o", array, status=None)
    found = re.findall(r"ArrayTaskId=(\d+) .*?JobState=(\S+) .*? ExitCode=(\S+)", text)
    return {int(task): (state, code) for task, state, code in found}


def slices(site, chain):
    return json.loads(site.stint("status", "--json", chain.key))["sliceHistory"]


def script(site, name, text):
    site.path(name).write_text("#!/bin/sh\n" + text + "\n")
    site.path(name).chmod(0o755)


@scenario()
def names_and_words_of_ones_own(site):
    """A chain is followed by its number, whatever Slurm calls it; words that conflict are refused."""
    work = ("--", "exec", "--resumable", "--", "sleep", "60")
    for words in ("--array=1-9", "-a 1-9", "--arr=1-9", "--requeue", "-o x", "--open-mode=truncate", "x.sh"):
        text = site.stint("submit", "--sbatch=" + words, *work, status=64)
        expect(words.split("=")[0].split()[0] in text, text)
    expect(site.queue() == [] or all(name != "mine" for name, _ in site.queue()), "it is queued")
    options = ("--links", "9", "--job-name", "first", "--sbatch", "-J mine --signal=B:USR2@30")
    chain = site.submit(*options, *work)
    wait(30, "it runs", lambda: chain.record["link"] == 1)
    expect(any(name == "mine" for name, _ in site.queue()), f"{site.queue()}")
    expect("is running" in site.stint("status", chain.key), "status has lost it")
    again = site.stint("submit", *options, *work)
    expect("already" in again, again)
    site.stint("stop", chain.key)
    chain.wait_for_end("stopped", 60)
    wait(30, "no array is left", lambda: all(name != "mine" for name, _ in site.queue()))
    expect(chain.record["submission"] == 1, "a second array was queued")


@scenario()
def setup_and_what_follows(site):
    """Lines before the work; what follows a failure, and any end, runs once, and --then does not."""
    site.path("setup").write_text("#SBATCH --comment=ours\nexport COLOR=blue\n")
    script(site, "next.sh", 'echo "$1" >>followed')
    shown = site.stint("submit", "--dry-run", "--setup", "setup", "--", "exec", "--resumable", "--", "true")
    expect("export COLOR=blue" in shown and "exec " in shown.split("export COLOR=blue")[1], shown)
    follow = [word for option in ("then", "on-failure", "then-always")
              for word in (f"--{option}", f"--output=/dev/null next.sh {option}")]
    chain = site.submit("--links", "3", "--setup", "setup", *follow, "--", "exec", "--resumable", "--",
                        "sh", "-c", 'echo "$COLOR" >color; exit 65')
    chain.wait_for_end("failed", 60)
    wait(30, "what follows ran", lambda: site.path("followed").exists()
         and len(site.path("followed").read_text().split()) >= 2)
    time.sleep(2)
    expect(sorted(site.path("followed").read_text().split()) == ["on-failure", "then-always"],
           site.path("followed").read_text())
    expect(site.path("color").read_text() == "blue\n", "the lines did not run before the work")
    expect("--then) is not submitted" in site.stint("status", chain.key), site.stint("status", chain.key))
    # A set with an image that fails is not finished either.
    photographs(site, 2)
    site.path("in/bad.png").write_bytes(b"no image")
    chain = site.submit("--links", "2", "--then", "--output=/dev/null next.sh images", "--", "run", "image",
                        "in/000.png", "in/001.png", "in/bad.png", "--output-dir", "out", "--filter", "invert")
    record = chain.wait_for_end("failed", 60)
    expect("--then) is not submitted" in record["why"] and "images" not in site.path("followed").read_text(),
           f"{record}")


@scenario()
def ends_for_slurm(site):
    """A slice that saved ends with 0, the last one of a chain that is used up with 75, and why each ended and
    what it saved is told."""
    site.path("count.py").write_text(COUNTER)
    words = ("--", "exec", "--budget", "2s", "--lead", "1s", "--checkpoint-file", "state", "--", sys.executable,
             "count.py")
    chain = site.submit("--links", "3", *words)
    chain.wait_for_link(2)
    time.sleep(0.5)
    site.run("scancel", chain.record["array"] + "_2")
    record = chain.wait_for_end("usedUp", 90)
    known = states(site, record["array"])
    expect(known[1] == ("COMPLETED", "0:0"), f"{known}")
    expect(known[2][0] == "CANCELLED", f"{known}")
    expect(known[3] == ("FAILED", "75:0"), f"{known}")
    told = slices(site, chain)
    expect([it["why"] for it in told] == ["its time ran out", "cancelled, saved", "its time ran out"], f"{told}")
    expect(all(it["savedSeconds"] > 0.2 and it["checkpoints"] == 1 for it in told), f"{told}")
    report = site.stint("report", chain.key)
    expect(str(chain.folder / "chain.log") in report, report)
    old = site.submit("--links", "2", "--slice-exit-code", "75", *words)
    record = old.wait_for_end("usedUp", 90)
    wait(20, "Slurm knows", lambda: states(site, record["array"])[1] == ("FAILED", "75:0"))
    # A line a minute, and not a second.
    expect(old.log.count(" % ") + old.log.count("%,") <= 8, old.log)


# Counts in a file, and saves only when it is warned.
COUNTER = """
import os, signal, sys, time
asked = []
signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
count = int(open("state").read()) if os.path.exists("state") else 0
while not asked:
    time.sleep(0.02)
    count += 1
with open("state.new", "w") as file:
    file.write(str(count))
os.rename("state.new", "state")
sys.exit(75)
"""


class Hidden:
    """A folder that a node does not see."""

    def __init__(self, site, node, folder):
        outer = (site.cluster.folder / f"rig/run/node.{node}.pid").read_text().strip()
        self.site, self.folder = site, folder
        self.process = site.run("pgrep", "-P", outer).split()[0]

    def __enter__(self):
        self.site.run("nsenter", "-m", "-t", self.process, "mount", "-t", "tmpfs", "none", self.folder)

    def __exit__(self, *_):
        self.site.run("nsenter", "-m", "-t", self.process, "umount", self.folder)


@scenario()
def folders_that_a_node_does_not_see(site):
    """Where the script runs, it holds its array and says why; where Slurm cannot open the log, status and
    submit say so."""
    folder = site.path("programs")
    folder.mkdir()
    shutil.copy(Path(PROGRAMS, "stint"), folder)
    words = ("submit", "--links", "20", "--sbatch", "--nodelist=n2", "--", "exec", "--resumable", "--",
             "sh", "-c", "echo ran >>ran")
    with Hidden(site, "n2", folder):
        chain = Chain(site, re.search(r"chain-\w+", site.run(folder / "stint", *words))[0])
        wait(30, "it is held", lambda: "it is held" in site.stint("status", chain.key))
        text = site.stint("status", chain.key)
        expect(f"{folder}/stint cannot be reached (node n2)" in text, text)
        text = site.run(folder / "stint", *words)
        expect("queued already" in text and "it is held" in text, text)
        expect(chain.record["link"] == 0, "a slice began")
    site.stint("resume", chain.key)
    chain.wait_for_end("finished", 60)
    expect(site.path("ran").read_text() == "ran\n", "it ran more than once")
    jobs = site.path("hidden")
    jobs.mkdir()
    site.environment["STINT_JOBS"], site.jobs = str(jobs), jobs
    with Hidden(site, "n2", jobs):
        chain = site.submit("--links", "4", *words[3:])
        wait(30, "that is told", lambda: "could not open" in site.stint("status", chain.key))
        text = site.stint("status", chain.key)
        expect("on n2 did not begin" in text and str(chain.folder / "chain.log") in text, text)
        wait(30, "it is gone", lambda: not chain.is_queued())
        text = site.stint(*words)
        expect("on n2 did not begin" in text, text)
        site.stint("stop", chain.key)


@scenario()
def refusals_and_waiting(site):
    """Slurm's own words first; what can never begin is not queued; `watch` waits for the first slice."""
    work = ("--", "exec", "--resumable", "--", "sh", "-c", "echo ran >ran")
    text = site.stint("submit", "--sbatch", "-p nowhere", *work, status=69)
    expect(text.startswith('stint: Slurm says "sbatch: error: invalid partition specified: nowhere'), text)
    expect("smaller number" not in text, text)
    failed = site.run("sbatch", "--parsable", "--output=/dev/null", "--wrap=exit 1").strip()
    chain = site.submit("--links", "2", "--sbatch", f"--dependency=afterok:{failed}", *work)
    wait(40, "that is told", lambda: "can never begin" in site.stint("status", chain.key))
    status = json.loads(site.stint("status", "--json", chain.key))["chain"]
    expect(status["queued"] is False and status["reason"] == "DependencyNeverSatisfied", f"{status}")
    site.stint("stop", chain.key)
    wait(20, "it leaves the queue", lambda: not chain.is_queued())
    # What Slurm would refuse again is given up at once, and that is told.
    chain = site.submit("--links", "9", "--then", "-p nowhere after.sh", "--", "exec", "--done-file", "done", "--",
                        "touch", "done")
    record = chain.wait_for_end("finished", 30)
    wait(10, "that is told", lambda: "What was to follow was not submitted: --then: Slurm says" in chain.record["why"])
    text = site.stint("status", chain.key)
    expect("--then is not submitted yet" in text, text)
    # The last slice is killed: another task says how the chain ended.
    chain = site.submit("--links", "1", "--", "exec", "--checkpoint-file", "never", "--", "sh", "-c",
                        "kill -9 $(ps -o ppid= -p $PPID)")
    record = chain.wait_for_end("usedUp", 30)
    expect(record["link"] == 1 and not record["isLinkOpen"], f"{record}")
    began = time.monotonic()
    chain = site.submit("--links", "2", "--sbatch", "--begin=now+4", *work)
    text = site.stint("watch", chain.key)
    expect("has ended: The work is finished." in text and time.monotonic() - began > 2, text)


@scenario()
def images_dealt_in_turn(site):
    """61 images in 4 shards: the list of the submission, sorted and dealt in turn."""
    photographs(site, 61)
    text = site.stint("submit", "--shards", "4", "--", "run", "image", "--recursive", "in", "--output-dir", "out",
                      "--filter", "invert")
    (site.path("in") / "late.png").write_bytes(site.path("in/000.png").read_bytes())
    chains = [Chain(site, key) for key in re.findall(r"chain-\w+", text)][:4]
    for chain in chains:
        chain.wait_for_end("finished", 120)
    status = json.loads(site.stint("status", "--json", chains[0].key))["wholeStatus"]
    expect([it["items"] for it in status["parts"]] == [16, 15, 15, 15], f"{status['parts']}")
    expect(len(os.listdir(site.path("out"))) == 61, "other images than those of the submission")


def array_lines(count):
    """Lines of an array: commands, numbers, some with resources of their own, and one in 20 that fails."""
    lines = ["# a comment", ""]
    for index in range(count):
        if index % 20 == 19:
            lines.append("exec --resumable -- sh -c 'exit 65' " + str(index))
        elif index % 3 == 0:
            lines.append(f"--time 2 --sbatch '--mem=50M' -- run fibonacci {200000 + index} -o f-{index}")
        else:
            lines.append(f"exec --done-file done-{index} -- sh -c 'echo x >>out-{index}; echo x >done-{index}'")
    return "\n".join(lines) + "\n"


def array_of_chains(site, count, at_once, seconds, disturb=None):
    """Each line once, never more chains at a time than asked for, right sums, and what follows once."""
    site.path("lines").write_text(array_lines(count))
    script(site, "next.sh", 'echo "$1" >>followed')
    follow = [word for option in ("then", "on-failure", "then-always")
              for word in (f"--{option}", f"--output=/dev/null next.sh {option}")]
    text = site.stint("submit", "--array", "lines", "--at-once", str(at_once), "--links", "5", *follow)
    key = re.search(r"chains-\w+", text)[0]
    most, since = 0, time.monotonic()

    def ended():
        nonlocal most, disturb
        arrays = {name for name, _ in site.queue() if name.startswith("chain-")}
        ours = {name for name in arrays if (site.jobs / name).exists()}
        most = max(most, len(ours))
        if disturb and time.monotonic() - since > 6:
            disturb()
            disturb = None
        status = json.loads(site.stint("status", "--json", key))
        return status if status["state"] == "ended" else None
    status = wait(seconds, f"{key} ends: {site.stint('status', key)[-900:]}", ended)
    failed = count // 20
    expect((status["chains"], status["finished"], status["unfinished"]) == (count, count - failed, failed), f"{status}")
    # One that has ended stays in the queue for a moment.
    expect(most <= 2 * at_once, f"{most} chains at a time")
    for index in range(count):
        if index % 20 == 19:
            continue
        if index % 3 == 0:
            expect(site.path(f"f-{index}").stat().st_size > 1000, f"line {index}")
        else:
            expect(site.path(f"done-{index}").exists(), f"line {index}")
    time.sleep(3)
    expect(sorted(site.path("followed").read_text().split()) == ["on-failure", "then-always"],
           site.path("followed").read_text())
    expect(f"{count - failed}/{count}" in site.stint("list"), site.stint("list"))
    wait(30, "nothing of it is queued",
         lambda: not [name for name, _ in site.queue() if (site.jobs / name).exists()])
    return key, status


@scenario()
def chains_of_an_array(site):
    """20 lines, 4 chains at a time; stopped in the middle, and submitted again."""
    key, _ = array_of_chains(site, 20, 4, 180)
    report = json.loads(site.stint("report", "--json", key))
    expect(report["begun"] == 20 and report["slices"] >= 20, f"{report}")
    slow = "".join(f"exec --done-file slow-{index} -- sh -c 'sleep 3; echo x >slow-{index}'\n" for index in range(8))
    site.path("slow").write_text(slow)
    text = site.stint("submit", "--array", "slow", "--at-once", "3", "--links", "5")
    key = re.search(r"chains-\w+", text)[0]
    look = lambda: json.loads(site.stint("status", "--json", key))
    wait(30, "one is finished", lambda: look()["finished"] >= 1)
    site.stint("stop", key)
    status = wait(60, "it has ended", lambda: look() if look()["state"] == "ended" else None)
    expect(status["ending"] == "stopped" and status["notBegun"] > 0, f"{status}")
    site.stint("submit", "--array", "slow", "--at-once", "8", "--links", "5")
    status = wait(90, "it is finished", lambda: look() if look()["state"] == "ended" else None)
    expect(status["ending"] == "finished" and status["finished"] == 8, f"{status}")


@scenario(alone=True)
def training_and_a_node_killed(site):
    """The training loop of docs/your-program.md in a chain, whose node dies in the middle."""
    train, steps = RECIPES / "train.py", ("--steps", "500")
    site.run(sys.executable, train, "whole.json", "whole", *steps)
    chain = site.submit("--links", "20", "--", "exec", "--budget", "3s", "--lead", "1s", "--checkpoint-file",
                        "state.json", "--", train, "state.json", "result", *steps, "--pause", "0.01")
    chain.wait_for_link(2)
    node = chain.nodes()[-1]
    site.cluster.rig("kill-node", node)
    try:
        record = chain.wait_for_end("finished", 150)
        expect(digest(site.path("result")) == digest(site.path("whole")), "another result than in one piece")
        told = [it["why"] for it in slices(site, chain)]
        expect("its node was lost" in told, f"{told}")
        return f"{record['link']} slices"
    finally:
        site.cluster.rig("start-node", node)
        wait(60, "the node comes back",
             lambda: site.run("sinfo", "-h", "-p", "low", "-t", "idle", "-o", "%D").strip() == "2")


@scenario(long=True, alone=True)
def two_hundred_chains(site):
    """An array of 200 lines on two nodes, one of which is killed in the middle and comes back."""
    def kill():
        site.cluster.rig("kill-node", "n1")
    try:
        array_of_chains(site, 200, 8, 900, kill)
    finally:
        site.cluster.rig("start-node", "n1")


def links_of(site):
    """The processes of `stint link` whose jobs are this site's."""
    text = site.run("pgrep", "-f", f"link --jobs-dir {site.jobs} ", status=None)
    return [int(word) for word in text.split()]


def command_line(process):
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().decode()
    except OSError:
        return ""


def array_status(site, key):
    return json.loads(site.stint("status", "--json", key))


@scenario()
def arrays_and_faults(site):
    """Slices that are killed at any instant, the last slice of a chain, scancel, a line that Slurm does not
    take, and a partition that is closed for a while: each array comes to its end, and no line is lost."""
    site.jobs = site.path("jobs")
    draw = random.Random(int(os.environ.get("STINT_SEED", time.time_ns() % 1_000_000)))
    script(site, "next.sh", 'echo "$1" >>followed')

    def submit(name, lines, *words, status=0):
        site.path(name).write_text("".join(line + "\n" for line in lines))
        text = site.stint("submit", "--array", name, *words, status=status)
        return re.search(r"chains-\w+", text)[0], text

    def lines(name, count, seconds="0.3"):
        return [f"exec --done-file {name}-{index} -- sh -c 'sleep {seconds}; echo x >{name}-{index}'"
                for index in range(count)]
    killed, _ = submit("killed", lines("killed", 12), "--at-once", "2", "--links", "20")
    last, _ = submit("last", ["exec --resumable -- sh -c 'sleep 2; kill -9 $(ps -o ppid= -p $PPID); sleep 5'",
                              *lines("last", 2)], "--at-once", "1", "--links", "1")
    bad, text = submit("bad", [*lines("bad", 1), "--sbatch '-p nowhere' -- exec --resumable -- true", *lines("worse", 1)],
                       "--at-once", "3", "--on-failure", "--output=/dev/null next.sh bad")
    expect("Line 2 was not submitted: Slurm says" in text, text)
    site.run("scontrol", "update", "PartitionName=lowgrace", "State=UP")
    closed, _ = submit("closed", lines("closed", 3, "2"), "--at-once", "1", "--links", "20", "--sbatch", "-p lowgrace",
                       "--then", "-p lowgrace --output=/dev/null next.sh closed")
    wait(30, "it runs", lambda: array_status(site, closed)["members"][0]["state"] == "running")
    site.run("scontrol", "update", "PartitionName=lowgrace", "State=DRAIN")
    cancelled, _ = submit("cancelled", lines("cancelled", 4, "7"), "--at-once", "2", "--links", "5",
                          "--then", "--output=/dev/null next.sh cancelled")
    wait(30, "they run", lambda: all(it["state"] == "running" for it in array_status(site, cancelled)["members"]))
    arrays = [it["chain"]["array"] for it in array_status(site, cancelled)["members"]]
    chain = array_status(site, cancelled)["members"][0]["chain"]["job"]
    expect("in the hands of Slurm" in site.stint("clean", "--all", chain, status=None), "a chain was removed")
    work = (site.jobs / chain / "work").read_text()
    expect("in the hands of Slurm" in site.stint("clean", "--all", work, status=None), "its work was removed")
    site.run("scancel", *arrays)
    wait(30, "that is told", lambda: "Slurm has none of its chains" in site.stint("status", cancelled))
    again = site.stint("submit", "--array", "cancelled")
    expect("submitted already" in again and "2 active" in again, again)
    kills = {}
    for _ in range(12):
        time.sleep(draw.uniform(0.1, 1))
        own = [it["chain"]["job"] for it in array_status(site, killed)["members"] if it.get("chain")]
        # Three deaths in a row end a chain.
        found = [(pid, key) for pid in links_of(site) for key in own
                 if kills.get(key, 0) < 2 and key in command_line(pid)]
        if found:
            pid, key = draw.choice(found)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            kills[key] = kills.get(key, 0) + 1
    site.run("scontrol", "update", "PartitionName=lowgrace", "State=UP")
    for key, chains, finished in ((killed, 12, 12), (last, 3, 2), (bad, 3, 2), (closed, 3, 3), (cancelled, 4, 4)):
        status = wait(120, f"{key} ends: {site.stint('status', key)}",
                      lambda: array_status(site, key) if array_status(site, key)["state"] == "ended" else None)
        expect((status["chains"], status["finished"]) == (chains, finished), f"{site.stint('status', key)}")
    wait(60, "what follows ran", lambda: site.path("followed").exists()
         and sorted(site.path("followed").read_text().split()) == ["bad", "cancelled", "closed"])
    text = site.stint("status", bad)
    expect("line 2: It was not submitted" in text, text)
