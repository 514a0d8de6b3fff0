#!/usr/bin/env python3
"""Counts the primes below LIMIT; warned, it saves to STATE and exits with 75. stint exec --budget 2s -- ./environment_client.py STATE LIMIT"""
import json, os, signal, sys, time

path, limit = sys.argv[1], int(sys.argv[2])
state = json.load(open(path)) if os.path.exists(path) else {"next": 2, "count": 0}
deadline = int(os.environ.get("STINT_DEADLINE", 2**63 - 1))  # nanoseconds of CLOCK_BOOTTIME
warned = []
signal.signal(signal.SIGTERM, lambda number, frame: warned.append(number))

def save():
    with open(path + ".new", "w") as file:
        json.dump(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)

while state["next"] < limit:
    n = state["next"]
    state["count"] += all(n % d for d in range(2, int(n**0.5) + 1))
    state["next"] += 1
    if warned or time.clock_gettime_ns(time.CLOCK_BOOTTIME) > deadline - 100_000_000:
        sys.exit(save() or 75)  # saved: run me again
signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a warning in Python's last moments would kill it
print(state["count"])
