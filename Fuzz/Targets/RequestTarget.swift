import StintCore

/// The records of a request in a machine's queue: `request.json`, and `tasks.json` of a program.
///
/// What is read comes back when it is written, and whatever its numbers are, the machine of the
/// queue can judge it.
enum RequestTarget {
  private static let allowance = Allowance(
    peakBytes: (fixed: 65_536, perByte: 64), totalBytes: (fixed: 131_072, perByte: 256))
  private static let id = "1"

  static func examine(_ input: [UInt8]) {
    examineTasks(input)
    let read = allowance.accepted(input) { request(in: input) }
    guard let read else { return }
    Plant.rare(read.standing.runs > 9)
    var again = request(in: read.contents)
    if Plant.spoils { again?.standing.runs += 1 }
    require(again == read, "\(read) came back as \(again.map { "\($0)" } ?? "nothing")")
    judge(read)
  }

  /// Whatever a program finds there, it begins with it, and nothing is lost or made up.
  private static func examineTasks(_ input: [UInt8]) {
    guard let read = try? ScheduleRecord(contents: input) else { return }
    let again = try? ScheduleRecord(contents: read.contents)
    require(again == read, "\(read) came back as \(again.map { "\($0)" } ?? "nothing")")
    for now in [Int64.min, -1, 0, 1_800_000_000_000_000_000, .max] {
      let time = ScheduleTime(
        instant: Instant(nanoseconds: 1_000_000_000), wall: WallInstant(nanoseconds: now))
      var machine = ScheduleMachine(policy: .iOS13)
      _ = machine.recordRead(read, now: time)
      let identifiers = Set(read.requests.map(\.request.identifier))
      let kept = Set(machine.record.requests.map(\.request.identifier))
      require(kept == identifiers, "of \(identifiers) \(kept) is kept")
      for identifier in identifiers { _ = machine.handlerRegistered(identifier, isLate: false) }
      _ = machine.handlersRegistered(now: time)
      _ = machine.lifeChanged(to: .background, now: time)
      _ = machine.nextWake(now: time)
      require(
        machine.record.afterEnd(.iOS13).requests.allSatisfy { $0.began == nil }, "two ends differ")
    }
  }

  private static func request(in bytes: [UInt8]) -> QueuedRequest? {
    do throws(JSONFault) {
      return try QueuedRequest(contents: bytes, of: id)
    } catch {
      require(!error.reason.isEmpty, "a refusal without words")
      return nil
    }
  }

  /// No clock, however wrong, and no end of a run makes it trap.
  private static func judge(_ request: QueuedRequest) {
    let clocks = [Int64.min, -1, 0, request.terms.submitted.nanoseconds, .max]
    for now in clocks.map(WallInstant.init(nanoseconds:)) {
      var machine = QueueMachine(machine: request.terms.machine, places: 1)
      var entry = QueueMachine.Entry(request)
      machine.entries[id] = entry
      require(!machine.sentence(of: entry, isServed: true, now: now).isEmpty, "no sentence")
      let outlook = machine.outlook(now: now)
      require(outlook.next.map { $0 > .zero } ?? true, "a wait that is over")
      let isDue = outlook.due == [id]
      require(!isDue || request.standing.state == .waiting, "\(request) begins")
      for end in [RequestStanding.End.finished, .unfinished, .crashed(signal: 6), .vanished] {
        entry.request = request
        entry.request.standing.workBegan(now: now)
        entry.request.standing.workEnded(end, request.terms, now: now)
        let isChanged = request.standing.state == .waiting || request.standing.state == .running
        require(isChanged || entry.request == request, "\(request) is over and has changed")
      }
    }
  }
}
