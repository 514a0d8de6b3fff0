import CStint
import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("A loop over descriptors and timers")
struct EventLoopTests {
  /// Runs a loop to its end and gives back what was noted on the way.
  private static func notes(
    _ prepare: (EventLoop, Protected<[String]>) throws -> Void
  ) throws -> [String] {
    let loop = try EventLoop()
    let notes = Protected<[String]>([])
    try prepare(loop, notes)
    loop.run()
    return notes.withLock { $0 }
  }

  @Test("what is due runs in order of its instants, after what was posted, and ends with the loop")
  func order() throws {
    let notes = try Self.notes { loop, notes in
      func note(_ text: String) -> @Sendable () -> Void {
        { notes.withLock { $0.append(text) } }
      }
      loop.schedule(at: Instant(nanoseconds: 2), note("second"))
      loop.schedule(at: Instant(nanoseconds: 1), note("first"))
      loop.schedule(at: Instant(nanoseconds: 3)) { loop.end() }
      loop.schedule(at: .distantFuture, note("never"))
      let token = loop.schedule(at: Instant(nanoseconds: 1), note("cancelled"))
      loop.cancel(token)
      loop.post(note("posted"))
    }
    #expect(notes == ["posted", "first", "second"])
  }

  @Test("a post from another thread wakes it, and one from within runs in a later turn")
  func posts() throws {
    let thread = SerialThread(name: "poster")
    let notes = try Self.notes { loop, notes in
      thread.enqueue {
        loop.post {
          loop.post {
            notes.withLock { $0.append("inner") }
            loop.end()
          }
          notes.withLock { $0.append("outer") }
        }
      }
    }
    #expect(notes == ["outer", "inner"])
  }

  @Test("a descriptor that can be read is told of until it is not watched any more")
  func watches() throws {
    let event = stint_event_open()
    defer { close(event) }
    stint_event_signal(event)
    let notes = try Self.notes { loop, notes in
      loop.watch(event) {
        // Not read, it stays ready: the loop would come back to it for ever.
        let count = notes.withLock { notes in
          notes.append("ready")
          return notes.count
        }
        guard count == 3 else { return }
        loop.unwatch(event)
        loop.post { loop.end() }
      }
    }
    #expect(notes == ["ready", "ready", "ready"])
  }
}
