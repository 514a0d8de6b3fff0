#!/usr/bin/env python3
"""Tests of scripts/mutants: what it weaves, what it refuses, and that a mutant which survives fails the run."""

import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "mutants"
loader = importlib.machinery.SourceFileLoader("mutants", str(SCRIPT))
spec = importlib.util.spec_from_loader("mutants", loader)
assert spec is not None
mutants = importlib.util.module_from_spec(spec)
sys.modules["mutants"] = mutants
loader.exec_module(mutants)

SOURCE = """public func half(_ n: Int) -> Int {
  guard n >= 0, let big = Optional(n) else { return 0 }
  var rest = big
  rest /= 2
  return rest
}
"""
TESTS = """import StintCore
import Testing
@Test("A1 four is halved")
func four() { #expect(half(4) == 2) }
@Test("A2 something else")
func other() { #expect(half(0) == 0) }
"""


class RunnerTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.copy = self.root / "copy"
        for name, text in {"Sources/StintCore/Half.swift": SOURCE, "Tests/StintCoreTests/HalfTests.swift": TESTS}.items():
            path = self.root / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
        (self.root / "Tests/Mutants").mkdir()
        (self.root / "docs").mkdir()
        self.write_contract("| A1 | it is halved | system |", "| C1 | it is kept | store |")
        for name, value in {"ROOT": self.root, "COPY": self.copy}.items():
            patch = mock.patch.object(mutants, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def write_contract(self, *rows: str) -> None:
        (self.root / "docs/contract.md").write_text("| | clause | kept by |\n|---|---|---|\n" + "\n".join(rows) + "\n")

    def write(self, *faults: str) -> None:
        text = "".join(f"== {fault}".replace("\n", "\nfile Sources/StintCore/Half.swift\n", 1) + "\n" for fault in faults)
        (self.root / "Tests/Mutants/half.mutants").write_text(text)

    def weave(self, *faults: str) -> str:
        self.write(*faults)
        mutants.write_copy(mutants.read_mutants(self.root / "Tests/Mutants"))
        return (self.copy / "Sources/StintCore/Half.swift").read_text()

    def refused(self, *faults: str) -> str:
        with self.assertRaises(mutants.Mistake) as caught:
            self.weave(*faults)
        return str(caught.exception)

    def test_statements_become_a_branch(self) -> None:
        woven = self.weave("A1 whole\n- rest /= 2\n+ rest /= 3")
        self.assertIn("if Mutant.active == 1 {\nrest /= 3\n} else {\n  rest /= 2\n}\n  return rest", woven)

    def test_an_expression_becomes_a_choice(self) -> None:
        woven = self.weave("A1 sign\n< guard «n >= 0», let\n> true")
        self.assertIn("guard (Mutant.active == 1 ? (true) : (n >= 0)), let big", woven)

    def test_touching_mutants_become_one_chain(self) -> None:
        woven = self.weave("A1 a\n- rest /= 2\n+", "A1b b\n- rest /= 2\n- return rest\n+ return 0", "A1c c\n< /= «2»\n> 4")
        self.assertEqual(woven.count("rest /= 2\n"), 1)
        self.assertIn("} else if Mutant.active == 3 {\n  rest /= 4\n  return rest\n} else {", woven)

    def test_mistakes_are_refused(self) -> None:
        self.assertIn("found 0 times", self.refused("A1 a\n- rest /= 7\n+"))
        self.assertIn("found 2 times", self.refused("A1 a\n< return\n> break"))
        self.assertIn("declaration", self.refused("A1 a\n- var rest = big\n+ var rest = 0"))
        self.assertIn("balance", self.refused("A1 a\n- }\n+"))
        self.assertIn("lacks", self.refused("A1 a\n+ x"))

    def run_all(self, *arguments: str) -> int:
        command = ["mutants", "--mutants", str(self.root / "Tests/Mutants"), *arguments]
        with mock.patch.object(sys, "argv", command), mock.patch("builtins.print"):
            return mutants.main()

    def test_survivors_and_gaps_fail_the_run(self) -> None:
        killed, trap = "A1 third\n- rest /= 2\n+ rest /= 3", "A1b trap\n- return rest\n+ fatalError()"
        self.write(killed, trap)
        self.assertEqual(self.run_all(), 0)
        # Only the clause's own tests count: those of A2 do not see this one.
        survivor = "A2 third\n- rest /= 2\n+ rest /= 3"
        self.write(killed, survivor)
        self.assertEqual(self.run_all(), 1)
        self.write("A2 zero\n< else { return «0» }\n> 1")
        self.assertEqual(self.run_all("--partial"), 1)
        # A row of the contract that a machine keeps needs a mutant; one that the store keeps does not.
        self.write_contract("| A1 | it is halved | worker |", "| A2 | another | system |", "| C2 | it is kept | store |")
        self.write(killed)
        self.assertEqual(self.run_all(), 1)
        self.write(killed, "A2 zero\n< else { return «0» }\n> 1")
        self.assertEqual(self.run_all("A1"), 0)
        self.write("A2 negative\n< guard «n >= 0»\n> n > 0", "A3 no test\n- rest /= 2\n+")
        self.assertEqual(self.run_all("--partial"), 1)


if __name__ == "__main__":
    unittest.main()
