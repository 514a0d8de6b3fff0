import CStint
import Foundation
import Glibc
import Stint
import StintCore
import Synchronization
import Testing

/// How often the handler of the storm ran.
private let interruptions = Atomic<Int>(0)

/// Interrupts one thread again and again, with a handler that restarts no system call.
private final class SignalStorm: Sendable {
  private let isOver = Atomic<Bool>(false)
  private let sender = SerialThread(name: "storm")
  private let ended = DispatchSemaphore(value: 0)

  /// Takes the signal from now on; before it, it would end the process.
  static func prepare() {
    _ = interruptions.load(ordering: .relaxed)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in
      interruptions.add(1, ordering: .relaxed)
    }
    // No SA_RESTART: every call that can be interrupted is.
    action.sa_flags = 0
    sigaction(SIGUSR1, &action, nil)
  }

  /// Opens the calling thread to the signal.
  static func openThread() {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGUSR1)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  init(on thread: pthread_t) {
    sender.enqueue {
      while !self.isOver.load(ordering: .relaxed) {
        pthread_kill(thread, SIGUSR1)
        // Time for the thread to come into the next call.
        usleep(20)
      }
      self.ended.signal()
    }
  }

  /// Storms a thread that does what it is given.
  convenience init(onThreadThatDoes enqueue: (@escaping @Sendable () -> Void) -> Void) {
    let thread = Protected<pthread_t?>(nil)
    let isOpen = DispatchSemaphore(value: 0)
    enqueue {
      SignalStorm.openThread()
      thread.withLock { $0 = pthread_self() }
      isOpen.signal()
    }
    isOpen.wait()
    guard let stormed = thread.withLock({ $0 }) else { exit(2) }
    self.init(on: stormed)
  }

  func end() {
    isOver.store(true, ordering: .relaxed)
    ended.wait()
  }

  /// Storms the calling thread until the body has been run and interrupted a thousand times.
  static func storm(_ body: () throws -> Void) rethrows {
    openThread()
    let before = interruptions.load(ordering: .relaxed)
    let storm = SignalStorm(on: pthread_self())
    defer { storm.end() }
    repeat {
      try body()
    } while interruptions.load(ordering: .relaxed) - before < 1_000
  }
}

extension EndToEnd {
  /// Each in a process of its own, whose threads get thousands of signals.
  @Suite("Interrupted calls")
  struct InterruptedCallTests {
    private static func exitWhen(_ isRight: Bool, _ status: Int32) {
      if !isRight { exit(status) }
    }

    @Test("R15 commits, restores and locks under thousands of signals: none fails, none is lost")
    func store() async throws {
      let scratch = try Scratch()
      let path = scratch.path
      await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
        SignalStorm.prepare()
        let computation = OverrunningComputation(resultPath: path + "/f")
        var number: UInt64 = 0
        try SignalStorm.storm {
          let job = try SteppingComputation.job(of: computation, at: path)
          let restored = try job.restore { SteppingComputation.State($0) }
          EndToEnd.InterruptedCallTests.exitWhen(restored?.state.step ?? 0 == number, 3)
          for _ in 1...3 {
            number += 1
            let state = OverrunningComputation.State(step: number, hash: number)
            var payload = CheckpointPayload()
            computation.encode(state, into: &payload)
            payload.append([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100_000))
            let committed = try job.commit(
              payload, workTime: .zero, progress: WorkProgress(fraction: 0, phase: "stormed"))
            EndToEnd.InterruptedCallTests.exitWhen(committed.sequence == number, 4)
          }
        }
        exit(0)
      }
      #expect(scratch.journal.newestCheckpoint >= 3)
      #expect(scratch.journal.all("checkpointFailed").isEmpty)
      #expect(scratch.journal.all("setAside").isEmpty)
    }

