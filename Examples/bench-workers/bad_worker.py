#!/usr/bin/env python3
"""How not to do it. Usage: bad_worker.py FOLDER

It computes the same as good_worker.py, and makes three mistakes that are common. The benchmark
names them.
"""
import json
import os
import signal
import sys
import time

CHECKPOINT = os.path.join(sys.argv[1], "checkpoint.json")
events = open(os.path.join(sys.argv[1], "events.jsonl"), "a", buffering=1)

# Mistake 1: the warning is ignored, and nobody looks at STINT_DEADLINE. It computes until it is
# killed, and what it did since its last checkpoint is lost.
signal.signal(signal.SIGTERM, signal.SIG_IGN)


def say(event, state):
    line = {"event": event, "bootSeconds": time.clock_gettime(time.CLOCK_BOOTTIME),
            "workTimeSeconds": state["workTimeSeconds"]}
    events.write(json.dumps(line) + "\n")


try:
    with open(CHECKPOINT) as old:
        state = json.load(old)
except (FileNotFoundError, ValueError):
    state = {"workTimeSeconds": 0.0, "steps": 0, "x": 1}
file = open(CHECKPOINT, "w")

while True:
    began = time.process_time()
    for _ in range(100_000):
        state["x"] = (state["x"] * 1103515245 + 12345) & 0x7FFFFFFF
    state["steps"] += 1
    state["workTimeSeconds"] += time.process_time() - began
    say("tick", state)
    if state["steps"] % 10 == 0:
        # Mistake 2: the only checkpoint is overwritten in place. Who is killed in between has
        # neither the old nor the new one.
        file.seek(0)
        file.truncate()
        json.dump(state, file)
        # Mistake 3: it says that the work is saved, and the bytes are in a buffer of this process.
        # With flush() they would be the kernel's, and only fsync() brings them to the disk.
        say("checkpoint", state)
