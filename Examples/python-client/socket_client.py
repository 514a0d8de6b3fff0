#!/usr/bin/env python3
"""The same over the socket: its task is granted, expired by a message, and ended when the work is saved."""
import json, os, select, socket, sys

path, limit = sys.argv[1], int(sys.argv[2])
state = json.load(open(path)) if os.path.exists(path) else {"next": 2, "count": 0}
if int(os.environ.pop("STINT_SYSTEM_PID")) != os.getppid():
    sys.exit("the offer is not for this process")
system = socket.socket(fileno=int(os.environ.pop("STINT_SYSTEM_FD")))
system.set_inheritable(False)
lines = system.makefile("rb", buffering=0)  # without a buffer, so that select knows of all that is unread

def say(**message):
    system.sendall(json.dumps(message).encode() + b"\n")

def heard(seconds=None):  # the type of the next message; None if there is none yet
    if select.select([system], [], [], seconds)[0]:
        return json.loads(lines.readline() or b'{"type": "expire"}')["type"]

say(type="hello", version=1, pid=os.getpid(), name="primes")
say(type="begin", task=1, name="count primes")
while (answer := heard()) not in ("granted", "denied", "expire"):
    pass  # welcome and transitions
while answer == "granted" and state["next"] < limit and heard(0) not in ("expire", "stop"):
    n = state["next"]
    state["count"] += all(n % d for d in range(2, int(n**0.5) + 1))
    state["next"] += 1
with open(path + ".new", "w") as file:
    json.dump(state, file)
    file.flush()
    os.fsync(file.fileno())
os.replace(path + ".new", path)
say(type="end", task=1)
sys.exit(75) if state["next"] < limit else print(state["count"])
