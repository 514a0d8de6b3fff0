import StintCore
import StintRuntime

/// One thing that was looked at, such as a file of a job or a limit of the machine.
struct Finding: Hashable, Sendable {
  enum State: String, Hashable, Sendable {
    case ok, note, warning
    /// Something that is needed is not there, or does not work.
    case missing
    case damaged
    /// The device or the system gave an error, which says nothing of the file.
    case unreadable
  }

  /// What was looked at: for a file, its path below the job's directory or its absolute path.
  var name: String
  var state: State
  /// What was found, without a full stop.
  var text: String
  /// What to do about it.
  var advice: String?
  var sizeBytes: Int?

  init(
    _ name: String, _ state: State, _ text: String, advice: String? = nil, sizeBytes: Int? = nil
  ) {
    (self.name, self.state, self.text) = (name, state, text)
    (self.advice, self.sizeBytes) = (advice, sizeBytes)
  }

  /// One that is a warning with its advice, or nothing to worry about.
  init(_ name: String, _ text: String, warnsIf isBad: Bool, advice: String) {
    self.init(name, isBad ? .warning : .ok, text, advice: isBad ? advice : nil)
  }

  /// Something that could not be read.
  init(_ name: String, unread error: any Error) {
    let error = StintError(wrapping: error, while: "reading")
    let saysNothing = error.code == .io && !error.isOfTheFile
    self.init(name, saysNothing ? .unreadable : .damaged, error.typed)
  }

  var json: JSONLine {
    var json = JSONLine()
    json.add("name", name)
    json.add("state", state.rawValue)
    json.add("text", text)
    json.add("advice", advice)
    json.add("sizeBytes", sizeBytes)
    return json
  }
}

extension [Finding] {
  func count(_ state: Finding.State) -> Int { count { $0.state == state } }

  /// All of them in a table, under a heading for their names.
  func table(_ heading: String) -> String {
    var table = TextTable([(heading, .left), ("STATE", .left), ("WHAT WAS FOUND", .left)])
    for finding in self {
      let advice = finding.advice.map { "; \($0)" } ?? ""
      table.add([finding.name, finding.state.rawValue, finding.text + advice])
    }
    return table.render()
  }
}
