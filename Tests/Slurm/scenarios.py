"""What must hold on a real Slurm. A scenario gets a folder of its own, and returns a note or nothing."""

import json
import os
import random
import re
import shlex
import shutil
import signal
import statistics
import struct
import sys
import time
import zlib
from pathlib import Path

from cluster import HERE, PROGRAMS, Chain, Failure, digest, expect, wait

RECIPES = HERE.parents[1] / "Examples/your-program"
STINT = Path(PROGRAMS, "stint").absolute()

ALL = []
NAMES = set()


def scenario(alone=False, long=False, last=False):
    """Lists a function as a scenario: alone, because it kills nodes; long, for `run --full`; last,
    when nothing else computes, because it measures."""
    def listed(function):
        function.is_alone, function.is_long, function.is_last = alone, long, last
        ALL.append(function)
        NAMES.add(function.__name__)
        return function
    return listed


# Large enough for some slices, whatever the machine: found once, by the time of a small one.
_number = {}
SAMPLE = 50_000_000


def number_of(site, seconds):
    """A number whose computation takes about so long here."""
    if "rate" not in _number:
        began = time.monotonic()
        site.stint("run", "fibonacci", str(SAMPLE), "-o", "rate.txt", "--quiet", "--no-engine",
                   "--jobs-dir", site.path("rate-jobs"))
        _number["rate"] = SAMPLE / (time.monotonic() - began)
    # A larger one needs more memory than small machines have.
    return min(int(_number["rate"] * seconds), 12_000_000_000)


def compute(site, number, *options, links=20, submit=()):
    """Submits the computation of a number and returns its chain."""
    return site.submit("--links", str(links), *submit, "--", "run", "fibonacci", str(number),
                       "-o", "f.txt", *options)


def uninterrupted(site, number):
    """The digest of a result that was computed in one piece."""
    site.stint("run", "fibonacci", str(number), "-o", "whole.txt", "--quiet", "--no-engine",
               "--jobs-dir", site.path("whole-jobs"), seconds=300)
    return digest(site.path("whole.txt"))


@scenario()
def short_chain(site):
    """Slice after slice until the result is there; the rest of the array is gone then."""
    number = number_of(site, 6)
    expected = uninterrupted(site, number)
    chain = compute(site, number, "--budget", "2s", links=30)
    record = chain.wait_for_end("finished")
    expect(record["link"] >= 2, f"only {record['link']} slice")
    expect(digest(site.path("f.txt")) == expected, "other bytes than in one piece")
    chain.check_one_at_a_time()
    stints = chain.work()["stintHistory"]
    expect(all(it["engine"] == "slurm" and it["engineNode"] in ("n1", "n2") for it in stints),
           "a stint without its engine, its job and its node")
    text = site.stint("status", chain.key)
    expect("finished" in text and "slice" in text, text)
    return f"{record['link']} slices, gaps {', '.join(f'{it:.2f}' for it in chain.gaps())} s"


@scenario()
def never_succeeds(site):
    """A failure that another slice would repeat ends the chain after one."""
    chain = site.submit("--links", "20", "--", "exec", "--resumable", "--", "sh", "-c", "exit 65")
    record = chain.wait_for_end("failed", 60)
    expect(record["link"] == 1, f"{record['link']} slices ran")
    expect("65" in site.stint("status", chain.key), "status does not say why")
    expect("65" in chain.log.splitlines()[-1], f"the last line does not say why: {chain.log}")
    # Submitted again it begins anew.
    again = site.submit("--links", "2", "--", "exec", "--resumable", "--", "sh", "-c", "exit 65")
    expect(again.wait_for_end("failed", 60)["submission"] == 2, "not a new submission")


@scenario()
def crashes(site):
    """Three slices in a row that crash without a new checkpoint are the last ones."""
    chain = site.submit("--links", "20", "--", "exec", "--budget", "5s", "--checkpoint-file", "never", "--",
                        "sh", "-c", "kill -SEGV $$")
    record = chain.wait_for_end("died", 60)
    expect(record["link"] == 3, f"{record['link']} slices ran")


@scenario()
def no_progress(site):
    """Work that cannot progress in its time ends the chain and says how much time would do."""
    site.environment["HOME"] = site.folder
    chain = site.submit("--links", "20", "--", "exec", "--budget", "1s", "--checkpoint-file", "never",
                        "--until-done", "--rest", "1ms", "--", "sleep", "100")
    record = chain.wait_for_end("noProgress", 60)
    expect(record["link"] <= 3, f"{record['link']} slices ran")
    expect("no progress" in site.stint("status", chain.key), "status does not say why")


