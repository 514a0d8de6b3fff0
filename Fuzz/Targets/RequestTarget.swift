import StintCore

/// The record of a request in a machine's queue: `request.json`.
///
/// What is read comes back when it is written, and whatever its numbers are, the machine of the
/// queue can judge it.
enum RequestTarget {
  private static let allowance = Allowance(
    peakBytes: (fixed: 65_536, perByte: 64), totalBytes: (fixed: 131_072, perByte: 256))
  private static let id = "1"

  static func examine(_ input: [UInt8]) {
    let read = allowance.accepted(input) { request(in: input) }
    guard let read else { return }
    Plant.rare(read.standing.runs > 9)
    var again = request(in: read.contents)
    if Plant.spoils { again?.standing.runs += 1 }
    require(again == read, "\(read) came back as \(again.map { "\($0)" } ?? "nothing")")
    judge(read)
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
      require(machine.outlook(now: now).next.map { $0 > .zero } ?? true, "a wait that is over")
      let isDue = machine.outlook(now: now).due == [id]
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
