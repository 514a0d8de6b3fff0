/// Everything that has happened, and nothing else: all questions are answered by walking it.
struct ModelHistory: Sendable {
  /// One thing that happened; `order` counts over the whole history, so that facts of one instant
  /// have an order too.
  struct Fact<What: Sendable>: Sendable {
    let order: Int
    let at: Int
    let what: What
  }

  /// What happened to the application.
  enum Life: Sendable {
    case launchedIntoForeground, launchedIntoBackground
    case resigned, foregroundEntered, becameActive
    case backgroundEntered(since: Int, grant: Int?, isLimited: Bool)
    /// The program had nothing more to do in the trip.
    case idled
    /// didEnterBackground of the current trip returned.
    case enterReturned
    case suspended, resumed
    /// The system began a task in a suspended application, with so much time (Q9).
    case woken(allowance: Int)
    /// The system allows a task more time in the present trip (Q9).
    case timeAllowed(to: Int)
    /// The process or the machine stood still for so long.
    case stoodStill(Int)
    case revoked(ModelReason)
    /// The authority in another process expired the tasks of the trip.
    case expiredByAuthority(ModelReason, end: Int)
    /// The trip ends at another instant; whether anybody had been told of the former end.
    case endMoved(to: Int, ModelReason, wasTold: Bool)
    /// An expiry is not under way any more, because there is time again.
    case expiryWithdrawn
    case stopRequested(ModelReason, end: Int)
    case stopCompleted
    /// The expiry of the trip (or of a stop) was announced.
    case expired(ModelReason)
    case saidUnserved
    /// Code was told that memory is short.
    case memoryWarned
    /// A mode is in use (B5); its uses count from 1.
    case modeBegan(ModelMode)
    case modeEnded(ModelMode)
    /// The process ended, or would have been ended.
    case gone
    /// Its end was only reported: it lives on, suspended.
    case reported
  }

  /// What happened to a task.
  enum Task: Sendable {
    case granted
    case denied(ModelDenial)
    /// Its handler was called on the main queue; calls are numbered over the whole history.
    case called(Int)
    /// The main queue came to the call.
    case claimed
    case returned
    /// The expiry was handed to its owner.
    case handed
    /// It was ended at this place.
    case ended(Int)
    case saidOverran, saidLeftOpen, saidHeldTooLong
  }

  /// A task from its beginning on.
  struct Story: Sendable {
    let id: Int
    let name: String
    let place: Int
    let delivery: ModelDelivery
    let began: Int
    /// Whether the system began it.
    let isSystems: Bool
    var facts: [Fact<Task>] = []
  }

  var life: [Fact<Life>] = []
  var stories: [Story] = []
  private(set) var count = 0

  /// The place where the system itself ends tasks.
  static let systemPlace = 0

  /// Notes what happened to the application.
  mutating func note(_ what: Life, at now: Int) {
    count += 1
    life.append(Fact(order: count, at: now, what: what))
  }

  /// Notes what happened to a task; identifiers count from 1 in the order of creation (A1).
  mutating func note(_ what: Task, of id: Int, at now: Int) {
    count += 1
    stories[id - 1].facts.append(Fact(order: count, at: now, what: what))
  }

  /// How many handlers have been called so far.
  var calls: Int {
    var calls = 0
    for story in stories {
      for fact in story.facts {
        if case .called = fact.what { calls += 1 }
      }
    }
    return calls
  }
}
