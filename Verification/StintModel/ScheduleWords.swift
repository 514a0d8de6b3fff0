/// One moment: by the clock that only goes forward, and by the wall clock.
package struct ModelMoment: Hashable, Sendable {
  package var at: Int
  package var wall: Int

  /// Creates a moment.
  package init(at: Int, wall: Int) {
    self.at = at
    self.wall = wall
  }

  /// The same moment so much later, if nobody sets the wall clock.
  func later(by span: Int) -> ModelMoment { ModelMoment(at: at + span, wall: wall + span) }
}

/// What the system begins by itself.
package enum ModelTaskKind: String, Hashable, Sendable {
  case refresh, processing, continued, fetch, sessionEvents

  /// Whether programs ask for it (Q2).
  var isSubmitted: Bool {
    switch self {
    case .refresh, .processing, .continued: true
    case .fetch, .sessionEvents: false
    }
  }

  /// Whether a request for it outlives the process (Q6); a user begins a continued one.
  var isKept: Bool { self == .refresh || self == .processing }

  /// Whether its owner is told that its time is nearly up (Q4); a fetch is only to be done in time
  /// (B2).
  var isWarned: Bool { isSubmitted }
}

/// What a task needs while it runs, in the order in which a loss is told (Q3).
package enum ModelRequirement: Int, Hashable, Sendable, CaseIterable {
  case externalPower, network
}

/// What the machine offers (Q3).
package struct ModelConditions: Hashable, Sendable {
  package var present = Set(ModelRequirement.allCases)
  package var load = 0.0
  package var memory = Int.max
  package var disk = Int.max

  /// Creates the conditions of a machine that offers everything.
  package init() {}
}

/// A request (Q2).
package struct ModelRequest: Hashable, Sendable {
  package var identifier: String
  package var kind: ModelTaskKind
  /// Not before this instant of the wall clock.
  package var earliest: Int?
  package var requirements: Set<ModelRequirement> = []
  package var mostLoad: Double?
  package var leastMemory: Int?
  package var leastDisk: Int?
  package var waitsForRoom = true

  /// Creates a request for as soon as possible.
  package init(_ identifier: String, _ kind: ModelTaskKind) {
    self.identifier = identifier
    self.kind = kind
  }
}

/// Whether work in the background is allowed (L11).
package enum ModelRefreshStatus: String, Hashable, Sendable {
  case available, denied, restricted
}

/// How often an application may fetch (B1).
package enum ModelInterval: Hashable, Sendable {
  case never, minimum
  case atLeast(Int)
}

/// What came of a fetch or a task.
package enum ModelFetchResult: Hashable, Sendable {
  case newData, noData, failed
}

/// What came of registering a handler (Q1).
package enum ModelRegistration: Hashable, Sendable {
  case taken, twice, late
}

/// Why a request is refused (Q2).
package enum ModelRequestRefusal: Hashable, Sendable {
  case notSubmitted, notRegistered
  case unavailable(ModelRefreshStatus)
  case tooManyWaiting(most: Int)
  case cannotBegin(ModelWait)
}

/// Why a request waits (Q7); the times are how long that lasts.
package enum ModelWait: Hashable, Sendable {
  case running, notRunning, foreground, background
  case unavailable(ModelRefreshStatus)
  case earliest(left: Int)
  case paced(left: Int)
  /// So many programs in a row ended in it.
  case died(Int, left: Int)
  case missing(ModelRequirement)
  case load(Double, most: Double)
  case memory(Int, least: Int)
  case disk(Int, least: Int)
  case denied(ModelDenial, left: Int?)

  /// The reason without its time.
  var timeless: ModelWait {
    switch self {
    case .earliest: .earliest(left: 0)
    case .paced: .paced(left: 0)
    case .died(let count, _): .died(count, left: 0)
    case .denied(let denial, let left): .denied(denial, left: left.map { _ in 0 })
    case .running, .notRunning, .foreground, .background, .unavailable, .missing, .load, .memory,
      .disk:
      self
    }
  }

  /// Whether the machine lacks something.
  var isForConditions: Bool {
    switch self {
    case .missing, .load, .memory, .disk: true
    case .running, .notRunning, .foreground, .background, .unavailable, .earliest, .paced, .died,
      .denied:
      false
    }
  }
}

/// What is known of an identifier (Q7).
package enum ModelStanding: Hashable, Sendable {
  case unknown, beginsNow
  /// An earlier process left it, and this one has not registered its handlers.
  case left
  /// Programs ended in it too often, or there is no handler for it.
  case setAside(hasHandler: Bool)
  case runs(since: Int)
  case waits(ModelWait)
}

/// What the schedule does.
package enum ScheduleDeed: Hashable, Sendable {
  /// The system is asked for a task.
  case begin(run: Int, String, ModelTaskKind, allowance: Int)
  case launch(run: Int)
  case expire(run: Int, ModelReason, deadline: Int)
  case end(task: Int)
  case fail(task: Int)
  case allow(until: Int)
}
