extension SystemPolicy {
  /// Background tasks as iOS 4 to 6 granted them: ten minutes, warned 5 s before.
  public static let iOS6: SystemPolicy = {
    var policy = SystemPolicy(name: "ios6", grant: .seconds(600), lead: .seconds(5))
    policy.heldTooLongNotice = .seconds(30)
    return policy
  }()

  /// Background tasks as iOS 7 to 12 granted them: three minutes, warned 5 s before.
  public static let iOS7: SystemPolicy = {
    var policy = SystemPolicy(name: "ios7", grant: .seconds(180), lead: .seconds(5))
    policy.heldTooLongNotice = .seconds(30)
    return policy
  }()

  /// Background tasks as iOS grants them since 13: half a minute, terminated at the handlers'
  /// return.
  public static let iOS13: SystemPolicy = {
    var policy = SystemPolicy(name: "ios13", grant: .seconds(30), lead: .seconds(5))
    policy.terminationPoint = .handlersReturn
    policy.heldTooLongNotice = .seconds(20)
    return policy
  }()

  /// Transient tasks of HarmonyOS: three minutes, warned 6 s before, at most three at a time, ten
  /// minutes a day.
  public static let harmonyOS: SystemPolicy = {
    var policy = SystemPolicy(
      name: "harmonyos", grant: .seconds(180), lead: .seconds(6), maximumTasks: 3)
    policy.dailyQuota = .seconds(600)
    return policy
  }()

  /// The command line's policy before a budget is given: no end, and any number of requests.
  public static let commandLine: SystemPolicy = {
    var policy = SystemPolicy(name: "command-line", grant: nil, lead: .seconds(5))
    policy.mostWaitingRefreshes = nil
    policy.mostWaitingProcessing = nil
    return policy
  }()

  /// No end to the background time, and no grace that ends before it is asked for.
  public static let unlimited = SystemPolicy(name: "unlimited", grant: nil, lead: .seconds(5))

  /// All presets, in the order of the documentation.
  public static let presets: [SystemPolicy] = [
    .iOS6, .iOS7, .iOS13, .harmonyOS, .commandLine, .unlimited,
  ]

  /// Finds a preset by the name that `--policy` takes; capitals and hyphens do not matter.
  ///
  /// - Parameter name: The name as a user wrote it.
  /// - Returns: The preset, or nil if there is none of that name.
  public static func named(_ name: String) -> SystemPolicy? {
    func plain(_ text: String) -> String { text.lowercased().filter { $0 != "-" } }
    return presets.first { plain($0.name) == plain(name) }
  }
}
