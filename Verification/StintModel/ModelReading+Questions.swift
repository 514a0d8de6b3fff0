extension ModelReading {
  /// A10: what is left at an instant; nil for unlimited, never negative.
  package func remaining(at now: Int) -> Int? {
    usableUntil == never ? nil : max(0, usableUntil - now)
  }

  /// A10: what a task begun now would get; nil for unlimited, never negative.
  package func taskTime(at now: Int) -> Int? {
    taskTimeUntil == never ? nil : max(0, taskTimeUntil - now)
  }

  /// A22: what is open, in order of creation.
  package func openTasks(at now: Int) -> [ModelOpenTask] {
    tasks.map { task in
      ModelOpenTask(
        id: task.id, name: task.name, place: task.place, age: now - task.began, state: task.state)
    }
  }

  /// Whether a life event is possible (L1, L2, L3); an application is launched once.
  package func allows(_ event: ModelLifeEvent) -> Bool {
    switch event {
    case .launched: state == .notRunning && !hasLived
    case .resigned: state == .active
    case .backgroundEntered, .becameActive: state == .inactive
    case .foregroundEntered: state == .background || state == .suspended
    }
  }

  /// Whether something is due that nobody has looked for yet.
  package func isLate(at now: Int) -> Bool { due(at: now) != nil }

  /// The first instant after now at which something is due if nothing else happens, or never.
  package func nextDue(after now: Int) -> Int {
    for instant in boundaries where instant > now {
      if due(at: instant) != nil { return instant }
    }
    return never
  }
}
