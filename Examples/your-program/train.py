#!/usr/bin/env python3
"""A training loop that can be ended at any step and goes on from there.

It fits a cubic curve to noisy points by gradient descent on random batches. A real loop has the
same parts: a state with the random generator in it, a save, a signal handler, and a step.

    train.py CHECKPOINT RESULT [--steps N] [--save-every N] [--loaders N] [--pause SECONDS]

Exit status: 0 the result is written, 75 saved and not done yet, 1 a data loader has died.
"""
import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import time

RUN_ME_AGAIN = 75

is_warned = False


def warned(number, frame):
    global is_warned
    is_warned = True  # nothing else in here: the loop looks at it between two steps


def replace(path, text):
    """Puts a whole new file in the place of the old one: a kill leaves the one or the other."""
    fresh = path + ".new"
    with open(fresh, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())  # the bytes are on the disk before the name is
    os.rename(fresh, path)
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def save(path, step, weights, batches):
    # Without the random generator, a continued run would see other batches than one long run.
    state = {"step": step, "weights": weights, "random": batches.getstate()}
    replace(path, json.dumps(state))


def load(path):
    batches = random.Random(1)
    try:
        with open(path) as file:
            state = json.load(file)
    except FileNotFoundError:
        return 0, [0.0] * 4, batches
    version, numbers, gauss = state["random"]
    batches.setstate((version, tuple(numbers), gauss))
    return state["step"], state["weights"], batches


def point(index):
    """The point with this number of the data set."""
    noise = random.Random(index)
    x = noise.uniform(-1, 1)
    return x, 2 * x**3 - x + 0.5 + noise.gauss(0, 0.1)


def serve(pipe):
    """A data loader: a process that dies of SIGTERM at once, as those of most libraries do."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while True:
        try:
            pipe.send([point(index) for index in pipe.recv()])
        except (EOFError, BrokenPipeError):
            return  # the trainer is gone


class Loaders:
    """Gets the points of a batch, from as many processes as asked for."""

    def __init__(self, count):
        self.pipes = []
        for _ in range(count):
            mine, theirs = multiprocessing.Pipe()
            multiprocessing.Process(target=serve, args=(theirs,), daemon=True).start()
            theirs.close()
            self.pipes.append(mine)

    def points(self, indices):
        if not self.pipes:
            return [point(index) for index in indices]
        # Each takes a slice, and the slices are put together in order: the sums do not depend on
        # the number of loaders.
        size = -(-len(indices) // len(self.pipes))
        try:
            for number, pipe in enumerate(self.pipes):
                pipe.send(indices[number * size:(number + 1) * size])
            return [it for pipe in self.pipes for it in pipe.recv()]
        except (EOFError, OSError):
            sys.exit("train.py: a data loader has died.")


def descend(weights, points, rate=0.05):
    """One step: the weights after it."""
    slopes = [0.0] * len(weights)
    for x, y in points:
        error = sum(weight * x**power for power, weight in enumerate(weights)) - y
        for power in range(len(weights)):
            slopes[power] += 2 * error * x**power / len(points)
    return [weight - rate * slope for weight, slope in zip(weights, slopes)]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("checkpoint")
    arguments.add_argument("result")
    arguments.add_argument("--steps", type=int, default=5000)
    arguments.add_argument("--save-every", type=int, default=1000)
    arguments.add_argument("--loaders", type=int, default=0)
    arguments.add_argument("--pause", type=float, default=0, help="makes each step longer")
    chosen = arguments.parse_args()

    # Before anything that takes time: until then the signal would end the program.
    signal.signal(signal.SIGTERM, warned)
    loaders = Loaders(chosen.loaders)
    step, weights, batches = load(chosen.checkpoint)
    while step < chosen.steps:
        indices = [batches.randrange(100_000) for _ in range(32)]
        weights = descend(weights, loaders.points(indices))
        step += 1
        time.sleep(chosen.pause)
        if is_warned or step % chosen.save_every == 0:
            save(chosen.checkpoint, step, weights, batches)
            if is_warned:
                break
    # Python restores the deadly default of a signal shortly before it exits; all is saved.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if step < chosen.steps:
        sys.exit(RUN_ME_AGAIN)
    replace(chosen.result, json.dumps(weights) + "\n")


if __name__ == "__main__":
    main()