@scenario()
def held_lock(site):
    """A slice that finds the job held waits for the holder; no other slice is used up."""
    number = number_of(site, 30)
    holder = site.start("run", "fibonacci", str(number), "-o", "f.txt", "--quiet")
    try:
        wait(20, "the holder works", lambda: "running" in site.stint("list"))
        chain = compute(site, number, "--budget", "20s", "--fresh")
        wait(30, "a slice waits", lambda: chain.record["link"] == 1)
        time.sleep(3)
        expect(chain.record["link"] == 1 and chain.is_running(), "the slice did not wait")
    finally:
        holder.send_signal(signal.SIGTERM)
        status = holder.wait(30)
    expect(status in (75, 128 + signal.SIGTERM), f"the holder ended with {status}")
    chain.wait_for_link(1)
    expect(chain.record["link"] == 1, "another slice began")
    site.stint("stop", chain.key)
    chain.wait_for_end("stopped", 60)


@scenario()
def stopped(site):
    """`stint stop` saves the running slice and lets no other one follow; `submit` begins again."""
    number = number_of(site, 8)
    words = ("--links", "20", "--", "run", "fibonacci", str(number), "-o", "f.txt")
    chain = site.submit(*words)
    chain.wait_for_link(1)
    twice = site.stint("submit", *words)
    expect("already" in twice, f"submitted twice: {twice}")
    time.sleep(1)
    site.stint("stop", chain.key)
    chain.wait_for_end("stopped", 60)
    expect(chain.work()["checkpoints"] > 0, "nothing was saved")
    chain = site.submit(*words)
    chain.wait_for_end("finished")


@scenario()
def cancelled_by_hand(site):
    """`scancel` of the whole array saves the work, and it can be submitted again."""
    number = number_of(site, 8)
    chain = compute(site, number)
    chain.wait_for_link(1)
    time.sleep(1)
    site.run("scancel", chain.record["array"])
    wait(30, "it leaves the queue", lambda: not chain.is_queued())
    expect("not in Slurm's queue" in site.stint("status", chain.key), "status says that it is queued")
    compute(site, number).wait_for_end("finished")


@scenario()
def follower(site):
    """What follows is submitted when the result is there, once."""
    site.run("sh", "-c", "printf '#!/bin/sh\\necho ran >>followed\\n' >after.sh; chmod +x after.sh")
    chain = site.submit("--links", "3", "--then", "--output=/dev/null after.sh", "--", "exec",
                        "--done-file", "result", "--", "sh", "-c", "echo done >result")
    chain.wait_for_end("finished", 60)
    wait(30, "what follows ran", site.path("followed").exists)
    time.sleep(2)
    expect(site.path("followed").read_text() == "ran\n", "it ran more than once")


@scenario()
def used_up(site):
    """The last slice says that the work is not finished; `--again` submits as many again."""
    site.path("lines").write_text("".join(f"exec -- sleep 1.{number:02}\n" for number in range(12)))
    words = ("batch", "lines", "-j", "1", "--budget", "4s")
    chain = site.submit("--links", "1", "--", *words)
    record = chain.wait_for_end("usedUp", 60)
    expect(record["link"] == 1 and "not finished" in record["why"], f"{record}")
    chain = site.submit("--links", "1", "--again", "--", *words)
    record = chain.wait_for_end("finished")
    expect(record["submission"] > 2, f"not submitted again: {record}")


@scenario()
def moved_limit(site):
    """`scontrol update TimeLimit` moves the end of running work to either side."""
    chain = site.submit("--time", "10m", "--links", "2", "--", "exec", "--resumable",
                        "--tick", "200ms", "--events", "events", "--", "sh", "-c", "sleep 200")

    def remaining():
        lines = site.path("events").read_text().split("\n")[:-1]
        ticks = [json.loads(it) for it in lines if '"remainingSeconds"' in it]
        return ticks[-1]["remainingSeconds"] if ticks else None
    wait(30, "a tick", lambda: site.path("events").exists() and remaining())
    expect(600 > remaining() > 560, f"{remaining()} s are left of 10 min")
    task = chain.record["array"] + "_1"
    for minutes in (2, 6):
        site.run("scontrol", "update", f"JobId={task}", f"TimeLimit={minutes}")
        seconds = minutes * 60
        wait(40, f"the end moves to {minutes} min", lambda: seconds > remaining() > seconds - 60)
    site.stint("stop", chain.key)
    chain.wait_for_end("stopped", 60)


