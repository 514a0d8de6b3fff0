/// What a system says to the child that it grants time to.
package enum SystemMessage: Hashable, Sendable {
  /// One stay in the background.
  package struct Trip: Hashable, Sendable {
    /// Its number, from 1 upward.
    package var number: Int
    /// When its clock began.
    package var start: Instant
    /// When its budget is gone; nil without an end.
    package var deadline: Instant?

    package init(number: Int, start: Instant, deadline: Instant?) {
      self.number = number
      self.start = start
      self.deadline = deadline
    }
  }

  /// For which of its requests a child is launched into the background.
  package struct Launch: Hashable, Sendable {
    /// The kinds of tasks; one of a version to come is another one.
    package enum TaskKind: String, Hashable, Sendable, CaseIterable {
      case refresh, processing, fetch, other
    }

    package let kind: TaskKind
    /// Cut where it is so long that the welcome could be longer than a line.
    package let identifier: String
    /// Whether it is to begin whatever it waits for (Q8).
    package let isSimulated: Bool

    /// As much of an identifier is told as has at most so many bytes as JSON.
    private static let mostQuotedBytes = 202

    package init(kind: TaskKind, identifier: String, isSimulated: Bool = false) {
      self.kind = kind
      self.isSimulated = isSimulated
      var told = ""
      for scalar in identifier.unicodeScalars {
        var longer = told
        longer.unicodeScalars.append(scalar)
        if JSONLine.quoted(longer).utf8.count > Self.mostQuotedBytes { break }
        told = longer
      }
      self.identifier = told
    }
  }

  /// The first message, which waits in the socket before the child runs.
  package struct Welcome: Hashable, Sendable {
    /// The version that the system speaks.
    package var version: Int
    /// The system's process.
    package var pid: Int32
    /// The numbers by which it grants time.
    package var policy: SystemPolicy
    /// The state in which the child is.
    package var state: ApplicationState
    /// The trip, in the background.
    package var trip: Trip?
    /// Whether a child that stops itself when it is suspended is continued.
    package var continuesChild: Bool
    /// For what the child is launched; nil for a child that somebody started for its own sake.
    package var launch: Launch?

    package init(
      version: Int = SystemProtocol.version, pid: Int32, policy: SystemPolicy,
      state: ApplicationState, trip: Trip?, continuesChild: Bool = false, launch: Launch? = nil
    ) {
      self.version = version
      self.pid = pid
      self.policy = policy
      self.state = state
      self.trip = trip
      self.continuesChild = continuesChild
      self.launch = launch
    }
  }

  case welcome(Welcome)
  /// The application's state changes; the background is entered with a trip.
  case transition(Transition, trip: Trip?)
  /// The task holds.
  case granted(task: Int)
  /// The task does not hold.
  case denied(task: Int, DenialReason)
  /// The end of a trip moved.
  case deadline(trip: Int, Instant?)
  /// A task has to be ended before the deadline.
  case expire(task: Int, ExpiryReason, trip: Int, deadline: Instant?)
  /// The process has to end by then.
  case stop(ExpiryReason, deadline: Instant)
  /// The process is about to be suspended.
  case suspending
  /// The process runs again after a suspension, still in the background.
  case resumed
  /// The process is being ended.
  case terminating(TerminationCause)
}

extension SystemMessage {
  /// The message as a line, with its newline.
  package var line: String {
    var json = JSONLine()
    json.add("type", typeName)
    switch self {
    case .welcome(let welcome):
      json.add(welcome)
    case .transition(let transition, let trip):
      json.add("transition", transition.rawValue)
      json.add(trip)
    case .granted(let task):
      json.add("task", task)
    case .denied(let task, let reason):
      json.add("task", task)
      json.add(reason)
    case .deadline(let trip, let deadline):
      json.add("trip", trip)
      json.add("deadlineBootNs", deadline?.nanoseconds)
    case .expire(let task, let reason, let trip, let deadline):
      json.add("task", task)
      json.add(reason)
      json.add("trip", trip)
      json.add("deadlineBootNs", deadline?.nanoseconds)
    case .stop(let reason, let deadline):
      json.add(reason)
      json.add("deadlineBootNs", deadline.nanoseconds)
    case .terminating(let cause):
      json.add(cause)
    case .suspending, .resumed:
      break
    }
    return json.line
  }

  private var typeName: String {
    switch self {
    case .welcome: "welcome"
    case .transition: "transition"
    case .granted: "granted"
    case .denied: "denied"
    case .deadline: "deadline"
    case .expire: "expire"
    case .stop: "stop"
    case .suspending: "suspending"
    case .resumed: "resumed"
    case .terminating: "terminating"
    }
  }

  /// Reads a line.
  ///
  /// - Parameter line: The line without its newline.
  /// - Returns: The message, or nil for one of a type that is not known here and means nothing.
  /// - Throws: ``ProtocolFault`` if it cannot be a message.
  package static func read(_ line: [UInt8]) throws(ProtocolFault) -> SystemMessage? {
    let object = try ProtocolObject(line: line)
    let type = try object.shortText("type")
    switch type {
    case "welcome": return .welcome(try object.welcome())
    case "transition":
      let name = try object.shortText("transition")
      guard let transition = Transition(rawValue: name) else { return nil }
      return .transition(transition, trip: try object.trip())
    case "granted": return .granted(task: try object.task())
    case "denied": return .denied(task: try object.task(), try object.denialReason())
    case "deadline":
      return .deadline(trip: try object.tripNumber(), try object.optionalInstant("deadlineBootNs"))
    case "expire":
      return .expire(
        task: try object.task(), try object.expiryReason(), trip: try object.tripNumber(),
        deadline: try object.optionalInstant("deadlineBootNs"))
    case "stop":
      guard let deadline = try object.optionalInstant("deadlineBootNs") else {
        throw ProtocolFault("\"deadlineBootNs\" is missing")
      }
      return .stop(try object.expiryReason(), deadline: deadline)
    case "suspending": return .suspending
    case "resumed": return .resumed
    case "terminating": return .terminating(try object.terminationCause())
    case _: return nil
    }
  }
}
