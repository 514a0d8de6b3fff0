import StintCore

/// What a life is made of: the system's numbers, the work, what it costs, and how often it is
/// disturbed.
struct Plan {
  var policy: SystemPolicy
  var work = WorkPolicy()
  var authority = SystemMachine.Authority.local
  /// How the run machine lives that decides about trips; nil for a user who does what he likes.
  var run: RunMachine.Rules?
  /// What the requests are like; nil for a life without.
  var requests: RequestPlan?
  /// The time by which everything else is scaled: the budget, or a minute.
  var scale: Duration
  /// How many units the work has; each depends on all before it.
  var units: Int
  var unitTime: Duration
  var chunkSpread: Double
  /// How often a chunk takes ten times what was predicted.
  var overrunChance: Double
  var checkpointTime: Duration
  var checkpointSpread: Double
  var checkpointBytes: Int
  var deliveryTime: Duration
  var tick: Duration
  /// Timers fire up to so much late.
  var lateness: Duration
  /// A chunk sees the stop flag after so much.
  var flagLatency: Duration
  /// How long a suspended application rests, on average.
  var rest: Duration
  /// The time between two disturbances, on average.
  var disturbance: Duration
  /// The share of checkpoints that a disk fault hits.
  var faultShare: Double
  /// How often the application's own tasks are forgotten.
  var leakShare: Double

  /// After so many events a life is cut short.
  static let mostEvents = 2_500

  init(seed: UInt64) {
    var draw = SplitMix64(seed: seed, part: 1)
    let presets = SystemPolicy.presets
    policy = draw.chance(0.6) ? presets[draw.below(presets.count)] : Self.randomPolicy(&draw)
    scale = policy.grant ?? .seconds(60)
    let lead = min(policy.lead, scale / 4)
    work.chunkTarget = scale / (8 + draw.below(20))
    work.closing = lead / 8
    work.waitsForGivenUpChunk = draw.chance(0.5)
    if draw.chance(0.5) { work.checkpointEvery = scale * draw.scale(0.1, 1) }
    work.stintsWithoutProgress = draw.chance(0.05) ? 3 : 1_000
    work.leastChunkSample = .zero
    authority = draw.chance(0.15) ? .remote : .local
    unitTime = work.chunkTarget * draw.scale(0.1, 1)
    let total = scale * draw.scale(1.2, 4)
    units = max(3, min(900, Int(total.nanoseconds / max(1, unitTime.nanoseconds))))
    chunkSpread = draw.scale(0.01, 0.4)
    overrunChance = draw.chance(0.3) ? 0.02 : 0
    checkpointTime = scale * draw.scale(0.0005, 0.05)
    checkpointSpread = draw.scale(0.01, 0.5)
    checkpointBytes = 1 << (10 + draw.below(18))
    deliveryTime = scale * draw.scale(0.0005, 0.2)
    tick = scale / (5 + draw.below(12))
    lateness = draw.chance(0.5) ? .zero : work.closing / 2
    flagLatency = unitTime * 0.05
    rest = scale * draw.scale(0.05, 2)
    disturbance = scale * draw.scale(0.2, 1.5)
    faultShare = draw.chance(0.3) ? 0.1 : 0
    leakShare = draw.chance(0.2) ? 0.1 : 0
    if policy.name == "random" { policy.suspendsWhenIdle = draw.chance(0.7) }
    // A supervisor's child and one with a daily quota do not choose their trips.
    if authority == .local, policy.dailyQuota == nil, draw.chance(0.65) {
      run = RunMachine.Rules(
        rest: draw.chance(0.7) ? rest : nil, leastTime: policy.leastWorthGranting)
    }
    var requestDraw = SplitMix64(seed: seed, part: 4)
    if run == nil, requestDraw.chance(0.7) {
      requests = RequestPlan(&requestDraw, policy: &policy, scale: scale)
    }
  }

  private static func randomPolicy(_ draw: inout SplitMix64) -> SystemPolicy {
    let grant = Duration.milliseconds(100) * draw.scale(1, 10_000)
    var policy = SystemPolicy(
      name: "random", grant: grant, lead: grant * draw.scale(0.02, 0.5),
      maximumTasks: draw.chance(0.2) ? 1 + draw.below(3) : 1_000)
    policy.enterBackgroundGrace = grant * draw.scale(0.05, 1.5)
    policy.terminationPoint = draw.chance(0.3) ? .handlersReturn : .deadline
    policy.stoppedTime = draw.chance(0.3) ? .running : .elapsed
    if draw.chance(0.2) { policy.dailyQuota = grant * draw.scale(2, 6) }
    if draw.chance(0.3) { policy.heldTooLongNotice = grant * draw.scale(0.1, 1) }
    return policy
  }
}