def stand_ins(site, **scripts):
    """A folder with programs that stand in for Slurm's, to be put in front of PATH."""
    folder = site.path("stand-ins")
    folder.mkdir(exist_ok=True)
    for name, script in scripts.items():
        path = folder / name
        path.write_text("#!/bin/sh\n" + script + "\n")
        path.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


@scenario()
def commands_hang_fail_and_lie(site):
    """What Slurm's commands do wrong is a notice; the work goes on to its end, or to what is known."""
    number = str(number_of(site, 2))
    inside = {"SLURM_JOB_ID": "99999999", "SLURMD_NODENAME": "n1"}
    notices = {
        "hangs": ("exec sleep 1000", None),
        "fails": ("echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1",
                  "Unable to contact"),
        "lies": ("echo 2001-01-01T00:00:00", "has passed"),
        "babbles": ("yes $(printf '\\033[31m') | head -c 3000000", "not a time"),
        "says nothing": (":", "knows no job"),
    }
    for name, (script, notice) in notices.items():
        fakes = stand_ins(site, squeue=script, scontrol=script)
        began = time.monotonic()
        output = site.stint("run", "fibonacci", number, "-o", name.replace(" ", "-"),
                            environment=inside | fakes)
        expect(notice is None or notice in output, f"squeue {name}, and that is not said: {output}")
        expect(output.count("Slurm did not say") <= 1, f"squeue {name}: said more than once")
        expect("\033" not in output, "escapes reach the terminal")
        expect(time.monotonic() - began < 40, f"squeue {name}, and the work was late")
    # Without the command at all.
    bare = site.path("bare")
    bare.mkdir()
    (bare / "sh").symlink_to("/bin/sh")
    output = site.stint("run", "fibonacci", number, "-o", "bare.txt",
                        environment=inside | {"PATH": str(bare)})
    expect("cannot be started" in output, output)
    # An end that Slurm once told stands when it cannot be asked any more.
    end = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 6))
    fakes = stand_ins(site, squeue=f"echo {end}", scontrol="exit 1")
    long = str(number_of(site, 60))
    began = time.monotonic()
    output = site.stint("run", "fibonacci", long, "-o", "told.txt", status=75,
                        environment=inside | fakes)
    expect(time.monotonic() - began < 7, f"it went on past its end: {output}")
    output = site.stint("run", "fibonacci", number, "-o", "none.txt", "--no-engine",
                        environment=inside | fakes)
    # sbatch that refuses, and one that says what is no number.
    words = ("submit", "--", "run", "fibonacci", long, "-o", "sub.txt")
    fakes = stand_ins(site, sbatch="echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2; exit 1")
    output = site.stint(*words, status=69, environment=fakes)
    expect("QOSMaxSubmitJobPerUserLimit" in output and "50 slices" in output, output)
    fakes = stand_ins(site, sbatch="echo hello")
    expect("names no job" in site.stint(*words, status=69, environment=fakes), "sbatch lied")
    expect("MaxArraySize" in site.stint("submit", "--links", "100000", *words[1:], status=64),
           "more slices than Slurm takes")


@scenario()
def cannot_be_told(site):
    """A chain whose end Slurm could not be told does nothing more, and a slice tries again."""
    fakes = stand_ins(site, scancel="exit 1")
    # Without the delay of the scheduler the slices would need this.
    chain = submit_with(site, fakes, "--links", "4", "--", "exec", "--resumable", "--",
                        "sh", "-c", "echo ran >>runs")
    chain.wait_for_end("finished", 90)
    expect(site.path("runs").read_text() == "ran\n", "the work ran again")
    expect("could not be cancelled" in chain.log, chain.log)


def submit_with(site, environment, *words):
    before = site.environment
    site.environment = before | environment
    try:
        return site.submit(*words)
    finally:
        site.environment = before


