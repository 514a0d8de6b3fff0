#!/usr/bin/env python3
"""Tests of scripts/traces: what it makes of its inputs, what it leaves out, and that the trace that
ships is what it makes.

With a copy of data.json in $GCP_DATA the shipped trace is made again and compared byte by byte.
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "traces"
SHIPPED = ROOT / "Benchmarks/scenarios/gcp-preemption.csv"
loader = importlib.machinery.SourceFileLoader("traces", str(SCRIPT))
spec = importlib.util.spec_from_loader("traces", loader)
assert spec is not None
traces = importlib.util.module_from_spec(spec)
sys.modules["traces"] = traces
loader.exec_module(traces)


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name: str, value: object) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return str(path)

    def refused(self, status: int, *arguments: str) -> str:
        with self.assertRaises(traces.Refused) as context, contextlib.redirect_stdout(io.StringIO()):
            traces.run(list(arguments))
        self.assertEqual(context.exception.status, status)
        return str(context.exception)


def machine(seconds: object, start: str, end: str = "compute.instances.preempted") -> dict[str, object]:
    return {"time_in_sec": seconds, "insert": {"startTime": start}, end: {}}


class GCP(Folder):
    def test_order_and_warning(self) -> None:
        path = self.write("data.json", {
            "b": machine(100.5, "2019-03-25T12:00:00.000-07:00"),
            # Earlier, by its zone.
            "c": machine(20, "2019-03-25T12:30:00.000-06:00", "stop"),
            "a": machine(38.285, "2019-03-25T12:00:00.000-07:00"),
        })
        trace = traces.gcp(path, preempted_only=False)
        self.assertEqual(trace.rows, [("20", "20"), ("38.285", "30"), ("100.5", "30")])
        self.assertTrue(any("Google ended 2 of the 3 machines" in line for line in trace.comments))
        trace = traces.gcp(path, preempted_only=True)
        self.assertEqual(len(trace.rows), 2)
        self.assertIn("1 machines left out", trace.sentence())

    def test_refused(self) -> None:
        good = "2019-03-25T12:00:00.000-07:00"
        for data in [[], {}, {"a": 1}, {"a": {}}, {"a": machine("7", good)}, {"a": machine(-1, good)},
                     {"a": machine(float("nan"), good)}, {"a": machine(True, good)}, {"a": machine(1e7, good)},
                     {"a": machine(7, "soon")}, {"a": machine(7, "2019-03-25T12:00:00")}, b"{", b"\xff"]:
            self.refused(65, "gcp", self.write("data.json", data))
        self.refused(74, "gcp", str(self.root / "none"))

    def test_shipped(self) -> None:
        """Without the source: the form, and that every number is written as the script writes it."""
        text = SHIPPED.read_text()
        lines = text.splitlines()
        comments = [line for line in lines if line.startswith("#")]
        self.assertTrue(all(len(line) <= 100 for line in comments))
        for word in ["goog-preemption-data", "b22f181e1edb9000dceea40eda5890622cdfdd87", "Apache", "Changes"]:
            self.assertIn(word, "\n".join(comments))
        header, *rows = lines[len(comments):]
        self.assertEqual(header, "grantSeconds,warningSeconds")
        self.assertEqual(len(rows), 1442)
        for row in rows:
            grant, warning = row.split(",")
            self.assertEqual((traces.number(float(grant)), warning), (grant, "30"))
        licence = SHIPPED.with_suffix(".LICENSE").read_text()
        self.assertIn("Apache License", licence)
        self.assertIn("Changes", licence.split("Apache License")[0])

    @unittest.skipUnless(os.environ.get("GCP_DATA"), "data.json is not here; name it in $GCP_DATA")
    def test_made_again(self) -> None:
        done = subprocess.run([SCRIPT, "gcp", os.environ["GCP_DATA"]], stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, SHIPPED.read_bytes())


class Spot(Folder):
    def spot(self, data: list[object], gap: object = 10, **options: object) -> object:
        path = self.write("trace.json", {"metadata": {"gap_seconds": gap}, "data": data})
        return traces.spot([path], **{"least": 1, "warning": None, "keeps_cut": False, **options})

    def test_runs(self) -> None:
        trace = self.spot([0, 1, 1, 0, 0, 3, 0])
        self.assertEqual(trace.rows, [("20", "0"), ("10", "0")])

    def test_cut(self) -> None:
        trace = self.spot([1, 0, 1, 1, 0, 1])
        self.assertEqual(trace.rows, [("20", "0")])
        self.assertIn("2 lives cut", trace.sentence())
        trace = self.spot([1, 0, 1, 1, 0, 1], keeps_cut=True)
        self.assertEqual([row[0] for row in trace.rows], ["10", "20", "10"])
        self.assertIn("2 lives cut by a file's beginning or end kept", trace.sentence())
        # Cut on both sides is one life.
        self.assertIn("1 lives cut", self.spot([1, 1]).sentence())
        self.assertEqual(self.spot([]).rows, [])

    def test_least(self) -> None:
        trace = self.spot([0, 16, 8, 16, 16, 0], least=16)
        self.assertEqual([row[0] for row in trace.rows], ["10", "20"])

    def test_too_long(self) -> None:
        trace = self.spot([0, 1, 1, 0], gap=600_000)
        self.assertEqual(trace.rows, [])
        self.assertIn("longer", trace.sentence())

    def test_warning(self) -> None:
        value = {"metadata": {"gap_seconds": 60}, "data": [0, 1, 1, 1, 0, 1, 0]}
        aws = self.write("preemption/aws-04/a.json", value)
        gcp = self.write("preemption/gcp-04/b.json", value)
        trace = traces.spot([str(self.root)], 1, None, False)
        self.assertEqual(trace.rows, [("180", "120"), ("60", "60"), ("180", "30"), ("60", "30")])
        self.assertEqual(traces.spot([aws, gcp], 1, 7.0, False).rows[0], ("180", "7"))

    def test_refused(self) -> None:
        for value in [[], {}, {"metadata": {"gap_seconds": 1}}, {"metadata": 1, "data": []},
                      {"metadata": {"gap_seconds": 0}, "data": [0]}, {"metadata": {"gap_seconds": 1}, "data": [0, "1"]},
                      {"metadata": {"gap_seconds": 1}, "data": [0, -1]}, {"metadata": {"gap_seconds": 1}, "data": 3}, b"no"]:
            self.refused(65, "spot", self.write("bad.json", value))
        self.write("none/a.txt", 1)
        self.refused(65, "spot", str(self.root / "none"))
        self.refused(64, "spot")
        self.refused(64, "spot", "--fetch", "x", "y")
        for option in ["--least=0", "--least=x", "--warning=-1", "--warning=nan"]:
            self.refused(64, "spot", option, "x")


class Slurm(unittest.TestCase):
    def slurm(self, *lines: str | bytes, warning: float = 0) -> object:
        text = b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)
        return traces.slurm(text, warning)

    TIMES = "2025-11-03T10:00:00|2025-11-03T11:00:03"

    def test_ended(self) -> None:
        trace = self.slurm(
            f"1|TIMEOUT|3603|60|{self.TIMES}",
            f"2|PREEMPTED|3603|120|{self.TIMES}",
            f"3|NODE_FAIL|3603|120|{self.TIMES}",
            f"4|CANCELLED by 1000|3603|120|{self.TIMES}",
            f"5|CANCELLED+|3603|120|{self.TIMES}",
            f"6|COMPLETED|3603|120|{self.TIMES}",
            f"7|FAILED|3603|120|{self.TIMES}",
            "8|RUNNING|5|120|2025-11-03T10:00:00|Unknown",
            "9|CANCELLED by 0|0|120|None|2025-11-03T11:00:03",
            "", warning=30)
        self.assertEqual(trace.rows, [("3603", "30", "3600")] + [("3603", "30", "7200")] * 4)
        self.assertEqual(
            trace.sentence(),
            "5 budgets; 1 COMPLETED left out, 1 FAILED left out, 1 RUNNING left out, 1 ended before they began left out.")
        self.assertIn("\ngrantSeconds,warningSeconds,announcedSeconds\n3603,30,3600\n", trace.text())
        self.assertTrue(all(len(line) <= 98 for line in trace.comments))

    def test_steps_and_arrays(self) -> None:
        trace = self.slurm(
            f"1.batch|CANCELLED|3603|60|{self.TIMES}", f"1.0|CANCELLED|3603||{self.TIMES}",
            f"1_4.extern|COMPLETED|3603|60|{self.TIMES}", f"1_4|TIMEOUT|3603|60|{self.TIMES}",
            "1_[5-9%2]|CANCELLED by 7|0|60|None|None", f"2+1|TIMEOUT|3603|60|{self.TIMES}")
        self.assertEqual(len(trace.rows), 2)
        self.assertEqual(trace.counts["steps left out"], 3)
        self.assertEqual(trace.counts["waiting arrays left out"], 1)

    def test_limits(self) -> None:
        trace = self.slurm(
            f"1|PREEMPTED|3603|UNLIMITED|{self.TIMES}", f"2|PREEMPTED|3603|Partition_Limit|{self.TIMES}",
            f"3|PREEMPTED|3603||{self.TIMES}", f"4|PREEMPTED|3603|0|{self.TIMES}",
            f"5|PREEMPTED|3603|525600|{self.TIMES}", f"6|PREEMPTED|3603|1:00:00|{self.TIMES}")
        self.assertEqual([row[2] for row in trace.rows], ["", "", "", ""])
        self.assertIn("1 without a limit of their own (UNLIMITED), 1 without a limit of their own (Partition_Limit), "
                      "1 without a limit of their own (empty)", trace.sentence())
        self.assertEqual(trace.counts["malformed lines left out"], 2)
        self.assertEqual(trace.counts["limits beyond 1000000 s that count as none"], 1)

    def test_change_of_the_clock(self) -> None:
        trace = self.slurm(
            "1|TIMEOUT|3600|60|2025-10-26T02:30:00|2025-10-26T02:30:00",
            "2|TIMEOUT|3600|60|2025-03-30T01:30:00|2025-03-30T03:30:00",
            # Suspended for a quarter of an hour.
            "3|PREEMPTED|3600|60|2025-11-03T10:00:00|2025-11-03T11:15:00",
            "4|TIMEOUT|3601|60|2025-11-03T10:00:00|2025-11-03T11:00:00")
        self.assertEqual([row[0] for row in trace.rows], ["3600", "3600", "3600", "3601"])
        self.assertEqual(trace.counts["over a change of the clock"], 2)
        self.assertEqual(trace.counts["whose elapsed time is not end minus start"], 1)

    def test_malformed(self) -> None:
        trace = self.slurm(
            "slurm_load: error", "1|TIMEOUT|3603", f"x|TIMEOUT|3603|60|{self.TIMES}", f"2||3603|60|{self.TIMES}",
            f"3|TIMEOUT|-1|60|{self.TIMES}", f"4|TIMEOUT|\u0663|60|{self.TIMES}", f"5|TIMEOUT||60|{self.TIMES}",
            f"6|\xfcber|3|60|{self.TIMES}", b"7|TIM\xff\xfe|3|60|a|b", f"8|TIMEOUT|2000000|60|{self.TIMES}",
            # No times: what elapsed is known all the same.
            "9|TIMEOUT|60|1|Unknown|\xe9")
        self.assertEqual(trace.rows, [("60", "0", "60")])
        self.assertEqual(trace.counts["malformed lines left out"], 7)
        self.assertEqual(trace.counts["OTHER left out"], 2)
        self.assertEqual(trace.counts["longer than 1000000 s left out"], 1)
        trace.text().encode()
        trace.sentence().encode()

    def test_header_and_names(self) -> None:
        trace = self.slurm(
            "JobID|JobName|State|ElapsedRaw|TimelimitRaw|Start|End|",
            b"1|na\xffme|TIMEOUT|60|1|a|b|", b"2|a|b|TIMEOUT|60|1|a|b|", "3|\u00e9|TIMEOUT|60|1|a|b|\r")
        self.assertEqual(len(trace.rows), 2)
        self.assertEqual(trace.counts["malformed lines left out"], 1)
        with self.assertRaises(traces.Refused):
            self.slurm("JobID|State|Elapsed")


class Program(Folder):
    def start(self, *arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([SCRIPT, *arguments], capture_output=True, check=False, **options)

    def test_standard_input(self) -> None:
        line = b"1|TIMEOUT|60|1|2025-11-03T10:00:00|2025-11-03T10:01:00\n"
        done = self.start("slurm", "-", input=line)
        self.assertEqual((done.returncode, done.stderr), (0, b"traces: 1 budgets.\n"))
        self.assertTrue(done.stdout.endswith(b"announcedSeconds\n60,0,60\n"))
        done = self.start("slurm", "-", input=b"")
        self.assertEqual((done.returncode, done.stdout), (65, b""))

    def test_asks_sacct(self) -> None:
        (self.root / "sacct").write_text("#!/bin/sh\nprintf '%s\\n' \"$*\" >\"$0.asked\"\necho '1|TIMEOUT|60|1|a|b'\nexit ${STATUS:-0}\n")
        (self.root / "sacct").chmod(0o755)
        environment = {**os.environ, "PATH": f"{self.root}:{os.environ['PATH']}"}
        done = self.start("slurm", env=environment)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(
            (self.root / "sacct.asked").read_text(), "-n -P -X --format=JobID,State,ElapsedRaw,TimelimitRaw,Start,End\n")
        self.assertEqual(self.start("slurm", env={**environment, "STATUS": "1"}).returncode, 69)

    def test_command_line(self) -> None:
        for arguments in [(), ("none",), ("gcp",), ("slurm", "a", "b"), ("slurm", "--warning", "x")]:
            done = self.start(*arguments)
            self.assertEqual(done.returncode, 64, arguments)
            self.assertTrue(done.stderr.startswith(b"traces: "), done.stderr)
        self.assertEqual(self.start("--help").returncode, 0)
        self.assertEqual(self.start("spot", "--fetch", str(self.write("full", 1))).returncode, 69)


if __name__ == "__main__":
    unittest.main()
