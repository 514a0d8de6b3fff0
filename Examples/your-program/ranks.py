#!/usr/bin/env python3
"""One rank of a job under srun. Each takes its share of the numbers and saves a file of its own.

It looks for the number below LIMIT with the longest Collatz sequence.

    srun -n 2 ranks.py FOLDER RESULT [--limit N] [--save-every N] [--pause SECONDS]

The ranks do not talk to each other. Each saves and ends for itself, at SIGUSR1 or SIGTERM, and the
last one to finish writes the result.

Exit status: 0, done or not, because srun reports every other status as an error. The result tells
the difference: `stint exec --done-file RESULT`.
"""
import argparse
import json
import os
import signal
import sys
import time

RANK = int(os.environ.get("SLURM_PROCID", 0))
RANKS = int(os.environ.get("SLURM_NTASKS", 1))

is_warned = False


def warned(number, frame):
    global is_warned
    is_warned = True  # nothing else in here: the loop looks at it between two numbers


def replace(folder, name, text):
    """Puts a whole new file in the place of the old one: a kill leaves the one or the other."""
    # With its process number: a rank of a killed step may still be at work.
    fresh = os.path.join(folder, f".{name}.{os.uname().nodename}.{os.getpid()}")
    with open(fresh, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(fresh, os.path.join(folder, name))


def load(folder, rank):
    try:
        with open(os.path.join(folder, f"rank-{rank}.json")) as file:
            return json.load(file)
    except FileNotFoundError:
        return {"next": 1 + rank, "best": [0, 0]}


def length(number):
    steps = 0
    while number != 1:
        number = 3 * number + 1 if number % 2 else number // 2
        steps += 1
    return steps


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder")
    arguments.add_argument("result")
    arguments.add_argument("--limit", type=int, default=1_000_000)
    arguments.add_argument("--save-every", type=int, default=100_000)
    arguments.add_argument("--pause", type=float, default=0, help="makes each number longer")
    chosen = arguments.parse_args()

    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, warned)
    os.makedirs(chosen.folder, exist_ok=True)
    state = load(chosen.folder, RANK)

    def save():
        replace(chosen.folder, f"rank-{RANK}.json", json.dumps(state))

    numbers = 0
    while state["next"] < chosen.limit and not is_warned:
        # The longer sequence wins, and of two equal ones the smaller number.
        state["best"] = max(state["best"], [length(state["next"]), -state["next"]])
        state["next"] += RANKS
        numbers += 1
        time.sleep(chosen.pause)
        if numbers % chosen.save_every == 0:
            save()
    save()
    # Python restores the deadly default of a signal shortly before it exits; all is saved.
    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    states = [load(chosen.folder, rank) for rank in range(RANKS)]
    if any(it["next"] < chosen.limit for it in states):
        sys.exit(0)  # saved; or another rank has not finished its share
    # Two ranks may come here at once; both write the same.
    steps, number = max(it["best"] for it in states)
    replace(os.path.dirname(chosen.result) or ".", os.path.basename(chosen.result),
            f"{-number} takes {steps} steps\n")


if __name__ == "__main__":
    main()
