import StintCore
import StintModel

/// Puts what the schedule machine says into the words of the model, and the model's reasons into
/// sentences.
enum ScheduleTranslation {
  static func policy(_ policy: SystemPolicy) -> SchedulePolicy {
    SchedulePolicy(
      lead: Translation.span(policy.lead), fetchAllowance: Translation.span(policy.fetchAllowance),
      processingAllowance: Translation.span(policy.processingAllowance),
      continuedAllowance: Translation.span(policy.continuedAllowance),
      pace: Translation.span(policy.leastBetweenBegins),
      mostRefreshes: policy.mostWaitingRefreshes, mostProcessing: policy.mostWaitingProcessing,
      lossAllowance: Translation.span(policy.requirementLossAllowance),
      fetchInterval: Translation.span(policy.minimumFetchInterval))
  }

  static func kind(_ kind: ScheduledTaskKind) -> ModelTaskKind {
    switch kind {
    case .refresh: .refresh
    case .processing: .processing
    case .continued: .continued
    case .fetch: .fetch
    case .sessionEvents: .sessionEvents
    }
  }

  static func request(_ request: TaskRequest) -> ModelRequest {
    var translated = ModelRequest(request.identifier, kind(request.kind))
    translated.earliest = request.earliestBegin.map { Int($0.nanoseconds) }
    translated.requirements = Set(request.requirements.map(Translation.requirement))
    translated.mostLoad = request.mostLoad
    translated.leastMemory = request.leastMemory.map { Int($0) }
    translated.leastDisk = request.leastDisk.map { Int($0) }
    translated.waitsForRoom = request.waitsForRoom
    return translated
  }

  static func status(_ status: BackgroundRefreshStatus) -> ModelRefreshStatus {
    switch status {
    case .available: .available
    case .denied: .denied
    case .restricted: .restricted
    }
  }

  static func conditions(_ conditions: MachineConditions) -> ModelConditions {
    var translated = ModelConditions()
    if !conditions.hasNetwork { translated.present.remove(.network) }
    if !conditions.hasExternalPower { translated.present.remove(.externalPower) }
    translated.load = conditions.load
    translated.memory = Int(conditions.freeMemory)
    translated.disk = Int(conditions.freeDisk)
    return translated
  }

  static func interval(_ interval: FetchInterval) -> ModelInterval {
    switch interval {
    case .never: .never
    case .minimum: .minimum
    case .atLeast(let span): .atLeast(Translation.span(span))
    }
  }

  static func result(_ result: BackgroundFetchResult) -> ModelFetchResult {
    switch result {
    case .newData: .newData
    case .noData: .noData
    case .failed: .failed
    }
  }

  static func registration(_ registration: ScheduleMachine.Registration) -> ModelRegistration {
    switch registration {
    case .taken: .taken
    case .twice: .twice
    case .late: .late
    }
  }

  static func deed(_ action: ScheduleMachine.Action) -> ScheduleDeed? {
    switch action {
    case .begin(let run, let request, let allowance):
      .begin(
        run: run, request.identifier, kind(request.kind), allowance: Translation.span(allowance))
    case .launch(let run): .launch(run: run)
    case .expire(let run, let reason, let deadline):
      .expire(run: run, Translation.reason(reason), deadline: Translation.instant(deadline))
    case .end(let task): .end(task: task.rawValue)
    case .fail(let task): .fail(task: task.rawValue)
    case .allow(let end): .allow(until: Translation.instant(end))
    // The machine makes none so far.
    }
  }

  // MARK: Sentences

  /// The error of a refusal.
  static func error(
    _ refusal: ModelRequestRefusal?, of request: TaskRequest, pace: Duration
  ) -> TaskRequestError? {
    let identifier = request.identifier
    switch refusal {
    case nil: return nil
    case .notSubmitted: return .notSubmitted(identifier, request.kind)
    case .notRegistered: return .notRegistered(identifier)
    case .unavailable(let status): return .unavailable(identifier, Self.status(status))
    case .tooManyWaiting(let most): return .tooManyWaiting(identifier, request.kind, most: most)
    case .cannotBegin(let wait):
      return .cannotBegin(identifier, .refused(clause(wait, pace: pace)))
    }
  }

  private static func status(_ status: ModelRefreshStatus) -> BackgroundRefreshStatus {
    switch status {
    case .available: .available
    case .denied: .denied
    case .restricted: .restricted
    }
  }

  /// Q7: what is known of an identifier, in one sentence.
  static func sentence(
    _ standing: ModelStanding, of identifier: String, pace: Duration, at now: Int
  ) -> String {
    switch standing {
    case .unknown: "No request for \"\(identifier)\" waits."
    case .beginsNow: "\"\(identifier)\" begins now."
    case .left: "\"\(identifier)\" waits: the application is being launched."
    case .setAside(hasHandler: true):
      "\"\(identifier)\" is set aside: 3 programs in a row ended before it was completed."
    case .setAside(hasHandler: false):
      "\"\(identifier)\" is set aside: no handler was registered for it."
    case .runs(let since): "\"\(identifier)\" is running since \(text(now - since))."
    case .waits(let wait): "\"\(identifier)\" waits: \(clause(wait, pace: pace))."
    }
  }

  private static func clause(_ wait: ModelWait, pace: Duration) -> String {
    switch wait {
    case .running: return "the one before is not completed"
    case .notRunning: return "the application is not running"
    case .foreground: return "the application is in the foreground"
    case .background: return "the application is not in the foreground"
    case .unavailable(.restricted): return "work in the background is restricted"
    case .unavailable: return "work in the background is denied"
    case .earliest(let left): return "its earliest time comes in \(text(left))"
    case .paced(let left):
      return "\(pace.compactText) have to lie between two of them, and \(text(left)) are left"
    case .died(let count, let left):
      let programs = count == 1 ? "the program" : "\(count) programs in a row"
      return "\(programs) ended before it was completed; it is tried again in \(text(left))"
    case .missing(.network): return "the network is missing"
    case .missing(.externalPower): return "external power is missing"
    case .load(let load, let most): return "the load is \(load)0, and \(most)0 is the most"
    case .memory(let free, let least):
      return "\(free) bytes of memory are free, and \(least) are needed"
    case .disk(let free, let least):
      return "\(free) bytes of the disk are free, and \(least) are needed"
    case .denied(let denial, let left):
      let because = "the system denied it, because \(Self.denial(denial))"
      return because + (left.map { "; it is asked again in \(text($0))" } ?? "")
    }
  }

  /// The reasons that a history of a schedule has.
  private static func denial(_ denial: ModelDenial) -> DenialReason {
    switch denial {
    case .notRunning: .notRunning
    case .suspended: .suspended
    case .stopping: .stopping
    case .refused: .refused("no")
    case .tooManyTasks(let maximum): .tooManyTasks(maximum: maximum)
    case .tooLittleTime(let left, let least):
      .tooLittleTime(remaining: .nanoseconds(left), least: .nanoseconds(least))
    }
  }

  private static func text(_ span: Int) -> String { Duration.nanoseconds(span).compactText }
}