@scenario()
def names_of_all_kinds(site):
    """Folders and words with blanks, quotes and percent signs reach the work unchanged."""
    folder = site.path("a 'b' $(touch pwned) %j é")
    folder.mkdir()
    site.folder, site.jobs = folder, folder / "jobs %a 'x'"
    site.environment["STINT_JOBS"] = str(site.jobs)
    chain = site.submit("--links", "2", "--sbatch", "--comment='it''s $(touch pwned)'", "--", "exec",
                        "--done-file", "words", "--", "sh", "-c", 'printf "%s\\n" "$@" >words', "-",
                        "it's", "$(touch pwned)", "a\nb", "#SBATCH --array=1-9", "")
    chain.wait_for_end("finished", 60)
    expect(site.path("words").read_text() == "it's\n$(touch pwned)\na\nb\n#SBATCH --array=1-9\n\n",
           "other words")
    expect(not site.path("pwned").exists(), "a shell ran what the user's words said")


@scenario()
def wait_lock(site):
    """--wait-lock waits for the holder within one's own time."""
    number = str(number_of(site, 60))
    words = ("run", "fibonacci", number, "-o", "f.txt", "--quiet")
    holder = site.start(*words, "--budget", "8s")
    wait(20, "the holder works", lambda: "running" in site.stint("list"))
    expect("process" in site.stint(*words, status=69), "the holder is not named")
    began = time.monotonic()
    site.stint(*words, "--budget", "2s", "--wait-lock", status=75)
    expect(1 < time.monotonic() - began < 3, "it did not wait as long as its time allows")
    began = time.monotonic()
    site.stint(*words, "--wait-lock=1s", status=69)
    expect(0.9 < time.monotonic() - began < 3, "it did not wait for a second")
    waiting = site.start(*words, "--wait-lock")
    time.sleep(0.5)
    waiting.send_signal(signal.SIGTERM)
    expect(waiting.wait(5) == 75, "a signal does not end the waiting")
    site.stint(*words, "--budget", "30s", "--wait-lock", "--checkpoint-every", "1s", status=75)
    expect(holder.wait(5) == 75, "the holder was disturbed")


@scenario()
def refused_command(site):
    """A command of which nothing says how its slices go on is refused before anything is queued."""
    for words in (("exec", "python3", "train.py"), ("exec", "--", "python3", "train.py")):
        text = site.stint("submit", "--", *words, status=64)
        expect(all(it in text for it in ("--checkpoint-file", "--done-file", "--resumable")), text)
    expect(not os.listdir(site.jobs), "it is queued")


# Counts, saves when it is warned, and exits with 0, done or not.
POLITE = r"""
import os, signal, sys, time
def save():
    with open("state.new", "w") as file:
        file.write(str(count))
    os.rename("state.new", "state")
def warned(*_):
    save()
    sys.exit(0)
count = int(open("state").read()) if os.path.exists("state") else 0
signal.signal(signal.SIGTERM, warned)
while count < 300:
    time.sleep(0.02)
    count += 1
save()
with open("result", "w") as file:
    file.write(str(count))
"""


@scenario()
def saves_and_exits_with_0(site):
    """An exit with 0 after a warning is not the end; what follows starts after the real one."""
    site.path("after.sh").write_text("#!/bin/sh\ncat result >>followed\n")
    chain = site.submit("--links", "20", "--then", "--output=/dev/null after.sh", "--", "exec", "--budget", "3s",
                        "--lead", "1s", "--checkpoint-file", "state", "--", "python3", "-c", POLITE)
    record = chain.wait_for_end("finished")
    expect(record["link"] >= 3, f"only {record['link']} slices")
    wait(30, "what follows ran", site.path("followed").exists)
    expect(site.path("followed").read_text() == "300", "it ran before the end, or twice")
    return f"{record['link']} slices"


@scenario()
def killed_at_the_deadline(site):
    """A kill at the deadline is not the end: not with a new checkpoint, and not with --resumable."""
    chains = [site.submit("--links", "20", "--", "exec", "--budget", "1s", "--lead", "200ms", *options, "--",
                          "sh", "-c", DEAF, name)
              for name, *options in (("saves", "--checkpoint-file", "saves"), ("resumable", "--resumable"))]
    for chain in chains:
        record = chain.wait_for_end("finished")
        expect(record["link"] == 5, f"{record}")


# Ignores the warning, and is done at the fifth time.
DEAF = """
trap '' TERM
echo once more >>$0
[ $(wc -l <$0) -ge 5 ] || while :; do sleep 0.1; done
"""


