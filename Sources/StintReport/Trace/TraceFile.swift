import StintCore

/// Lives in the Chrome trace-event format, which Perfetto (ui.perfetto.dev) and `chrome://tracing`
/// open.
///
/// The object form: `traceEvents` with complete (`X`), instant (`i`), counter (`C`) and metadata
/// (`M`) events. Times are in microseconds; each life is a process of the trace with a thread for
/// its stints, one for chunks and one for checkpoints, whatever processes it really had: those
/// stand in the arguments.
package struct TraceFile {
  /// A life and what it is called.
  package struct Track: Hashable, Sendable {
    package var name: String
    package var life: Life

    package init(name: String, life: Life) {
      self.name = name
      self.life = life
    }
  }

  private enum Thread: Int, CaseIterable {
    case stints = 1
    case chunks, checkpoints
  }

  /// Viewers draw a counter in steps; this many make it look like a slope.
  private static let counterSteps: Int64 = 16
  /// With more stints than this the counter has only the begin and the end of each.
  private static let mostSloped = 1_000

  private var events: [String] = []

  /// Makes the events of some lives.
  package init(_ tracks: [Track]) {
    for (index, track) in tracks.enumerated() {
      add(track, process: index + 1)
    }
  }

  /// The file's contents.
  package var json: String {
    "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + events.joined(separator: ",\n") + "\n]}\n"
  }

  private mutating func add(_ track: Track, process: Int) {
    describe("process_name", process, nil) { $0.add("name", track.name) }
    describe("process_sort_index", process, nil) { $0.add("sort_index", process) }
    let hasChunks = track.life.stints.contains { !$0.chunks.isEmpty }
    for thread in Thread.allCases where hasChunks || thread != .chunks {
      describe("thread_name", process, thread) { $0.add("name", "\(thread)") }
      describe("thread_sort_index", process, thread) { $0.add("sort_index", thread.rawValue) }
    }
    let steps = track.life.stints.count > Self.mostSloped ? 1 : Self.counterSteps
    for (index, stint) in track.life.stints.enumerated() {
      add(stint, number: index + 1, process: process)
      addRemaining(stint, process: process, steps: steps)
    }
  }

  private mutating func add(_ stint: LifeStint, number: Int, process: Int) {
    complete("stint \(number)", "stint", .stints, process, at: stint.began, took: stint.elapsed) {
      $0.add("budgetSeconds", stint.budget?.inSeconds)
      $0.add("savedSeconds", stint.saved.inSeconds)
      $0.add("lostSeconds", stint.lost?.inSeconds)
      $0.add("savedShare", stint.savedShare)
      $0.add("ended", stint.words)
      $0.add("process", stint.process)
      $0.add("began", stint.moment)
    }
    for chunk in stint.chunks {
      complete(
        "chunk", "chunk", .chunks, process, at: stint.began + chunk.at, took: chunk.took
      ) { _ in }
    }
    for checkpoint in stint.checkpoints {
      let took = checkpoint.took ?? .zero
      complete(
        "checkpoint", "checkpoint", .checkpoints, process,
        at: max(.zero, stint.began + checkpoint.at - took), took: took
      ) {
        $0.add("sizeBytes", checkpoint.sizeBytes)
        $0.add("workTimeSeconds", checkpoint.workTime?.inSeconds)
      }
    }
    for expiry in stint.expiries {
      instant("expiry", "expiry", process, at: stint.began + expiry.at) {
        $0.add("reason", expiry.reason)
        $0.add("deadlineMicroseconds", expiry.deadline.map { Self.microseconds(stint.began + $0) })
      }
    }
    for remark in stint.remarks {
      instant(remark.kind.rawValue, "remark", process, at: stint.began + remark.at) {
        $0.add("text", remark.text)
      }
    }
  }

  /// What is left of the budget while the stint lasts, and none after it.
  private mutating func addRemaining(_ stint: LifeStint, process: Int, steps: Int64) {
    guard let budget = stint.budget else { return }
    for step in 0...steps {
      let passed = stint.elapsed * Int(step) / Int(steps)
      let left = step == steps ? .zero : max(.zero, budget - passed)
      var event = begin("remaining time", "C", process, .stints, at: stint.began + passed)
      event.add("cat", "budget")
      append(event) { $0.add("seconds", left.inSeconds) }
    }
  }

  private mutating func complete(
    _ name: String, _ category: String, _ thread: Thread, _ process: Int, at: Duration,
    took: Duration, _ fill: (inout JSONLine) -> Void
  ) {
    var event = begin(name, "X", process, thread, at: at)
    event.add("dur", Self.microseconds(max(.zero, took)))
    event.add("cat", category)
    append(event, fill)
  }

  private mutating func instant(
    _ name: String, _ category: String, _ process: Int, at: Duration,
    _ fill: (inout JSONLine) -> Void
  ) {
    var event = begin(name, "i", process, .stints, at: at)
    // The line goes through all threads of the life.
    event.add("s", "p")
    event.add("cat", category)
    append(event, fill)
  }

  private mutating func describe(
    _ name: String, _ process: Int, _ thread: Thread?, _ fill: (inout JSONLine) -> Void
  ) {
    append(begin(name, "M", process, thread, at: .zero), fill)
  }

  private mutating func append(_ event: JSONLine, _ fill: (inout JSONLine) -> Void) {
    var (event, arguments) = (event, JSONLine())
    fill(&arguments)
    event.add("args", object: arguments)
    events.append(event.object)
  }

  private func begin(
    _ name: String, _ phase: String, _ process: Int, _ thread: Thread?, at: Duration
  ) -> JSONLine {
    var event = JSONLine()
    event.add("name", name)
    event.add("ph", phase)
    event.add("ts", Self.microseconds(at))
    event.add("pid", process)
    event.add("tid", thread?.rawValue ?? 0)
    return event
  }

  private static func microseconds(_ time: Duration) -> Double {
    Double(time.nanoseconds) / 1_000
  }
}
