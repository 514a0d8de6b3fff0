import Glibc
import StintCore
import StintRuntime

/// For what the program of an application is launched.
struct ApplicationLaunch: Sendable {
  /// What is told to the program.
  let reason: SystemMessage.Launch
  /// How long it may take: the most that one of the tasks that are due may.
  let time: Duration
  /// How many tasks of the program had begun before, ever.
  let begins: Int

  /// Looks at what is due; nil for other work, and if the program runs or nothing is due any more.
  ///
  /// - Throws: ``StintError``: `damaged`, `io`.
  init?(of request: QueuedRequest, in store: QueueStore) throws {
    guard request.terms.work == .application, let entry = try store.entry(request.id),
      !entry.isProgramRunning
    else { return nil }
    var machine = QueueMachine(machine: request.terms.machine, places: 1)
    if entry.tasks.contains(where: \.hasConditions) { machine.conditions = .read() }
    let due = machine.dueTasks(of: entry, now: .now)
    let policy = SystemPolicy.ofApplication
    guard let first = due.max(by: { policy.allowance(of: $0.kind) < policy.allowance(of: $1.kind) })
    else { return nil }
    time = policy.allowance(of: first.kind)
    reason = SystemMessage.Launch(
      kind: SystemMessage.Launch.TaskKind(rawValue: first.kind.rawValue) ?? .other,
      identifier: first.identifier, isSimulated: entry.forced != nil)
    begins = try store.tasks(of: request.id)?.begins ?? 0
  }
}

extension SystemPolicy {
  /// The numbers for a program that is launched for its own requests.
  static let ofApplication: SystemPolicy = {
    var policy = SystemPolicy.commandLine
    policy.mostWaitingRefreshes = iOS13.mostWaitingRefreshes
    policy.mostWaitingProcessing = iOS13.mostWaitingProcessing
    return policy
  }()
}

extension Attendant {
  /// The conversation with a program that is launched; once it is suspended it is told to end.
  func channel(of launch: ApplicationLaunch) -> SocketChannel {
    SocketChannel(
      continuesCommand: true, launch: launch.reason,
      commandStands: { [weak self] in
        let supervisor = self?.state.withLock { state -> CommandSupervisor? in
          state.isDone = true
          return state.supervisor
        }
        supervisor?.askToEnd(by: SIGTERM)
      })
  }

  /// What the end of an application's program means for the request.
  ///
  /// A program that ends while a task that it had asked for runs costs that task a try, and not the
  /// application: what else it has asked for is not to suffer from it.
  func endOfApplication(
    _ end: RequestStanding.End, _ launch: ApplicationLaunch
  ) -> RequestStanding.End {
    let record = (try? store.tasks(of: lock.request.id)) ?? nil
    let hasBegun = (record?.begins ?? 0) > launch.begins
    switch end {
    case .stopped, .vanished, .slice: return end
    case .interrupted where !state.withLock({ $0.isDone }): return end
    case .finished, .unfinished, .interrupted: return hasBegun ? .finished : .cut
    case .cut, .failed, .hindered, .crashed:
      let isOfTask = hasBegun && record?.requests.contains { $0.began != nil } == true
      return isOfTask ? .unfinished : end
    }
  }
}