def in_allocation(site, script, look=lambda: None):
    """Runs a script in an allocation of both nodes, and returns its status and what it printed. Looks when
    it has ended and the allocation has not."""
    site.path("job").write_text(f"#!/bin/bash\n{script}\necho $? >status.new\nmv status.new status\n"
                                "until [[ -e looked ]]; do sleep 0.1; done\n")
    site.run("sbatch", "--nodes=2", "--ntasks-per-node=1", "--time=5", "--output=output", "job")
    try:
        wait(120, "the script ends", site.path("status").exists)
        look()
    finally:
        site.path("looked").touch()
    return int(site.path("status").read_text()), site.path("output").read_text()


def under_stint(*words):
    """A line of a script that runs a command under `stint exec`."""
    return shlex.join(map(str, (STINT, "exec", *words)))


# They save only when they are warned.
RANKS = (RECIPES / "ranks.py", "ranks", "result", "--pause", "0.01", "--limit", "1000")


def whole_ranks(site):
    """What the ranks find in one piece."""
    site.run(sys.executable, RECIPES / "ranks.py", "whole-ranks", "whole", "--limit", "1000")
    return site.path("whole").read_text()


def in_stints(site, *words):
    """Runs a command to its end, in an allocation, and returns its output and how often it was warned."""
    status, output = in_allocation(
        site, under_stint("--until-done", "--rest", "100ms", "--events", "events", *words))
    expect(status == 0, f"status {status}: {output}")
    warnings = site.path("events").read_text().count('"expiryAnnounced"')
    expect(warnings >= 2, f"{warnings} warnings: {output}")
    return output, warnings


def ranks_in_stints(site, *options):
    whole = whole_ranks(site)
    output, warnings = in_stints(
        site, "--budget", "3s", "--lead", "1500ms", "--checkpoint-file", "ranks", "--done-file", "result", *options,
        "--", "srun", *RANKS)
    expect(site.path("result").read_text() == whole, f"another result than in one piece: {output}")
    return f"{warnings} warnings"


@scenario()
def ranks_and_term(site):
    """The ranks of srun on two nodes save at SIGTERM, again and again, to the end."""
    return ranks_in_stints(site)


@scenario()
def ranks_and_usr1(site):
    """The same with SIGUSR1."""
    return ranks_in_stints(site, "--signal", "USR1")


@scenario()
def ranks_and_kills(site):
    """The recipe of scripts/your-program, in which stint itself is killed, too."""
    program = RECIPES.parents[1] / "scripts/your-program"
    status, output = in_allocation(site, shlex.join(("env", f"STINT={STINT}", str(program), "srun")))
    expect(status == 0 and "without Slurm" not in output, output)
    return re.search("[0-9]+ cuts.* kills", output)[0]


@scenario()
def ranks_in_a_chain(site):
    """The ranks of docs/your-program.md in the slices of a chain."""
    whole = whole_ranks(site)
    chain = site.submit("--links", "20", "--sbatch", "--nodes=2 --ntasks=2", "--", "exec", "--budget", "3s",
                        "--lead", "1500ms", "--checkpoint-file", "ranks", "--done-file", "result", "--", "srun", *RANKS)
    record = chain.wait_for_end("finished")
    expect(record["link"] >= 3, f"only {record['link']} slices")
    expect(site.path("result").read_text() == whole, "another result than in one piece")
    return f"{record['link']} slices"


@scenario()
def training_in_a_chain(site):
    """The training loop of docs/your-program.md."""
    train, steps = RECIPES / "train.py", ("--steps", "500")
    site.run(sys.executable, train, "whole.json", "whole", *steps)
    chain = site.submit("--links", "20", "--", "exec", "--budget", "3s", "--lead", "1s",
                        "--checkpoint-file", "state.json", "--", train, "state.json", "result", *steps, "--pause", "0.01")
    record = chain.wait_for_end("finished")
    expect(record["link"] >= 3, f"only {record['link']} slices")
    expect(digest(site.path("result")) == digest(site.path("whole")), "another result than in one piece")
    return f"{record['link']} slices"


