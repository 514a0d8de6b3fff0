#!/usr/bin/env python3
"""The same over the socket: its task is granted, expired by a message, and ended when the work is saved."""
import json, os, select, socket, sys

path, limit = sys.argv[1], int(sys.argv[2])
state = json.load(open(path)) if os.path.exists(path) else {"next": 2, "count": 0}
descriptor, owner = (int(os.environ.pop("STINT_SYSTEM_" + name)) for name in ("FD", "PID"))
if owner != os.getppid():
    sys.exit("the offer is not for this process")
os.set_inheritable(descriptor, False)
system = socket.socket(fileno=descriptor)
lines = system.makefile("r", encoding="utf-8")

def say(**message):
    system.sendall(json.dumps(message).encode() + b"\n")

def hear(wait):  # the next message; None if there is none yet
    waiting = wait or select.select([system], [], [], 0)[0]
    return json.loads(lines.readline() or '{"type": "expire"}') if waiting else None

def save():
    with open(path + ".new", "w") as file:
        json.dump(state, file)
        os.fsync(file.fileno())
    os.replace(path + ".new", path)

say(type="hello", version=1, pid=os.getpid(), name="primes")
say(type="begin", task=1, name="count primes")
while (answer := hear(wait=True))["type"] not in ("granted", "denied", "expire"):
    pass  # welcome and transitions
granted = answer["type"] == "granted"
while granted and state["next"] < limit:
    n = state["next"]
    state["count"] += all(n % d for d in range(2, int(n**0.5) + 1))
    state["next"] += 1
    message = hear(wait=False)
    if message and message["type"] in ("expire", "stop"):
        break
save()
say(type="end", task=1)
if state["next"] < limit:
    sys.exit(75)
print(state["count"])
