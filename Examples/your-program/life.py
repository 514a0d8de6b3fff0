#!/usr/bin/env python3
"""A simulation that saves every N minutes, whatever happens, and knows nothing of signals.

It plays Conway's game of life on a torus. Many simulators work like this: they write a numbered
file now and then, keep the last two, and begin with the newest one that can be read.

    life.py FOLDER RESULT [--generations N] [--minutes N] [--pause SECONDS]

Exit status: 0 the result is written. It never says "not done": a signal ends it.
"""
import argparse
import collections
import glob
import json
import os
import random
import time

SIZE = 32
KEPT = 2


def save(folder, generation, cells):
    path = os.path.join(folder, f"life-{generation:09}.json")
    # A name that the pattern life-*.json does not match, until the file is whole.
    with open(path + ".new", "w") as file:
        json.dump({"generation": generation, "cells": sorted(cells)}, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(path + ".new", path)
    for old in checkpoints(folder)[KEPT:]:
        os.remove(old)


def checkpoints(folder):
    """Newest first."""
    return sorted(glob.glob(os.path.join(folder, "life-*.json")), reverse=True)


def load(folder):
    for path in checkpoints(folder):
        try:
            with open(path) as file:
                state = json.load(file)
            return state["generation"], {tuple(cell) for cell in state["cells"]}
        except ValueError:
            continue  # the disk was full, or the file is damaged: the one before it serves
    soup = random.Random(1)
    return 0, {(x, y) for x in range(SIZE) for y in range(SIZE) if soup.random() < 0.3}


def grow(cells):
    """One generation: the living cells after it."""
    neighbours = collections.Counter(
        ((x + dx) % SIZE, (y + dy) % SIZE)
        for x, y in cells for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
    return {it for it, count in neighbours.items() if count == 3 or count == 2 and it in cells}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder")
    arguments.add_argument("result")
    arguments.add_argument("--generations", type=int, default=100_000)
    arguments.add_argument("--minutes", type=float, default=5, help="between two checkpoints")
    arguments.add_argument("--pause", type=float, default=0, help="makes each generation longer")
    chosen = arguments.parse_args()

    os.makedirs(chosen.folder, exist_ok=True)
    generation, cells = load(chosen.folder)
    saved = time.monotonic()
    while generation < chosen.generations:
        cells = grow(cells)
        generation += 1
        time.sleep(chosen.pause)
        if time.monotonic() - saved >= 60 * chosen.minutes:
            save(chosen.folder, generation, cells)
            saved = time.monotonic()
    with open(chosen.result + ".new", "w") as file:
        json.dump(sorted(cells), file)
    os.rename(chosen.result + ".new", chosen.result)


if __name__ == "__main__":
    main()
