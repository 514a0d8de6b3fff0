/// What a child says to the system that grants it time.
package enum ChildMessage: Hashable, Sendable {
  /// The child speaks this version, and is this process.
  case hello(version: Int, pid: Int32, name: String)
  /// The child asks for a task under a number of its own.
  case begin(task: Int, name: String)
  /// The task is over.
  case end(task: Int)
  /// The child's next request may begin at this instant; nil for none.
  case due(Instant?)
  /// The child was suspended in this trip, and is about to stop its process.
  case suspended(trip: Int)
}

extension ChildMessage {
  /// The numbers that a child may give its tasks.
  package static let taskNumbers = 1...Int(Int64.max)

  /// The message as a line, with its newline.
  package var line: String {
    var json = JSONLine()
    switch self {
    case .hello(let version, let pid, let name):
      json.add("type", "hello")
      json.add("version", version)
      json.add("pid", pid)
      json.add("name", SystemProtocol.cut(name))
    case .begin(let task, let name):
      json.add("type", "begin")
      json.add("task", task)
      json.add("name", SystemProtocol.cut(name))
    case .end(let task):
      json.add("type", "end")
      json.add("task", task)
    case .due(let begin):
      json.add("type", "due")
      json.add("beginBootNs", begin?.nanoseconds)
    case .suspended(let trip):
      json.add("type", "suspended")
      json.add("trip", trip)
    }
    return json.line
  }

  /// Reads a line.
  ///
  /// - Parameter line: The line without its newline.
  /// - Returns: The message, or nil for one of a type that is not known here and means nothing.
  /// - Throws: ``ProtocolFault`` if it cannot be a message.
  package static func read(_ line: [UInt8]) throws(ProtocolFault) -> ChildMessage? {
    let object = try ProtocolObject(line: line)
    switch try object.shortText("type") {
    case "hello":
      return .hello(
        version: try object.integer("version", in: 1...1_000_000),
        pid: try object.integer("pid", in: 1...Int32.max), name: try object.shortText("name"))
    case "begin":
      return .begin(
        task: try object.integer("task", in: taskNumbers), name: try object.shortText("name"))
    case "end":
      return .end(task: try object.integer("task", in: taskNumbers))
    case "due":
      return .due(try object.optionalInstant("beginBootNs"))
    case "suspended":
      return .suspended(trip: try object.tripNumber())
    case _:
      return nil
    }
  }
}
