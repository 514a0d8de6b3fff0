import Foundation
import Glibc
import Testing

@testable import StintRuntime

@Suite("Files of the kernel, and what they say of a dying process")
struct KernelFileTests {
  private static let stat = "77 (a) name) of (any) kind) R 1 77 77 0 -1 FLAGS 0 0"

  /// Starts a program that this process has not reaped when the body is done.
  private func withChild(_ arguments: [String], _ body: (pid_t) -> Void) throws {
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    try #require(posix_spawnp(&child, words[0]!, nil, nil, &words, environ) == 0)
    defer {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    body(child)
  }

  /// Waits until a child has ended or stopped, and leaves it unreaped.
  private func waitForChange(of child: pid_t) {
    var information = siginfo_t()
    #expect(waitid(P_PID, id_t(child), &information, WEXITED | WSTOPPED | WNOWAIT) == 0)
  }

  @Test("a file is read whole, however long; one that is missing or unreadable is none")
  func whole() throws {
    let scratch = ScratchDirectory()
    let text = (0..<3_000).map { "line \($0)\n" }.joined()
    for (name, words) in [("long", text), ("empty", ""), ("page", String(text.prefix(4_096)))] {
      try words.write(toFile: scratch.path + "/" + name, atomically: false, encoding: .utf8)
      #expect(KernelFile.text(scratch.path + "/" + name) == words)
    }
    #expect(KernelFile.text(scratch.path + "/none") == nil)
    // It can be opened, and nothing is mapped at its beginning.
    #expect(KernelFile.text("/proc/self/mem") == nil)
    #expect(KernelFile.numbers(in: "/proc/self/task").contains(getpid()))
    #expect(KernelFile.numbers(in: scratch.path) == [])
    #expect(KernelFile.numbers(in: scratch.path + "/none") == [])
  }

  @Test("R13 a thread on its way out shows it, and one that has been killed and has not run since")
  func lines() {
    func isExiting(_ flags: String) -> Bool {
      DyingProcess.isExiting(stat: Self.stat.replacing("FLAGS", with: flags))
    }
    #expect(isExiting("4") && isExiting("4228108"))
    #expect(!isExiting("0") && !isExiting("4194304") && !isExiting("x") && !isExiting(""))
    #expect(!DyingProcess.isExiting(stat: "") && !DyingProcess.isExiting(stat: "77 (name) R 1"))

    func isKilled(_ own: String, _ shared: String) -> Bool {
      let pending = "SigPnd:\t\(own)\nShdPnd:\t\(shared)\n"
      return DyingProcess.isKilled(
        status: "Name:\tSigPnd:\n" + pending + "SigBlk:\t0000000000000100\n")
    }
    let (none, kill, others) = ("0000000000000000", "0000000000000100", "fffffffffffffeff")
    #expect(isKilled(kill, none) && isKilled(none, kill) && isKilled(others, kill))
    #expect(!isKilled(none, none) && !isKilled(others, others) && !isKilled("", "x"))
    #expect(!DyingProcess.isKilled(status: ""))
  }

  @Test("R13 a process that works is not dying, nor is one that works on without its main thread")
  func living() throws {
    #expect(!DyingProcess.isDying(getpid()))
    // The thread that stays stops the process when the main one has ended.
    let endsMain = """
      import ctypes, os, signal, threading, time
      def stay():
        while ") Z " not in open(f"/proc/{os.getpid()}/stat").read(): time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGSTOP)
      threading.Thread(target=stay).start()
      ctypes.CDLL(None).pthread_exit(0)
      """
    try withChild(["python3", "-c", endsMain]) { child in
      waitForChange(of: child)
      #expect(KernelFile.text("/proc/\(child)/stat")?.contains(") Z ") == true)
      #expect(KernelFile.numbers(in: "/proc/\(child)/task").count == 2)
      #expect(!DyingProcess.isDying(child))
    }
  }

  @Test("R13 a process is dying from the moment at which it is killed, also while it works")
  func killedNow() throws {
    for number in 0..<40 {
      let arguments =
        number % 2 == 0
        ? ["sleep", "600"] : ["sh", "-c", "kill -STOP $$; kill -CONT $$; while :; do :; done"]
      try withChild(arguments) { child in
        if number % 2 == 1 {
          waitForChange(of: child)
          kill(child, SIGCONT)
        }
        kill(child, SIGKILL)
        for look in 0..<20 { #expect(DyingProcess.isDying(child), "child \(number), look \(look)") }
      }
    }
  }

  @Test("R13 a process that was killed is dying until nobody has its number any more")
  func killed() throws {
    var number: pid_t = 0
    try withChild(["sleep", "600"]) { child in
      number = child
      #expect(!DyingProcess.isDying(child))
      kill(child, SIGKILL)
      waitForChange(of: child)
      #expect(DyingProcess.isDying(child))
    }
    #expect(!DyingProcess.isDying(number))
  }
}
