/// The table of a machine: what each event does in each state.
///
/// One source for the tests, which run every row against the machine, and for the documents in
/// `docs/machines/`.
protocol MachineTable {
  associatedtype State: TableWord
  associatedtype Situation: TableWord
  associatedtype Event: TableWord

  /// The name of the document.
  static var name: String { get }
  /// What stands above the tables.
  static var introduction: String { get }
  /// What most states do: rows for the events that a section leaves out.
  static var usual: [[TableRow<Self>]] { get }
  /// One section for each state.
  static var sections: [TableSection<Self>] { get }
  /// The machine's functions behind the events that have another name.
  static var functions: [Event: String] { get }
  /// The folder and the beginning of the names of the files in which the machine stands.
  static var source: (folder: String, prefix: String) { get }
  /// The state that the machine is in, in a situation.
  static func state(in situation: Situation) -> State
  /// Lets an event happen in a situation, and says in words what the machine did.
  static func run(_ event: Event, in situation: Situation) -> String
}

/// A state, a situation or an event by the words of the document.
typealias TableWord = CaseIterable & Codable & Hashable & RawRepresentable<String> & Sendable

/// What one event does in one state.
struct TableRow<Table: MachineTable>: Sendable {
  /// What a row says that changes nothing at all.
  static var nothing: String { "nothing" }
  /// How a row begins that the machine refuses.
  static var trap: String { "traps: " }

  let event: Table.Event
  /// The situations of the state in which the row holds; none for all of them.
  let situations: [Table.Situation]
  /// What the machine does: its new state, its actions; compared with what it really did.
  let does: String
  /// The clause of the contract that decides; none if the event is impossible.
  let clause: String
  /// Why, or which race it is.
  let why: String

  /// The sentence with which the machine traps, or nil if the event is possible.
  var sentence: String? {
    does.hasPrefix(Self.trap) ? String(does.dropFirst(Self.trap.count)) : nil
  }
}

/// All rows of one state.
struct TableSection<Table: MachineTable>: Sendable {
  let state: Table.State
  /// The ways to be in the state that make a difference, and what they are.
  let situations: [(situation: Table.Situation, explanation: String)]
  let rows: [TableRow<Table>]

  /// The situations in which a row holds.
  func situations(of row: TableRow<Table>) -> [Table.Situation] {
    row.situations.isEmpty ? situations.map(\.situation) : row.situations
  }
}

extension MachineTable {
  /// The machine's function behind an event.
  static func function(of event: Event) -> String { functions[event] ?? "\(event)" }

  /// What a machine did: its new state, if it has changed, and its actions.
  static func words(_ actions: [String], newState: String?, isSame: Bool) -> String {
    let done = actions.joined(separator: ", ")
    if let newState { return "→ \(newState)" + (done.isEmpty ? "" : ": " + done) }
    if !done.isEmpty { return done }
    return isSame ? TableRow<Self>.nothing : "remembered"
  }

  /// A state's own rows, and the usual ones of the events that none of them is about.
  static func section(
    state: State, situations: [(situation: Situation, explanation: String)],
    rows: [[TableRow<Self>]]
  ) -> TableSection<Self> {
    let own = rows.flatMap { $0 }
    let others = usual.flatMap { $0 }.filter { row in !own.contains { $0.event == row.event } }
    return TableSection(state: state, situations: situations, rows: own + others)
  }

  /// A row for each of the events, with which the machine does the same.
  static func row(
    _ events: [Event], in situations: [Situation] = [], _ does: String, _ clause: String,
    _ why: String = ""
  ) -> [TableRow<Self>] {
    events.map {
      TableRow(event: $0, situations: situations, does: does, clause: clause, why: why)
    }
  }

  static func row(
    _ event: Event, in situations: [Situation] = [], _ does: String, _ clause: String,
    _ why: String = ""
  ) -> [TableRow<Self>] {
    row([event], in: situations, does, clause, why)
  }

  /// Rows for mistakes of the driver.
  static func traps(
    _ events: [Event], in situations: [Situation] = [], _ sentence: String
  ) -> [TableRow<Self>] {
    row(events, in: situations, TableRow<Self>.trap + sentence, "")
  }

  static func traps(
    _ event: Event, in situations: [Situation] = [], _ sentence: String
  ) -> [TableRow<Self>] {
    traps([event], in: situations, sentence)
  }
}
