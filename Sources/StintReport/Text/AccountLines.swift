import StintCore

extension LifeFigures {
  /// The figures of a life as names and sentences, the same in the terminal and on the page.
  package var lines: [(name: String, text: String)] {
    guard stints > 0 else { return [("stints", "none has begun")] }
    var lines = [("stints", Self.list(endings))]
    if countsWork {
      lines += [("saved", savedText), ("lost", lostText), ("checkpoints", checkpointText)]
    }
    if failedCheckpoints > 0 {
      lines.append(
        (
          "failed",
          "\(NumberText.count(failedCheckpoints, "checkpoint")) could not be written; the one before stood"
        ))
    }
    lines.append(("expiries", expiries.isEmpty ? "none" : Self.list(expiries)))
    if overruns > 0 {
      lines.append(
        (
          "overruns",
          "\(NumberText.count(overruns, "stint")) seen past the deadline, by \(longestOvershoot.compactText) at most"
        ))
    }
    return lines
  }

  private var savedText: String {
    guard let savedShare else { return "\(saved.compactText) of work" }
    return "\(NumberText.percent(savedShare)) of the time that was granted: "
      + "\(saved.compactText) of \(granted.compactText)"
  }

  private var lostText: String {
    var parts: [String] = []
    if lost > .zero {
      parts.append("\(lost.compactText) in \(NumberText.count(stintsThatLost, "stint"))")
    }
    if stintsUntold > 0 {
      let stints = NumberText.count(stintsUntold, "stint")
      parts.append(
        untold > .zero
          ? "at least \(untold.compactText) in \(stints) that did not say"
          : "\(stints) did not say")
    }
    return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
  }

  private var checkpointText: String {
    guard checkpoints > 0 else { return "none" }
    var text = NumberText.grouped(checkpoints)
    if checkpointBytes > 0 { text += ", \(NumberText.grouped(checkpointBytes)) bytes" }
    guard let median = cost(quantile: 0.5), let longest = costs.last else {
      return text + "; what they cost is not known"
    }
    text += "; \(cost.compactText) in all, \(median.compactText) each (median), "
    return text + "\(longest.compactText) at most"
  }

  private static func list(_ counts: [Count]) -> String {
    let sum = NumberText.grouped(counts.reduce(0) { $0 + $1.count })
    guard counts.count > 1 else { return "\(sum): \(counts.first?.words ?? "")" }
    return "\(sum): "
      + counts.map { "\(NumberText.grouped($0.count)) \($0.words)" }.joined(separator: "; ")
  }
}
