#!/usr/bin/env python3
"""Tests of the second try in scripts/tests and scripts/check: which tests are repeated, how, and what then counts.

A `swift` of their own plays what the real one prints and writes: the closing line, and the event stream of version 0.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRST = 'EndToEndTests.EndToEnd/KillTests/first()/KillTests.swift:8:5'
SECOND = 'EndToEndTests.EndToEnd/KillTests/second(n:)/KillTests.swift:18:5'
LONGER = 'EndToEndTests.EndToEnd/KillTests/first()/KillTests.swift:8:57'
CLOCK = 'EndToEndTests.ByTheClock/StopTests/late()/StopTests.swift:3:4'

SWIFT = '''#!/usr/bin/env python3
import json, os, re, sys
plan = json.load(open("plan.json"))
arguments = sys.argv[1:]
with open("calls", "a") as calls:
    calls.write(json.dumps(arguments) + "\\n")
turn = len(open("calls").readlines()) - 1
run = plan[turn]
def given(option):
    return [value for name, value in zip(arguments, arguments[1:]) if name == option]
stream = open(given("--event-stream-output-path")[0], "w")
assert given("--event-stream-version") == ["0"]
def write(kind, payload):
    stream.write(json.dumps({"kind": kind, "payload": payload, "version": 0}) + "\\n")
def event(kind, test=None, text="", symbol="default", **more):
    write("event", {"kind": kind, "messages": [{"symbol": symbol, "text": text}], "testID": test, **more})
tests = {test: word for test, word in run["tests"].items() if any(re.search(regex, test) for regex in given("--filter"))}
write("test", {"kind": "suite", "id": "EndToEndTests.EndToEnd"})
for test in tests:
    write("test", {"kind": "function", "id": test})
event("runStarted", text="Test run started.")
for test, word in tests.items():
    event("testStarted", test)
    if word == "known":
        event("issueRecorded", test, issue={"isKnown": True})
    if word == "failed":
        event("issueRecorded", test, issue={"isKnown": False})
        print(f"✘ Test {test} recorded an issue")
    event("testEnded", test, symbol="fail" if word == "failed" else "pass")
if "suite" in run:
    event("issueRecorded", run["suite"], issue={"isKnown": False})
failed = "failed" in tests.values() or "suite" in run
event("testEnded", "EndToEndTests.EndToEnd", symbol="fail" if failed else "pass")
if run.get("ends", True):
    event("runEnded", symbol="fail" if failed else "pass")
    end = f"failed after {turn + 7}.5 seconds with 3 issues." if failed else f"passed after {turn + 7}.5 seconds."
    print("✘" if failed else "✔", f"Test run with {len(tests)} tests in 2 suites {end}")
if "says" in run:
    print(run["says"])
sys.exit(run.get("status", 1 if failed else 0))
'''


class SecondTryTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "scripts").mkdir()
        (self.root / "bin").mkdir()
        for name in ["check", "tests", "failed-tests"]:
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts" / name)
        swift = self.root / "bin" / "swift"
        swift.write_text(SWIFT)
        swift.chmod(0o755)

    def play(self, *runs: dict, command: tuple = ("check", "programs")) -> subprocess.CompletedProcess:
        """Runs a script while swift does what is planned."""
        (self.root / "plan.json").write_text(json.dumps(runs))
        environment = dict(os.environ, PATH=f"{self.root / 'bin'}:{os.environ['PATH']}", TMPDIR=str(self.root))
        environment.pop("STINT_TESTS", None)
        result = subprocess.run(
            [self.root / "scripts" / command[0], *command[1:]], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.calls = [json.loads(line) for line in (self.root / "calls").read_text().splitlines()]
        self.assertEqual(len(self.calls), len(runs), result.stdout)
        return result

    @property
    def kept(self) -> list:
        return (self.root / ".build/checks/second-try").read_text().splitlines()

    def test_all_pass(self) -> None:
        result = self.play({"tests": {FIRST: "passed", SECOND: "known"}})
        self.assertEqual(result.returncode, 0)
        self.assertEqual(self.kept, [])
        self.assertNotIn("second try", result.stdout)
        self.assertEqual(result.stdout.splitlines()[-1], "✔ Test run with 2 tests in 2 suites passed after 7.5 seconds.")

    def test_passes_at_the_second_try(self) -> None:
        result = self.play(
            {"tests": {FIRST: "failed", LONGER: "passed", SECOND: "failed", CLOCK: "passed"}},
            {"tests": {FIRST: "passed", LONGER: "passed", SECOND: "passed", CLOCK: "passed"}},
        )
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(self.kept, [FIRST, SECOND])
        table = result.stdout[result.stdout.index("total") :]
        for name in [FIRST, SECOND]:
            self.assertIn(f"passed at the second try: {name}\n", table)
        self.assertNotIn(LONGER, table)
        self.assertEqual(
            result.stdout.splitlines()[-1],
            "✔ Test run with 3 tests in 2 suites passed after 7.5 seconds.",
        )
        self.assertIn("--no-parallel", self.calls[1])
        # What the first run was given to choose its tests would choose all of them again.
        filters = [value for option, value in zip(self.calls[1], self.calls[1][1:]) if option == "--filter"]
        self.assertEqual([test for test in [FIRST, LONGER, SECOND, CLOCK] if any(re.search(f, test) for f in filters)], [FIRST, SECOND])

    def test_fails_twice(self) -> None:
        result = self.play(
            {"tests": {FIRST: "failed", SECOND: "failed", LONGER: "passed"}},
            {"tests": {FIRST: "passed", SECOND: "failed"}},
        )
        self.assertEqual(result.returncode, 1)
        self.assertEqual(self.kept, [FIRST])
        self.assertIn(f"passed at the second try: {FIRST}\n", result.stdout)
        summary = result.stdout[result.stdout.index("What failed:") :]
        self.assertIn(f"Test {SECOND} recorded", summary)
        self.assertNotIn(f"Test {FIRST} recorded", summary)
        self.assertEqual(result.stdout.splitlines()[-2:], ["✘ Test run with 3 tests in 2 suites failed after 7.5 seconds with 3 issues.", "check: failed: programs"])

    def test_crashes_at_the_second_try(self) -> None:
        result = self.play({"tests": {FIRST: "failed"}}, {"tests": {FIRST: "passed"}, "ends": False, "status": 1})
        self.assertEqual((result.returncode, self.kept), (1, []))

    def test_not_run_at_the_second_try(self) -> None:
        result = self.play({"tests": {FIRST: "failed", SECOND: "failed"}}, {"tests": {FIRST: "passed"}})
        self.assertEqual(result.returncode, 1)

    def test_no_second_try(self) -> None:
        crash = "error: Process 'x' exited with unexpected signal code 6"
        for what, run in {
            "a crash": {"tests": {FIRST: "failed"}, "ends": False, "status": 1},
            "a crash after the last test": {"tests": {FIRST: "failed"}, "says": crash},
            "a suite": {"tests": {FIRST: "failed"}, "suite": "EndToEndTests.EndToEnd"},
            "no test": {"tests": {FIRST: "failed"}, "suite": None},
            "an exit status": {"tests": {FIRST: "passed"}, "status": 1},
        }.items():
            with self.subTest(what):
                (self.root / "calls").unlink(missing_ok=True)
                result = self.play(run)
                self.assertEqual((result.returncode, self.kept), (1, []), result.stdout)

    def test_only_for_whole_programs(self) -> None:
        result = self.play({"tests": {FIRST: "failed"}}, command=("tests", "--filter", "EndToEnd"))
        self.assertEqual(result.returncode, 1)

    def test_a_list_is_of_one_run(self) -> None:
        self.play({"tests": {CLOCK: "failed"}}, {"tests": {CLOCK: "passed"}}, command=("check", "clock"))
        self.assertEqual(self.kept, [CLOCK])
        (self.root / "calls").unlink()
        self.play({"tests": {FIRST: "passed"}})
        self.assertEqual(self.kept, [])

    def test_every_turn_is_run(self) -> None:
        result = self.play(
            {"tests": {FIRST: "failed"}},
            {"tests": {FIRST: "failed"}},
            {"tests": {CLOCK: "passed"}},
            command=("tests", "--second-try", "kept", "--filter", "Kill", "--", "--filter", "ByTheClock"),
        )
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.splitlines()[-1], "✘ Test run with 1 tests in 2 suites failed after 7.5 seconds with 3 issues.")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
