#!/usr/bin/env python3
"""A program that cannot be told to save: it has its result at the end, and nothing before.

It counts the ways to place N queens on a board so that none attacks another.

    queens.py N RESULT [PAUSE-SECONDS]

Exit status: 0 the result is written.
"""
import os
import sys
import time


def ways(size, pause, columns=()):
    if len(columns) == size:
        return 1
    if len(columns) == 2:
        time.sleep(pause)  # makes the work longer
    return sum(
        ways(size, pause, (*columns, column)) for column in range(size) if fits(columns, column))


def fits(columns, column):
    """Whether a queen in this column of the next row is attacked by none of those above."""
    row = len(columns)
    return all(
        column != other and abs(column - other) != row - above
        for above, other in enumerate(columns))


def main():
    size, result = int(sys.argv[1]), sys.argv[2]
    count = ways(size, float(sys.argv[3]) if len(sys.argv) > 3 else 0)
    # Even here: under its own name the result is whole, or not there.
    with open(result + ".new", "w") as file:
        file.write(f"{count}\n")
    os.rename(result + ".new", result)


if __name__ == "__main__":
    main()