def deaf_ranks(site, *launcher):
    """Ranks that ignore every signal are gone from both nodes soon after the deadline, and the next ones
    can begin."""
    rank = site.path("deaf-rank")
    rank.write_text("#!/bin/bash\ntrap '' TERM USR1 USR2 INT HUP\nhostname >>began\n"
                    "while :; do sleep 0.1; done\n")
    rank.chmod(0o755)
    seconds = []

    def look():
        ended = time.monotonic()
        wait(10, "the ranks are gone", lambda: not site.run("pgrep", "-f", rank, status=None))
        seconds.append(time.monotonic() - ended)
    status, output = in_allocation(
        site, under_stint("--budget", "3s", "--lead", "500ms", "--until-done", "--max-restarts", "1", "--rest", "100ms",
                          "--", *launcher, rank), look)
    expect(status == 137, f"status {status}: {output}")
    began = sorted(site.path("began").read_text().split())
    expect(began == ["n1", "n1", "n2", "n2"], f"ranks began on {began}: {output}")
    return f"gone after {seconds[0]:.1f} s"


@scenario()
def deaf_ranks_of_srun(site):
    """What srun started does not outlive its deadline."""
    return deaf_ranks(site, "srun")


def open_mpi(site):
    """Whether Open MPI is there. As root it wants to be allowed to run."""
    site.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return all(shutil.which(name) for name in ("mpicc.openmpi", "mpirun.openmpi"))


MPIRUN = ("mpirun.openmpi", "-n", "2", "--map-by", "node")


@scenario()
def deaf_ranks_of_mpirun(site):
    """The same for Open MPI."""
    return deaf_ranks(site, *MPIRUN) if open_mpi(site) else "not played, there is no Open MPI"


@scenario()
def ranks_of_mpirun(site):
    """The ranks of Open MPI on two nodes agree on a step, save there, and go on to the end."""
    if not open_mpi(site):
        return "not played, there is no Open MPI"
    site.run("mpicc.openmpi", "-O2", "-o", "heat", RECIPES / "heat.c")
    site.run("mpirun.openmpi", "-n", "2", "--oversubscribe", "./heat", "whole-state", "whole", "500")
    # 10 ms a step; they save only when they are warned.
    output, warnings = in_stints(
        site, "--budget", "4s", "--lead", "2s", "--checkpoint-file", "state", "--done-file", "result", "--",
        *MPIRUN, "./heat", "state", "result", "500", "100000", "10")
    expect(digest(site.path("result")) == digest(site.path("whole")), f"another result than in one piece: {output}")
    return f"{warnings} warnings"