    @Test("R15 a write to a slow reader under thousands of signals brings every byte, once")
    func stream() async {
      await #expect(processExitsWith: .exitCode(0)) {
        SignalStorm.prepare()
        var ends: [Int32] = [-1, -1]
        EndToEnd.InterruptedCallTests.exitWhen(pipe(&ends) == 0, 2)
        let (reading, writing) = (ends[0], ends[1])
        let received = Protected<[UInt8]>([])
        let reader = SerialThread(name: "reader")
        let isRead = DispatchSemaphore(value: 0)
        reader.enqueue {
          var piece = [UInt8](repeating: 0, count: 3_000)
          while true {
            let count = read(reading, &piece, piece.count)
            if count <= 0 { break }
            received.withLock { $0 += piece[..<count] }
          }
          isRead.signal()
        }
        var sent: [UInt8] = []
        try SignalStorm.storm {
          let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ sent.count) }
          try bytes.withUnsafeBytes {
            try OpenFile(descriptor: writing, path: "a pipe").writeStream($0)
          }
          sent += bytes
        }
        close(writing)
        isRead.wait()
        exit(received.withLock { $0 } == sent ? 0 : 3)
      }
    }

    @Test(
      "R15 a timer that is waited for under thousands of signals comes once, and not before its time"
    )
    func timer() async {
      await #expect(processExitsWith: .exitCode(0)) {
        SignalStorm.prepare()
        SignalStorm.storm {
          let due = BootClock.now.advanced(by: .milliseconds(20))
          guard let loop = try? EventLoop() else { exit(2) }
          let calls = Protected(0)
          loop.schedule(at: due) {
            calls.withLock { $0 += 1 }
            loop.end()
          }
          loop.run()
          EndToEnd.InterruptedCallTests.exitWhen(calls.withLock { $0 } == 1, 3)
          EndToEnd.InterruptedCallTests.exitWhen(BootClock.now >= due, 4)
        }
        exit(0)
      }
    }

    @Test("R15 the timers' thread under thousands of signals calls each call once, and none early")
    func bootTimers() async {
      await #expect(processExitsWith: .exitCode(0)) {
        SignalStorm.prepare()
        let before = interruptions.load(ordering: .relaxed)
        let storm = SignalStorm { BootTimers.clients.post($0) }
        var rounds = 0
        while rounds < 5 || interruptions.load(ordering: .relaxed) - before < 1_000 {
          rounds += 1
          let calls = Protected<[Int: Int]>([:])
          let isDone = DispatchSemaphore(value: 0)
          let start = BootClock.now
          for number in 0..<20 {
            let due = start.advanced(by: .milliseconds(number))
            BootTimers.clients.schedule(at: due) {
              let isEarly = BootClock.now < due
              calls.withLock { $0[number, default: 0] += isEarly ? 100 : 1 }
              if number == 19 { isDone.signal() }
            }
          }
          isDone.wait()
          EndToEnd.InterruptedCallTests.exitWhen(
            calls.withLock { $0.count == 20 && $0.values.allSatisfy { $0 == 1 } }, 3)
        }
        storm.end()
        exit(0)
      }
    }

    @Test(
      "R15 waits for a lock and for work under thousands of signals end when they should, and only then"
    )
    func locks() async {
      await #expect(processExitsWith: .exitCode(0)) {
        SignalStorm.prepare()
        let worker = SerialThread(name: "worker")
        let before = interruptions.load(ordering: .relaxed)
        let storm = SignalStorm { worker.enqueue($0) }
        let shared = Protected((count: 0, isInside: false))
        let order = Protected<[Int]>([])
        var number = 0
        while number < 1_000 || interruptions.load(ordering: .relaxed) - before < 1_000 {
          number += 1
          let mine = number
          worker.enqueue {
            order.withLock { $0.append(mine) }
            shared.withLock { state in
              EndToEnd.InterruptedCallTests.exitWhen(!state.isInside, 3)
              state.isInside = true
              state.count += 1
              state.isInside = false
            }
          }
          // Holds the lock while the worker wants it.
          shared.withLock { state in
            EndToEnd.InterruptedCallTests.exitWhen(!state.isInside, 4)
            state.isInside = true
            usleep(50)
            state.isInside = false
          }
        }
        let isDone = DispatchSemaphore(value: 0)
        worker.enqueue { isDone.signal() }
        isDone.wait()
        storm.end()
        let isRight =
          order.withLock { $0 } == Array(1...number) && shared.withLock { $0.count } == number
        exit(isRight ? 0 : 5)
      }
    }

    @Test("R15 a run that gets thousands of signals, and is stopped and continued, loses no work")
    func program() async throws {
      let n = 30_000_000
      let expected = try await Yardstick.shared.bytes(of: n)
      let scratch = try Scratch()
      let process = try scratch.start([
        "run", "fibonacci", "\(n)", "--checkpoint-every", "50ms", "--budget", "60s", "--lead", "1s",
        "--events", "e", "--tick", "50ms", "--output", "f",
      ])
      try await process.wait(until: "work") { scratch.text("e").contains("\"tick\"") }
      // None of them asks for anything: SIGCONT without a stop of the terminal means nothing.
      let harmless = [SIGCONT, SIGCHLD, SIGURG, SIGWINCH]
      var sent = 0
      while !process.hasEnded, sent < 100_000 {
        for signal in harmless { process.send(signal) }
        sent += harmless.count
        if sent % 1_000 == 0 {
          process.send(SIGSTOP)
          process.send(SIGCONT)
        }
        usleep(100)
      }
      try await process.wait().expectExit(0)
      #expect(sent >= 2_000)
      #expect(try scratch.bytes("f") == expected)
      let journal = scratch.journal
      #expect(journal.all("stintBegan").count == 1)
      #expect(journal.all("checkpointFailed").isEmpty)
      #expect(journal.all("stintEnded").compactMap(\.lostSeconds) == [0])
      #expect(journal.unreadable == 0)
    }
  }
}
