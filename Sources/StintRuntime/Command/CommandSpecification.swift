import CStint
import Glibc
package import StintCore

/// A command as it is to be started: bytes, because neither words nor variables need be text.
package struct CommandSpecification: Hashable, Sendable {
  /// The words, the program's name first; without their terminating zeros.
  package var words: [[UInt8]]
  /// A descriptor of the program, which is run whatever the first word names by now.
  package var program: Int32?
  /// Variables that are set for it, in place of any that this process has.
  package var variables: [String: String] = [:]
  /// Variables that it does not inherit.
  package var withheld: [String] = []
  /// Descriptors that it keeps although they are close-on-exec here.
  package var kept: [Int32] = []
  /// The descriptors that become its 0, 1 and 2; nil to share this process's.
  package var standard: [Int32]?
  /// Signals that it has at their defaults although they are ignored here.
  package var defaults: [Int32] = []
  /// What it gets when the thread ends that started it.
  package var deathSignal = SIGKILL
  /// Whether it holds a record lock on its standard output, but for the byte that is its family's.
  package var locksOutput = false
  /// Whether it serves this process and is no part of a supervised command, so that a supervisor
  /// neither waits for it nor kills it.
  package var isSpared = false
  /// Whether it leads a process group of its own.
  package var leadsGroup = true
  /// How long the command and its descendants may take to end after SIGTERM, if a keeper looks
  /// after them; nil without one (`stint_spawn`).
  package var keeperGrace: Duration?
  /// A terminal whose foreground group it becomes.
  package var terminal: Int32?
  /// A directory of cgroup v2 that it enters.
  package var cgroup: Int32?

  /// Describes a command without variables of its own.
  package init(words: [[UInt8]]) {
    self.words = words
  }

  /// Describes a command in text.
  package init(_ words: [String]) {
    self.words = words.map { Array($0.utf8) }
  }

  /// The program's name as a message shows it.
  package var name: String {
    String(decoding: words.first ?? [], as: UTF8.self)
  }

  /// Starts it and returns when its program runs.
  ///
  /// To be called on a thread that outlives it: when that ends, so does the command.
  ///
  /// - Returns: The number of its process.
  package func start() -> Result<Int32, CommandStartFailure> {
    let names = Set(variables.keys).union(withheld)
    var owned = words.map { Self.copy($0) }
    defer { owned.forEach { free($0) } }
    var arguments = owned.map { Optional($0) }
    arguments.append(nil)
    var environment = Self.inherited(without: names)
    for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
      let line = Self.copy(Array("\(name)=\(value)".utf8))
      owned.append(line)
      environment.append(line)
    }
    environment.append(nil)

    let numbers = (standard ?? []) + kept + defaults
    return arguments.withUnsafeBufferPointer { arguments in
      environment.withUnsafeBufferPointer { environment in
        numbers.withUnsafeBufferPointer { numbers in
          // Both hold at least the nil at their ends.
          guard let words = arguments.baseAddress, let variables = environment.baseAddress else {
            preconditionFailure("A vector of words has an end.")
          }
          let kept = numbers.baseAddress.map { $0 + (standard?.count ?? 0) }
          var request = stint_spawn_request(
            arguments: words, program: program ?? -1, environment: variables, kept: kept,
            kept_count: Int32(self.kept.count),
            standard: standard == nil ? nil : numbers.baseAddress, death_signal: deathSignal,
            defaults: kept.map { $0 + self.kept.count }, defaults_count: Int32(defaults.count),
            leads_group: leadsGroup ? 1 : 0, terminal: leadsGroup ? terminal ?? -1 : -1,
            cgroup: cgroup ?? -1, locks_output: locksOutput ? 1 : 0,
            is_spared: isSpared ? 1 : 0,
            keeper_grace: keeperGrace.map { max(1, $0.nanoseconds) } ?? 0)
          return Self.start(&request)
        }
      }
    }
  }

  private static func start(
    _ request: inout stint_spawn_request
  ) -> Result<Int32, CommandStartFailure> {
    var result = stint_spawn_result()
    if stint_spawn(&request, &result) == 0 { return .success(result.pid) }
    let stage: CommandStartFailure.Stage =
      switch Int(result.failed_at) {
      case STINT_SPAWN_CGROUP: .cgroup
      case STINT_SPAWN_EXEC: .program
      default: .process
      }
    return .failure(CommandStartFailure(stage: stage, errno: result.error))
  }

  /// The lines of this process's environment but for those of the given names; nothing is copied.
  private static func inherited(
    without names: Set<String>
  ) -> [UnsafeMutablePointer<CChar>?] {
    let refused = names.map { Array(($0 + "=").utf8CString.dropLast()) }
    var lines: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let line = next.pointee {
      if !refused.contains(where: { strncmp(line, $0, $0.count) == 0 }) { lines.append(line) }
      next += 1
    }
    return lines
  }

  private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar> {
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
    copy[bytes.count] = 0
    return copy
  }
}

extension CommandSpecification {
  /// What tells a process of its own system and time, which its commands do not inherit.
  package static let toldVariables = [
    SystemProtocol.descriptorVariable, SystemProtocol.ownerVariable,
    SystemProtocol.deadlineVariable, SystemProtocol.unixDeadlineVariable,
    SystemProtocol.budgetVariable, SystemProtocol.bootVariable, SystemProtocol.stintVariable,
    SystemProtocol.jobVariable, SystemProtocol.checkpointVariable,
  ]

  /// Lets the command speak over a socket with the system of this process.
  package mutating func offer(_ socket: Int32) {
    variables[SystemProtocol.descriptorVariable] = String(socket)
    variables[SystemProtocol.ownerVariable] = String(getpid())
    kept.append(socket)
  }

  /// Tells the command of its time through its environment; what this process was told of its own
  /// is not passed on.
  package mutating func tell(deadline: Instant?, budget: Duration?, stint: Int) {
    withheld += Self.toldVariables
    variables[SystemProtocol.stintVariable] = String(stint)
    variables[SystemProtocol.bootVariable] = StoreIdentity.bootID
    if let deadline {
      variables[SystemProtocol.deadlineVariable] = String(deadline.nanoseconds)
      let end = Duration.nanoseconds(stint_wall_ns()) + BootClock.now.duration(to: deadline)
      variables[SystemProtocol.unixDeadlineVariable] = end.secondsText(decimals: 3)
    }
    if let budget {
      variables[SystemProtocol.budgetVariable] = budget.secondsText(decimals: 3)
    }
  }
}