def photographs(site, count):
    """Small images that differ, in the folder `in`."""
    site.path("in").mkdir()
    for index in range(count):
        rows = b"".join(
            b"\0" + bytes((x * (index + 3) + y * y) % 256 for x in range(64)) for y in range(48))
        with open(site.path(f"in/{index:03}.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
            for kind, content in ((b"IHDR", struct.pack(">IIBBBBB", 64, 48, 8, 0, 0, 0, 0)),
                                  (b"IDAT", zlib.compress(rows)), (b"IEND", b"")):
                file.write(struct.pack(">I", len(content)) + kind + content)
                file.write(struct.pack(">I", zlib.crc32(kind + content)))


def batch_lines(count):
    """Mixed lines: numbers, commands, and one in ten that fails."""
    lines = []
    for index in range(count):
        if index % 10 == 9:
            lines.append(f"exec -- sh -c 'echo x >>out-{index}; exit 3'")
        elif index % 2:
            lines.append(f"fibonacci {20000 + index} -o out-{index}")
        else:
            lines.append(f"exec -- sh -c 'echo {index} >>out-{index}'")
    return "\n".join(lines) + "\n"


def shards(site, lines, images, count, disturb=None):
    """A batch and a set of images in shards: each result once, and the sums right."""
    site.path("lines.txt").write_text(batch_lines(lines))
    photographs(site, images)
    names = [f"in/{index:03}.png" for index in range(images)]
    filters = ("--filter", "gaussian-blur:2")
    site.stint("run", "image", *names, "--output-dir", "whole", *filters, "--jobs-dir",
               site.path("whole-jobs"), "--quiet")
    first = site.stint("submit", "--shards", str(count), "--", "batch", "lines.txt")
    second = site.stint("submit", "--shards", str(count), "--", "run", "image", *names,
                        "--output-dir", "out", *filters)
    site.path("lines.txt").unlink()
    keys = [line.split()[5].rstrip(",") for line in (first + second).splitlines()
            if line.startswith("Submitted shard")]
    expect(len(keys) == 2 * count, f"{len(keys)} chains: {first}{second}")
    if disturb:
        disturb()
    chains = [Chain(site, key) for key in keys]
    for chain in chains:
        wait(300, f"{chain.key} ends: {chain.log[-800:]}", lambda: chain.record["state"] == "ended")
    for index in range(lines):
        text = site.path(f"out-{index}").read_text()
        if index % 10 == 9:
            expect(set(text.split()) == {"x"}, f"line {index + 1}")
        elif index % 2 == 0:
            expect(text == f"{index}\n", f"line {index + 1} ran more than once: {text}")
    for index in range(images):
        name = f"{index:03}.png"
        expect(digest(site.path(f"out/{name}")) == digest(site.path(f"whole/{name}")),
               f"{name} has other pixels")
    expect(len(os.listdir(site.path("out"))) == images, "more results than images")

    def sums(chain, *expected):
        status = json.loads(site.stint("status", "--json", chain.key))["wholeStatus"]
        expect((status["items"], status["done"], status["failed"]) == expected, f"wrong sums: {status}")
        return status
    status = sums(chains[0], lines, lines - lines // 10, lines // 10)
    expect(sorted(it["number"] for it in status["failures"]) == list(range(10, lines + 1, 10)),
           f"wrong failures: {status['failures']}")
    sums(chains[count], images, images, 0)


@scenario()
def shards_of_lines_and_images(site):
    """40 mixed lines and 40 images in 4 shards on two nodes."""
    shards(site, 40, 40, 4)


def preempted(site, partition):
    """Work that Slurm takes back; on a busy machine it may end before that, and more work is tried."""
    for seconds in (25, 60, 120):
        number = number_of(site, seconds)
        chain = compute(site, number, "--checkpoint-every", "2s",
                        submit=("--sbatch", f"--partition={partition} --nodelist=n1"))
        chain.wait_for_link(1)
        time.sleep(1.5)
        site.run("sbatch", "--partition=high", "--nodelist=n1", "--exclusive", "--time=1",
                 "--output=/dev/null", "--wrap=sleep 2")
        record = chain.wait_for_end("finished", 240)
        expect(digest(site.path("f.txt")) == uninterrupted(site, number), "other bytes than in one piece")
        chain.check_one_at_a_time()
        if record["link"] >= 2:
            text = site.stint("status", chain.key)
            expect("preempted" in text, text)
            lost = sum(it.get("lostSeconds", 0) for it in chain.work()["stintHistory"])
            return f"{record['link']} slices, {lost:.1f} s lost"
        site.path("f.txt").unlink()
        site.path("whole.txt").unlink()
    raise Failure("it was never taken back")


@scenario(alone=True)
def preempted_with_grace(site):
    """Taken back with a grace: the slice saves in it, and the next one goes on."""
    return preempted(site, "lowgrace")


@scenario(alone=True)
def preempted_without_grace(site):
    """Taken back at once: nothing but the work since the last checkpoint is lost."""
    return preempted(site, "low")


@scenario(alone=True)
def node_killed(site):
    """A node dies in the middle: the other one goes on from the last checkpoint."""
    number = number_of(site, 10)
    expected = uninterrupted(site, number)
    chain = compute(site, number, "--checkpoint-every", "1s")
    chain.wait_for_link(1)
    wait(30, "a checkpoint", lambda: chain.work()["checkpoints"] > 0)
    node = chain.nodes()[-1]
    site.cluster.rig("kill-node", node)
    try:
        record = chain.wait_for_end("finished", 150)
        expect(chain.nodes()[-1] != node, "it went on on the node that died")
        expect(record["deaths"] == 0, "a node's failure counts as the work's")
        expect(digest(site.path("f.txt")) == expected, "other bytes than in one piece")
        chain.check_one_at_a_time()
        return f"{record['link']} slices"
    finally:
        site.cluster.rig("start-node", node)
        wait(60, "the node comes back", lambda: site.run("sinfo", "-h", "-p", "low", "-t", "idle",
                                                        "-o", "%D").strip() == "2")


# The long forms.


@scenario(long=True, last=True)
def ten_slices(site):
    """Ten slices without a hand, with Slurm's default scheduler: at most 1.5 s between two in the
    median, and 2 s at worst."""
    number = number_of(site, 120)
    chain = compute(site, number, "--budget", "3s", links=11)
    wait(120, "ten slices", lambda: len(chain.gaps()) >= 10)
    site.stint("stop", chain.key)
    chain.wait_for_end("stopped", 60)
    chain.check_one_at_a_time()
    gaps = chain.gaps()[:10]
    median, worst = statistics.median(gaps), max(gaps)
    expect(median <= 1.5 and worst <= 2, f"gaps of {median:.2f} s in the median, {worst:.2f} s at worst")
    return f"gaps of {median:.2f} s in the median, {worst:.2f} s at worst"


@scenario(long=True, alone=True)
def full_allocation(site):
    """Of an allocation of 60 s, with checkpoints of 100 MB, at least 93 % are saved."""
    chain = site.submit("--time", "1m", "--links", "12", "--", "exec", "--checkpoint-file", "state",
                        "--lead", "2s", "--", "python3", "-c", LARGE_STATE)
    shares, before = [], 0.0
    for number in (1, 2, 3):
        wait(150, f"slice {number} is over", lambda: chain.record["link"] > number)
        with site.path("state").open("rb") as file:
            worked = float(file.read(32))
        shares.append((worked - before) / 60)
        before = worked
    site.stint("stop", chain.key)
    chain.wait_for_end("stopped", 90)
    text = ", ".join(f"{100 * it:.1f} %" for it in shares)
    expect(min(shares) >= 0.93, f"saved {text}")
    return f"saved {text}"


# Works until it is asked to save, and saves for how long it has worked in a file of 100 MB.
LARGE_STATE = r"""
import os, signal, sys, time
asked = []
signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
began = time.monotonic()
worked = 0.0
if os.path.exists("state"):
    with open("state", "rb") as file:
        worked = float(file.read(100_000_000)[:32])
while not asked:
    time.sleep(0.01)
worked += time.monotonic() - began
with open("state.new", "wb") as file:
    file.write(f"{worked:.6f}".ljust(32).encode().ljust(100_000_000, b"\1"))
    file.flush()
    os.fsync(file.fileno())
os.rename("state.new", "state")
sys.exit(75)
"""


@scenario(long=True, alone=True)
def ten_nodes_killed(site):
    """Ten nodes die at random instants: equal bytes, never two workers, nothing lost but the work
    since the last checkpoint."""
    number = number_of(site, 90)
    seed = int(os.environ.get("STINT_SEED", time.time_ns() % 1_000_000))
    print(f"ten_nodes_killed: STINT_SEED={seed}", flush=True)
    draw = random.Random(seed)
    chain = compute(site, number, "--checkpoint-every", "1s", links=40)
    for kill in range(1, 11):
        wait(90, f"a slice works before kill {kill}", lambda: chain.record["isLinkOpen"])
        time.sleep(draw.uniform(0, 6))
        record = chain.record
        if record["state"] == "ended":
            break
        nodes = chain.nodes()
        site.cluster.rig("kill-node", nodes[-1])
        wait(90, "the next slice", lambda: len(chain.nodes()) > len(nodes))
        expect(chain.nodes()[len(nodes)] != nodes[-1], "the next slice ran on the node that died")
        site.cluster.rig("start-node", nodes[-1])
    record = chain.wait_for_end("finished", 400)
    expect(digest(site.path("f.txt")) == uninterrupted(site, number), "other bytes than in one piece")
    chain.check_one_at_a_time()
    return f"{kill} kills, {record['link']} slices"


@scenario(long=True, alone=True)
def many_shards(site):
    """200 lines and 200 images in 6 shards on two nodes, one of which is killed in the middle."""
    def kill():
        time.sleep(6)
        site.cluster.rig("kill-node", "n1")
    try:
        shards(site, 200, 200, 6, kill)
    finally:
        site.cluster.rig("start-node", "n1")


@scenario(long=True, alone=True)
def slurmd_dies_and_the_work_lives(site):
    """The engine takes a node for dead whose work lives: the next slice waits for the lock."""
    chain = compute(site, number_of(site, 200), "--budget", "70s")
    chain.wait_for_link(1)
    node = chain.nodes()[-1]
    site.cluster.rig("orphan", node)
    try:
        wait(90, "Slurm begins the next slice",
             lambda: chain.is_running() and
             site.run("squeue", "-h", "-n", chain.key, "-t", "R", "-o", "%N").strip() not in ("", node))
        expect(chain.record["link"] == 1, "the next slice did not wait")
        wait(90, "the work of the first slice ends", lambda: chain.record["link"] == 2)
        chain.check_one_at_a_time()
        site.stint("stop", chain.key)
        chain.wait_for_end("stopped", 60)
    finally:
        site.cluster.rig("kill-node", node)
        site.cluster.rig("start-node", node)
