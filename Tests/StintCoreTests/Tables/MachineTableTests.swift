import Foundation
import StintCore
import Testing

@Suite("Tables of the machines")
struct MachineTableTests {
  @Test("L1 L3 every row of the system's table is what the machine does, and no pair is missing")
  func system() {
    #expect(SystemTable.faults(of: SystemTable.sections) == [])
  }

  @Test("W5 W6 W7 every row of the worker's table is what the machine does, and no pair is missing")
  func worker() {
    #expect(WorkerTable.faults(of: WorkerTable.sections) == [])
  }

  @Test(
    "A12 W11 every row of the supervisor's table is what the machine does, and no pair is missing")
  func supervisor() {
    #expect(SupervisorTable.faults(of: SupervisorTable.sections) == [])
  }

  @Test("L8 an impossible event traps with its sentence", arguments: SupervisorTable.triedTraps)
  func supervisorTraps(trap: TableTrap<SupervisorTable>) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      [
        event = trap.event as SupervisorTable.Event,
        situation = trap.situation as Here<SupervisorTable>
      ] in
      _ = SupervisorTable.run(event, in: situation)
    }
    expectSentence(trap.sentence, in: result)
  }

  @Test(
    "A9 A11 A23 W7 W9 W11 every row of the run's table is what the machine does, and no pair is missing"
  )
  func run() {
    #expect(RunTable.faults(of: RunTable.sections) == [])
  }

  @Test("W11 an impossible event traps with its sentence", arguments: RunTable.triedTraps)
  func runTraps(trap: TableTrap<RunTable>) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      [event = trap.event as RunTable.Event, situation = trap.situation as Here<RunTable>] in
      _ = RunTable.run(event, in: situation)
    }
    expectSentence(trap.sentence, in: result)
  }

  @Test(
    "B1 Q2 Q3 Q4 Q9 every row of the schedule's table is what the machine does, and no pair is missing"
  )
  func schedule() {
    #expect(ScheduleTable.faults(of: ScheduleTable.sections) == [])
    #expect(ScheduleTable.traps.isEmpty, "whatever a program does, it is a legal race")
  }

  @Test("Q9 every event function of the schedule machine is in its table")
  func scheduleEvents() throws {
    try expectEvents(of: ScheduleTable.self)
  }

  @Test("Q9 the schedule's document is the one that its table makes")
  func scheduleDocument() throws {
    try expectDocument(of: ScheduleTable.self)
  }

  @Test("W11 every event function of the run machine is in its table")
  func runEvents() throws {
    try expectEvents(of: RunTable.self)
  }

  @Test("W11 the run's document is the one that its table makes")
  func runDocument() throws {
    try expectDocument(of: RunTable.self)
  }

  @Test("A12 every event function of the supervisor machine is in its table")
  func supervisorEvents() throws {
    try expectEvents(of: SupervisorTable.self)
  }

  @Test("A12 the supervisor's document is the one that its table makes")
  func supervisorDocument() throws {
    try expectDocument(of: SupervisorTable.self)
  }

  @Test("L1 an impossible event traps with its sentence", arguments: SystemTable.triedTraps)
  func systemTraps(trap: TableTrap<SystemTable>) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      [event = trap.event as SystemTable.Event, situation = trap.situation as Here<SystemTable>] in
      _ = SystemTable.run(event, in: situation)
    }
    expectSentence(trap.sentence, in: result)
  }

  @Test("W1 an impossible event traps with its sentence", arguments: WorkerTable.triedTraps)
  func workerTraps(trap: TableTrap<WorkerTable>) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      [event = trap.event as WorkerTable.Event, situation = trap.situation as Here<WorkerTable>] in
      _ = WorkerTable.run(event, in: situation)
    }
    expectSentence(trap.sentence, in: result)
  }

  typealias Here<Table: MachineTable> = Table.Situation

  private func expectSentence(_ sentence: String, in result: ExitTest.Result?) {
    // Below it stands a stack trace.
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let first = words.prefix { $0 != "\n" }
    #expect(first.hasSuffix(" failed: " + sentence) || first.hasSuffix(" error: " + sentence))
  }

  @Test("L1 the system's table has the life events that the machine allows")
  func lifeEvents() {
    let traps = SystemTable.traps
    #expect(traps.allSatisfy { SystemTable.lifeEvent(of: $0.event) != nil })
    for situation in SystemTable.Situation.allCases {
      let machine = SystemTable.probe(in: situation).machine
      for event in SystemTable.Event.allCases {
        guard let life = SystemTable.lifeEvent(of: event) else { continue }
        let isImpossible = traps.contains { $0.situation == situation && $0.event == event }
        #expect(machine.allows(life) == !isImpossible, "\(situation), \(event)")
      }
    }
  }

  @Test("L1 every event function of the system machine is in its table")
  func systemEvents() throws {
    try expectEvents(of: SystemTable.self)
  }

  @Test("W1 every event function of the worker machine is in its table")
  func workerEvents() throws {
    try expectEvents(of: WorkerTable.self)
  }

  @Test("L1 the system's document is the one that its table makes")
  func systemDocument() throws {
    try expectDocument(of: SystemTable.self)
  }

  @Test("W1 the worker's document is the one that its table makes")
  func workerDocument() throws {
    try expectDocument(of: WorkerTable.self)
  }

  /// The functions that change a machine from outside, as its source declares them, are those of
  /// the table.
  private func expectEvents<Table: MachineTable>(of table: Table.Type) throws {
    let folder = try #require(TableDocument.folder(Table.source.folder))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    var declared: Set<String> = []
    for name in names where name.hasPrefix(Table.source.prefix) && name.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      for match in text.matches(of: /(?:public|package) mutating func (\w+)/) {
        declared.insert(String(match.1))
      }
    }
    #expect(declared == Set(Table.Event.allCases.map { Table.function(of: $0) }))
  }

  /// A table that is not true is never written.
  private func expectDocument<Table: MachineTable>(of table: Table.Type) throws {
    let folder = try #require(TableDocument.folder("docs/machines"))
    let file = folder.appending(path: Table.name + ".md")
    let text = TableDocument.text(of: table)
    if TableDocument.isWriting {
      try #require(Table.faults(of: Table.sections) == [])
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let isSame = try String(contentsOf: file, encoding: .utf8) == text
    #expect(isSame, "docs/machines/\(Table.name).md is not what the rows say; run scripts/tables")
  }
}
