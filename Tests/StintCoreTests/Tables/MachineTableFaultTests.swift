import Testing

@Suite("Tables of the machines: what their check catches")
struct MachineTableFaultTests {
  typealias Section = TableSection<WorkerTable>

  /// The faults of the worker's table after the rows of the idle phase were changed.
  private func faults(_ change: (inout [TableRow<WorkerTable>]) -> Void) -> [String] {
    var rows = WorkerTable.idle.rows
    change(&rows)
    let idle = Section(
      state: .idle, situations: WorkerTable.idle.situations, rows: rows)
    return WorkerTable.faults(of: [idle] + WorkerTable.sections.filter { $0.state != .idle })
  }

  @Test("W1 a row that is missing, double or untrue is found")
  func plantedRows() {
    #expect(faults { _ in } == [])
    #expect(
      faults { $0.removeAll { $0.event == .pause } } == ["not started, pause requested: 0 rows"])
    #expect(
      faults { $0.append(contentsOf: $0.filter { $0.event == .pause }) }
        == ["not started, pause requested: 2 rows"])
    let untrue = WorkerTable.row(.started, "→ working: run chunk", "W1")
    #expect(
      faults { rows in rows = rows.flatMap { $0.event == .started ? untrue : [$0] } }
        == [
          "not started, started: \"→ working: run chunk\" is \"→ registering: begin task\""
        ])
  }

  @Test("W1 a row that names no clause, no race or another phase's situation is found")
  func plantedWords() {
    func replaced(_ event: WorkerTable.Event, _ new: [TableRow<WorkerTable>]) -> [String] {
      faults { rows in rows = rows.flatMap { $0.event == event ? new : [$0] } }
    }
    #expect(
      replaced(.pause, WorkerTable.row(.pause, "remembered", "W15", "later"))
        == ["idle, pause requested: no clause \"W15\""])
    #expect(
      replaced(.resume, WorkerTable.row(.resume, "nothing", "W7"))
        == ["idle, resume requested: a no-op that names no race"])
    #expect(
      replaced(
        .resume, WorkerTable.row(.resume, in: [.idle, .paused], "nothing", "W7", "no pause")
      )
      .contains("idle, resume requested: another's row"))
  }

  @Test("W1 a phase without a section, and a situation in another phase, are found")
  func plantedSections() {
    let without = WorkerTable.sections.filter { $0.state != .paused }
    #expect(WorkerTable.faults(of: without).contains("paused: not one section"))
    #expect(WorkerTable.faults(of: without).contains("paused, all saved: in 0 sections"))
    let moved = Section(
      state: .paused, situations: WorkerTable.parked.situations, rows: WorkerTable.parked.rows)
    #expect(WorkerTable.faults(of: without + [moved]).contains("all saved is parked"))
  }
}
