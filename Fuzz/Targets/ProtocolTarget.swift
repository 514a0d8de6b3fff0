import FoundationEssentials
import StintCore

/// The system protocol: what a child may say to its supervisor, and a supervisor to its child.
///
/// The first byte chooses whose words they are and how the rest is cut on its way; the rest is the
/// stream.
enum ProtocolTarget {
  // A member is a text and an entry, and its name is kept once more to see that it comes once.
  private static let allowance = Allowance(
    peakBytes: (fixed: 65_536, perByte: 256), totalBytes: (fixed: 131_072, perByte: 1_024))

  static func examine(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let stream = input.dropFirst()
    let isChild = first & 1 == 0
    let size = max(1, Int(first >> 1))
    let lines = allowance.measured(input.count) {
      let lines = frame(stream, size)
      for line in lines where accepts(line, isChild) { Plant.accepted(input) }
      return lines
    }
    checkFraming(lines, of: stream)
    for line in lines {
      checkObject(line)
      if isChild { checkChild(line) } else { checkSystem(line) }
    }
    if isChild { checkServer(lines) }
  }

  private static func frame(_ stream: ArraySlice<UInt8>, _ size: Int) -> [[UInt8]] {
    var framer = LineFramer()
    var lines: [[UInt8]] = []
    var rest = stream
    while !rest.isEmpty {
      let piece = rest.prefix(size)
      rest = rest.dropFirst(piece.count)
      guard let more = try? framer.append(piece) else { break }
      require(framer.heldBytes <= SystemProtocol.maximumLineBytes, "more than a line is held")
      lines += more
    }
    return lines
  }

  private static func accepts(_ line: [UInt8], _ isChild: Bool) -> Bool {
    if isChild { return (try? ChildMessage.read(line)) ?? nil != nil }
    return (try? SystemMessage.read(line)) ?? nil != nil
  }

  /// However it is cut, the lines are those between the newlines.
  private static func checkFraming(_ lines: [[UInt8]], of stream: ArraySlice<UInt8>) {
    let whole = stream.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    require(lines.count <= max(0, whole.count - 1), "more lines than newlines")
    for (line, expected) in zip(lines, whole) {
      require(line.elementsEqual(expected), "a line differs from what was sent")
    }
  }

  /// What is accepted is JSON to Foundation too, with the same texts and whole numbers.
  private static func checkObject(_ line: [UInt8]) {
    guard let object = try? JSONObject(line, maximumDepth: SystemProtocol.maximumDepth) else {
      return
    }
    guard let known = try? JSONDecoder().decode([String: Loose].self, from: Data(line)) else {
      fatalError("Foundation declines \(String(decoding: line, as: UTF8.self))")
    }
    // To Swift's dictionaries two spellings of one accent are one name.
    for member in object.members where member.name.utf8.allSatisfy({ $0 < 128 }) {
      switch member.value {
      case .text(let text):
        require(known[member.name]?.text == text, "the text of \(member.name) differs")
      case .number:
        // A number with a fraction is whole to Foundation where the fraction is zero.
        guard let integer: Int64 = member.value.integer() else { break }
        require(known[member.name]?.integer == integer, "the number of \(member.name) differs")
      case .truth, .list, .object, .null:
        break
      }
    }
  }

  /// A value of which only texts and whole numbers are kept.
  private struct Loose: Decodable {
    var text: String?
    var integer: Int64?

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      text = try? container.decode(String.self)
      integer = text == nil ? try? container.decode(Int64.self) : nil
    }
  }

  private static func checkChild(_ line: [UInt8]) {
    guard let message = (try? ChildMessage.read(line)) ?? nil else { return }
    if case .begin(let task, _) = message { Plant.rare(task == 77_777) }
    var again = (try? ChildMessage.read(Array(message.line.utf8.dropLast()))) ?? nil
    if Plant.spoils { again = .end(task: 1_234) }
    require(again == message, "\(message)\ncame back as\n\(again.map { "\($0)" } ?? "nothing")")
    checkLength(message.line)
  }

  private static func checkSystem(_ line: [UInt8]) {
    guard let message = (try? SystemMessage.read(line)) ?? nil else { return }
    if case .granted(let task) = message { Plant.rare(task == 77_777) }
    var again = (try? SystemMessage.read(Array(message.line.utf8.dropLast()))) ?? nil
    if Plant.spoils { again = .resumed }
    require(again == message, "\(message)\ncame back as\n\(again.map { "\($0)" } ?? "nothing")")
    checkLength(message.line)
  }

  private static func checkLength(_ line: String) {
    require(line.utf8.count <= SystemProtocol.maximumLineBytes, "a line is too long to be read")
    require(line.utf8.count { $0 == UInt8(ascii: "\n") } == 1, "a line of several lines")
  }

  /// Nothing that a child says opens more tasks than the policy has, or goes on after its
  /// conversation is over.
  private static func checkServer(_ lines: [[UInt8]]) {
    var policy = SystemPolicy(name: "fuzz", grant: .seconds(30), lead: .seconds(5))
    policy.maximumTasks = 4
    let now = Instant(nanoseconds: 1_000_000_000)
    var machine = ServerMachine(policy: policy)
    let trip = SystemMessage.Trip(number: 1, start: now, deadline: now.advanced(by: .seconds(30)))
    _ = machine.started(
      ServerMachine.View(lifeState: .background, trip: trip, stop: nil), pid: 1, now: now)
    _ = machine.presenceGranted(BackgroundTaskIdentifier(rawValue: 1_000))
    var identifier = 1
    for line in lines {
      guard let message = (try? ChildMessage.read(line)) ?? nil else { continue }
      let wasPlain = machine.phase == .plain
      let actions = machine.received(message, now: now)
      require(!wasPlain || actions.isEmpty, "a child is heard after its conversation is over")
      for case .beginTask(let task, _) in actions {
        _ = machine.taskGranted(task, BackgroundTaskIdentifier(rawValue: identifier))
        identifier += 1
      }
      require(machine.openTasks <= policy.maximumTasks, "\(machine.openTasks) tasks are open")
    }
  }
}
