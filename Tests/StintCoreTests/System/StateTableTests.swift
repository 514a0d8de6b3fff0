import StintCore
import Testing

@Suite("System machine: table of states and events")
struct StateTableTests {
  typealias Event = SystemTable.Event

  /// A machine in a state, reached the shortest way.
  static func probe(in state: LifeState, _ policy: SystemPolicy = MachineProbe.policy)
    -> MachineProbe
  {
    let probe = state == .notRunning || state == .inactive ? MachineProbe(policy) : .active(policy)
    switch state {
    case .notRunning, .active:
      break
    case .inactive:
      probe.event { $0.launched(into: .foreground, now: $1) }
    case .background:
      probe.enterBackground()
    case .suspended:
      probe.enterBackground()
      probe.advance(.seconds(5))
    }
    return probe
  }

  /// Lets an event happen if it is possible.
  static func apply(_ event: Event, to probe: MachineProbe) {
    if let life = SystemTable.lifeEvent(of: event), !probe.machine.allows(life) { return }
    // Between two instants as often as at one.
    if event == .timePassed { return probe.advance(.milliseconds(1_700)) }
    SystemTable.apply(event, to: probe)
  }

  /// What holds after every event.
  static func faults(of probe: MachineProbe) -> [String] {
    let machine = probe.machine
    var faults: [String] = []
    if machine.lifeState == .suspended, machine.tasks.contains(where: \.holds) {
      faults.append("suspended with a task that holds")
    }
    if machine.hardStop != nil, !machine.tasks.contains(where: \.holds) {
      faults.append("a hard stop without a task")
    }
    if machine.lifeState == .background, machine.trip == nil { faults.append("no trip") }
    if machine.lifeState == .active, machine.trip != nil {
      faults.append("a trip in the foreground")
    }
    if machine.nextWake <= probe.now { faults.append("a wake-up in the past: \(machine.nextWake)") }
    if machine.lifeState == .background, machine.tasks.contains(where: \.holds),
      machine.trip?.deadline != .distantFuture, machine.hardStop == nil
    {
      faults.append("a task in the background and no hard stop")
    }
    if case .limited(let left) = machine.remaining(at: probe.now), left < .zero {
      faults.append("negative time")
    }
    let identifiers = machine.tasks.map(\.identifier.rawValue)
    if identifiers != identifiers.sorted() { faults.append("tasks out of order") }
    return faults
  }

  @Test(
    "L1 every event in every state is possible, or impossible by the table",
    arguments: LifeState.allCases)
  func table(state: LifeState) {
    #expect(Self.probe(in: state).machine.lifeState == state)
    for first in Event.allCases {
      for second in Event.allCases {
        let probe = Self.probe(in: state)
        Self.apply(first, to: probe)
        Self.apply(second, to: probe)
        #expect(Self.faults(of: probe) == [], "\(state), \(first), \(second)")
      }
    }
  }

  @Test("L1 the table of life events", arguments: LifeState.allCases)
  func lifeTable(state: LifeState) {
    let possible = SystemMachine.LifeEvent.allCases.filter { SystemMachine.allows($0, in: state) }
    switch state {
    case .notRunning: #expect(possible == [.launched])
    case .inactive: #expect(possible == [.backgroundEntered, .becameActive])
    case .active: #expect(possible == [.resigned])
    case .background, .suspended: #expect(possible == [.foregroundEntered])
    }
  }

  @Test("L1 random lives keep every invariant, under every policy", arguments: 1...40)
  func randomLives(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var policy = SystemPolicy.presets[Int(seed) % SystemPolicy.presets.count]
    policy.enterBackgroundGrace = .seconds(Int64(seed % 7))
    let probe = MachineProbe(policy, authority: seed % 3 == 0 ? .remote : .local)
    let launch = seed % 2 == 0 ? SystemMachine.Launch.foreground : .background
    probe.event { $0.launched(into: launch, now: $1) }
    for step in 0..<600 {
      let event = Event.allCases[Int(random.next() % UInt64(Event.allCases.count))]
      let isFinal = event == .terminated || event == .killed || event == .stopped
      if isFinal, step % 10 != 0 { continue }
      Self.apply(event, to: probe)
      let faults = Self.faults(of: probe)
      #expect(faults == [], "seed \(seed), step \(step), \(event)")
      if !faults.isEmpty { return }
    }
    for task in Set(probe.called) where probe.machine.policy.grant != nil {
      let calls = probe.called.filter { $0 == task }.count
      #expect(calls <= 1 + probe.told.filter { $0 == .willEnterForeground }.count, "seed \(seed)")
    }
  }
}
