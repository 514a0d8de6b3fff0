#!/usr/bin/env python3
"""A worker that makes good use of a limited time, in Python. Usage: good_worker.py FOLDER

It computes in small steps, saves what it has every second and before its time ends, and goes on
from there when it is started again. It runs under any program that ends it after a while.
"""
import json
import os
import signal
import sys
import time

CHECKPOINT = os.path.join(sys.argv[1], "checkpoint.json")
EVENTS = os.path.join(sys.argv[1], "events.jsonl")
SAVE_EVERY = 1.0  # what is lost at most if the end comes without a warning
RUN_ME_AGAIN = 75


def now():
    """The clock of STINT_DEADLINE: seconds since the machine was started, suspension included."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


# Two ways to learn of the end. The deadline is told at the start, if there is one; the signal comes
# some time before the end, also where nobody knew it at the start.
deadline = int(os.environ.get("STINT_DEADLINE", 2**63 - 1)) / 1e9
is_warned = False


def warned(number, frame):
    global is_warned
    is_warned = True  # nothing else in here: the main loop looks at it between two steps


signal.signal(signal.SIGTERM, warned)


def load():
    try:
        with open(CHECKPOINT) as file:
            return json.load(file)
    except FileNotFoundError:
        return {"workTimeSeconds": 0.0, "steps": 0, "x": 1}


def save(state):
    """Returns when the state is on the disk. At any moment there is a whole checkpoint: the old or
    the new one."""
    began = now()
    with open(CHECKPOINT + ".new", "w") as file:
        json.dump(state, file)
        file.flush()
        os.fsync(file.fileno())  # the bytes are on the disk before the name is
    os.rename(CHECKPOINT + ".new", CHECKPOINT)
    folder = os.open(os.path.dirname(CHECKPOINT), os.O_RDONLY)
    os.fsync(folder)  # and so is the name
    os.close(folder)
    took = now() - began
    # For the benchmark only: said after it is true, never before.
    with open(EVENTS, "a") as events:
        line = {"event": "checkpoint", "bootSeconds": now(), "tookSeconds": took,
                "workTimeSeconds": state["workTimeSeconds"]}
        events.write(json.dumps(line) + "\n")
    return took


def step(state):
    """Some 10 ms of work; a real program computes something here."""
    began = time.process_time()
    x = state["x"]
    for _ in range(100_000):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    state["x"] = x
    state["steps"] += 1
    state["workTimeSeconds"] += time.process_time() - began


state = load()
saved_at = now()
longest_step = longest_save = 0.02
while True:
    # One more step has to fit before the end, and then a checkpoint. A disk is at times much slower
    # than it was so far, so that a checkpoint counts thrice.
    if is_warned or now() + longest_step + 3 * longest_save + 0.05 > deadline:
        save(state)
        sys.exit(RUN_ME_AGAIN)
    began = now()
    step(state)
    longest_step = max(longest_step, now() - began)
    if now() - saved_at >= SAVE_EVERY:
        longest_save = max(longest_save, save(state))
        saved_at = now()
