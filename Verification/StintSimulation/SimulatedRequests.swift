import StintCore

/// What the world itself knows of the requests of a process and of what they led to.
struct SimulatedRequests {
  /// A request that waits.
  struct Waiting {
    var request: TaskRequest
    /// How often in a row the system denied it, and up to when it is not asked again.
    var denials = 0
    var retry: Instant?
  }

  /// A task that the system was asked for.
  struct Run {
    let number: Int
    let request: TaskRequest
    let began: Instant
    /// What counted as the last begin before.
    let formerBegin: Instant?
    let denials: Int
    var task: BackgroundTaskIdentifier?
    var launches = 0
    var isWarned = false
    /// Whether another process denied its task after its handler was called.
    var isDenied = false
    /// Whether its request was replaced or taken back since.
    var isForgotten = false
    /// Whether the process or the machine stood still since.
    var sawStandstill = false
    var endsAt = Instant.distantFuture
    var neverCompletes = false
    /// Whether the worker of the life works in it.
    var isWorkers = false
    var fraction = 0.0
  }

  var waiting: [Waiting] = []
  var runs: [Run] = []
  var lastBegan: [String: Instant] = [:]
  var lastFetch: WallInstant?
  /// The runs whose handlers are to be called, in order.
  var launches: [Int] = []
  var ended: Set<BackgroundTaskIdentifier> = []
  /// The wake-up that the machine asked for last.
  var asked = Instant.distantFuture
  /// Whether the machine has heard of anything since this was last checked.
  var isChanged = false
  /// A run that was not completed in its time, after which no process lives on.
  var failed: Int?

  func run(_ number: Int) -> Int? { runs.firstIndex { $0.number == number } }

  func isWaiting(_ identifier: String) -> Bool {
    waiting.contains { $0.request.identifier == identifier }
  }

  /// A request is replaced or taken back: what it has led to leaves it waiting no more.
  mutating func forget(_ identifier: String) {
    waiting.removeAll { $0.request.identifier == identifier }
    for index in runs.indices where runs[index].request.identifier == identifier {
      runs[index].isForgotten = true
    }
  }
}
