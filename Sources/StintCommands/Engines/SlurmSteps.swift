import StintRuntime

extension Slurm {
  /// How long the controller may take: the ranks' time to save is running.
  private static let stepPatience = Duration.seconds(3)

  /// Sends a signal to all ranks that some `srun`s of this host have started; waits for Slurm.
  ///
  /// - Parameters:
  ///   - number: The signal.
  ///   - launchers: The processes of the `srun`s.
  ///   - environment: Of this process, which knows its job and its node.
  /// - Returns: Whether the ranks have it.
  func signal(
    _ number: Int32, toRanksOf launchers: [Int32], environment: [String: String]
  ) -> RankReach {
    var words = ["scontrol", "show", "step", "--oneliner"]
    if let job = environment["SLURM_JOB_ID"], !job.isEmpty { words.append(job) }
    guard case .success(let text) = answer(words, within: Self.stepPatience) else { return .silent }
    let hosts = [StoreIdentity.current().host, environment["SLURMD_NODENAME"] ?? ""]
    let steps = Self.steps(in: text) { host, process in
      launchers.contains(process) && hosts.contains { Self.isSameHost($0, host) }
    }
    guard !steps.isEmpty else { return .noRanks }
    let call = answer(["scancel", "--signal=\(number)"] + steps, within: Self.stepPatience)
    if case .success = call { return .reached }
    return .silent
  }

  /// The steps in what `scontrol show step --oneliner` prints, by the host and the process of the
  /// `srun` that has started them.
  static func steps(in text: String, where isWanted: (Substring, Int32) -> Bool) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      func value(_ name: String) -> Substring? {
        words.first { $0.hasPrefix(name) }?.dropFirst(name.count)
      }
      guard let step = value("StepId="),
        step.allSatisfy({ $0.isASCII && ($0.isNumber || "._+".contains($0)) }),
        let place = value("SrunHost:Pid="), let colon = place.lastIndex(of: ":"),
        let process = Int32(place[place.index(after: colon)...]), isWanted(place[..<colon], process)
      else { return nil }
      return String(step)
    }
  }

  private static func isSameHost(_ one: String, _ other: Substring) -> Bool {
    !one.isEmpty && one.prefix { $0 != "." } == other.prefix { $0 != "." }
  }
}
