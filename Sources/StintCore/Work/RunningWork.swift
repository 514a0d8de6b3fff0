/// What runs for a worker: a chunk or the result on one lane, a checkpoint on the other (W14).
struct RunningWork: Hashable, Sendable {
  /// The chunk on the compute lane.
  struct Chunk: Hashable, Sendable {
    var startedAt: Instant
    var cost: Double
    /// How long before the end it is given up, if the fit test says more than the quantile of a
    /// checkpoint does.
    var reserve: Duration?
    fileprivate(set) var isGivenUp = false
  }

  /// The checkpoint on the save lane.
  struct Save: Hashable, Sendable {
    /// The index of the state that is being saved.
    var state: Int
    var startedAt: Instant
    var predicted: Duration
    var bytes: Int
    var workTime: Duration
    var progress: WorkProgress
  }

  /// The result on its way to where it belongs, on the compute lane.
  enum Delivery: Hashable, Sendable {
    case none
    /// Outlives the stint that began it, if that is cut.
    case running
    /// The result is durable under its final name.
    case done
  }

  private(set) var chunk: Chunk?
  private(set) var save: Save?
  private(set) var delivery = Delivery.none

  mutating func chunkBegan(_ chunk: Chunk) { self.chunk = chunk }

  /// What runs takes no longer for a standstill of the process.
  mutating func stoodStill(for length: Duration) {
    if let began = chunk?.startedAt { chunk?.startedAt = began.advanced(by: length) }
    if let began = save?.startedAt { save?.startedAt = began.advanced(by: length) }
  }

  mutating func chunkGivenUp() { chunk?.isGivenUp = true }

  @discardableResult
  mutating func chunkEnded(_ how: StaticString) -> Chunk {
    guard let chunk = chunk.take() else {
      preconditionFailure("a chunk \(how) that was not started")
    }
    return chunk
  }

  mutating func saveBegan(_ save: Save) { self.save = save }

  mutating func saveEnded(_ how: StaticString) -> Save {
    guard let save = save.take() else {
      preconditionFailure("a checkpoint \(how) that was not asked for")
    }
    return save
  }

  mutating func deliveryBegan() { delivery = .running }

  mutating func deliveryEnded(isDurable: Bool) {
    precondition(
      delivery == .running,
      "\(isDurable ? "a result was delivered" : "a delivery failed") that was not asked for")
    delivery = isDurable ? .done : .none
  }
}
