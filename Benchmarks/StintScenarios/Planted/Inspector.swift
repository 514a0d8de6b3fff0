import StintReport

/// Finds what a worker did wrong in a trip from what was seen of it, and from nothing else.
package enum Inspector {
  /// Amounts that differ by less than this share are the same: they may have gone through decimal
  /// text.
  private static let slack = 1e-6
  /// So much of the lead has to be left for what is not as it should be to count as a fault and not
  /// as late.
  private static let leadShare = 0.1

  /// Looks at one trip.
  package static func findings(_ seen: Observation) -> [Finding] {
    guard seen.end != .denied else { return [] }
    let early = earlyReturn(seen)
    return [
      early, openTask(seen), lyingCheckpoint(seen),
      // What an early return leaves behind was done, and only not saved.
      early == nil ? lyingProgress(seen) : nil,
    ].compactMap { $0 }
  }

  private static func finding(
    _ fault: WorkerFault, _ seen: Observation, _ sentence: String
  ) -> Finding {
    Finding(fault: fault, trips: 1, firstTrip: seen.trip, sentence: sentence)
  }

  // MARK: The ledger

  /// A save that was under way when the handler returned or the last task was ended.
  private static func earlyReturn(_ seen: Observation) -> Finding? {
    guard let warned = seen.warnedAt, let returned = returned(seen, after: warned) else {
      return nil
    }
    let begun = seen.sightings.last { $0.at <= returned.at && $0.event == .savingBegan }
    // A periodic save is nobody's answer to the warning, unless the task was ended on top of it.
    guard let begun, begun.at >= warned || seen.first(from: warned, where: \.isEndOfTask) != nil
    else { return nil }
    let isDone = seen.sightings.contains {
      $0.event.isSaved && $0.at >= begun.at && $0.at <= returned.at
    }
    // Where all that was told is durable already, there was nothing left to be saved.
    if let told = seen.amounts(\.reportedAmount).last(where: { $0.at <= returned.at }),
      told.amount <= durable(seen, at: begun.at) * (1 + slack)
    {
      return nil
    }
    // Who lets go at the deadline was too slow.
    if isDone || !isLongBefore(returned.at, seen, warned: warned) { return nil }
    let later = seen.amounts(\.durableAmount).first { $0.at > returned.at }
    let fate = later.map { "was durable only at \(seconds($0.at))" } ?? "never became durable"
    return finding(
      .earlyReturn, seen,
      "trip \(seen.trip): \(returned.what) at \(seconds(returned.at)), while the save that was begun "
        + "at \(seconds(begun.at)) was under way; it \(fate).")
  }

  private static func durable(_ seen: Observation, at instant: Nanoseconds) -> Double {
    seen.amounts(\.durableAmount).filter { $0.at <= instant }.map(\.amount).max()
      ?? seen.durableAtStart
  }

  /// When all handlers had returned, or else the last task was ended.
  private static func returned(
    _ seen: Observation, after warned: Nanoseconds
  ) -> (at: Nanoseconds, what: String)? {
    let calls = seen.sightings.count { $0.event == .warned }
    let returns = seen.sightings.count { $0.event == .handlerReturned }
    if returns == calls, let at = seen.last(where: { $0 == .handlerReturned }) {
      return (at, "the expiration handler returned")
    }
    guard seen.openTasks.isEmpty else { return nil }
    guard let ended = seen.last(where: \.isEndOfTask), ended >= warned else { return nil }
    return (ended, "the task was ended")
  }

  /// A task that was open when the process was killed at its deadline: forgotten, or the warning
  /// was not heeded.
  private static func openTask(_ seen: Observation) -> Finding? {
    guard seen.end == .killed, let warned = seen.warnedAt, warned < seen.deadline,
      let name = seen.openTasks.first
    else { return nil }
    let lastWork = seen.amounts(\.reportedAmount).last?.at
    guard let response = response(seen, after: warned), (lastWork ?? .min) <= response else {
      // Somebody who was saving until the end heard the warning and was too slow.
      if let begun = seen.first(from: warned, where: { $0 == .savingBegan }),
        (lastWork ?? .min) <= begun
      {
        return nil
      }
      return finding(
        .ignoredWarning, seen,
        "trip \(seen.trip): warned at \(seconds(warned)), it neither saved nor ended \"\(name)\", and "
          + "was killed at \(seconds(seen.endedAt)).")
    }
    guard isLongBefore(response, seen, warned: warned) else { return nil }
    return finding(
      .leakedTask, seen,
      "trip \(seen.trip): \"\(name)\" was begun and never ended; the work was at its end at "
        + "\(seconds(response)), and the process was killed at \(seconds(seen.endedAt)).")
  }

  /// When the worker last did what a warning asks for.
  ///
  /// A save that was under way when the warning came is nobody's answer to it, however late it is
  /// durable on a busy machine. A claim that the disk does not bear out is no answer either.
  private static func response(_ seen: Observation, after warned: Nanoseconds) -> Nanoseconds? {
    seen.sightings.last { sighting in
      guard sighting.at >= warned else { return false }
      if let claim = sighting.event.claimedAmount,
        shortfall(of: claim, at: sighting.at, seen) != nil
      {
        return false
      }
      let begun = seen.sightings.last { $0.at <= sighting.at && $0.event == .savingBegan }
      return sighting.event.isEndOfTask
        || sighting.event.isSaved && begun.map { $0.at >= warned } ?? true
    }?.at
  }

  /// Whether there was time left at an instant.
  private static func isLongBefore(
    _ instant: Nanoseconds, _ seen: Observation, warned: Nanoseconds
  ) -> Bool {
    Double(seen.deadline - instant) > Double(seen.deadline - warned) * leadShare
  }

  // MARK: The worker's words

  /// A claim that the disk does not bear out.
  private static func lyingCheckpoint(_ seen: Observation) -> Finding? {
    for claim in seen.amounts(\.claimedAmount) {
      if let shortfall = shortfall(of: claim.amount, at: claim.at, seen) {
        return finding(
          .lyingCheckpoint, seen,
          "trip \(seen.trip): at \(seconds(claim.at)) it said that \(amount(claim.amount)) of work are "
            + "saved, and \(shortfall) there.")
      }
    }
    return nil
  }

  /// How much of the work that was said to be saved at an instant is on the disk; nil if all of it
  /// is.
  private static func shortfall(
    of claim: Double, at instant: Nanoseconds, _ seen: Observation
  ) -> String? {
    let least = claim * (1 - slack)
    if seen.durableAtEnd < least { return "\(amount(seen.durableAtEnd)) are" }
    let there = durable(seen, at: instant)
    return seen.knowsDurableInstants && there < least ? "\(amount(there)) were" : nil
  }

  /// A report of more than can have been done, or more than a later checkpoint holds.
  private static func lyingProgress(_ seen: Observation) -> Finding? {
    let durable = seen.amounts(\.durableAmount)
    let claimed = seen.amounts(\.claimedAmount).map(\.amount).max() ?? 0
    for report in seen.amounts(\.reportedAmount) where report.amount > seen.durableAtStart {
      let told = "trip \(seen.trip): at \(seconds(report.at)) it reported \(amount(report.amount))"
      if let rate = seen.mostPerSecond {
        let most = seen.durableAtStart + rate * report.at.seconds
        if report.amount > most * (1 + slack) {
          return finding(
            .lyingProgress, seen, told + ", and at most \(amount(most)) can have been done.")
        }
      }
      let later = durable.filter { $0.at >= report.at }
      // A save that was under way at the report holds less, and honestly so; the one after it began
      // later.
      let proof = seen.end == .inOrder ? later.last : later.dropFirst().first
      // A claim that covers the report is what is wrong, if anything is.
      if let proof, proof.amount < report.amount * (1 - slack),
        claimed < report.amount * (1 - slack)
      {
        return finding(
          .lyingProgress, seen,
          told + ", and the checkpoint of \(seconds(proof.at)) holds \(amount(proof.amount)).")
      }
    }
    return nil
  }

  // MARK: Words

  private static func seconds(_ instant: Nanoseconds) -> String {
    NumberText.fixed(instant.seconds, decimals: 3) + " s"
  }

  private static func amount(_ amount: Double) -> String { NumberText.fixed(amount, decimals: 3) }
}

extension Sighting.Event {
  var durableAmount: Double? {
    if case .durable(let amount) = self { amount } else { nil }
  }
  var claimedAmount: Double? {
    if case .saidSaved(let amount) = self { amount } else { nil }
  }
  var reportedAmount: Double? {
    if case .reported(let amount) = self { amount } else { nil }
  }
  /// Whether work was saved, or said to be.
  var isSaved: Bool { durableAmount != nil || claimedAmount != nil }
  var isEndOfTask: Bool {
    if case .taskEnded = self { true } else { false }
  }
}
