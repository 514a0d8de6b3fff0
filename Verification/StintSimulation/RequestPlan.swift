import StintCore

/// What the requests of a life are like.
struct RequestPlan {
  /// The time between two things that happen to requests, on average.
  var between: Duration
  /// How often a handler never completes its task.
  var forgets: Double
  /// How often a processing task works for the worker of the life.
  var worker: Double
  /// How long a handler takes to be called, at most.
  var queue: Duration
  var fetches: FetchInterval

  /// Requests for a life that follows no run machine, and numbers of a random policy for them.
  init(_ draw: inout SplitMix64, policy: inout SystemPolicy, scale: Duration) {
    between = scale * draw.scale(0.1, 1)
    forgets = draw.chance(0.3) ? 0.05 : 0
    worker = draw.unit()
    queue = policy.lead * draw.scale(0.001, 0.5)
    fetches = draw.chance(0.5) ? .minimum : .never
    guard policy.name == "random" else { return }
    policy.fetchAllowance = policy.lead * draw.scale(1.2, 20)
    policy.processingAllowance = policy.lead * draw.scale(1.2, 60)
    policy.continuedAllowance = policy.lead * draw.scale(1.2, 20)
    policy.leastBetweenBegins = scale * draw.scale(0.001, 0.1)
    policy.requirementLossAllowance = policy.lead * draw.scale(0.1, 3)
    policy.minimumFetchInterval = scale * draw.scale(0.1, 3)
  }
}
