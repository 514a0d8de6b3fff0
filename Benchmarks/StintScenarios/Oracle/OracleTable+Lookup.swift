extension OracleTable {
  /// The value of a state between the points.
  func value(_ remaining: Double, _ inHand: Double, phase: Int) -> Double {
    guard remaining >= 0 else { return 0 }
    let (low, share) = row(remaining)
    let (point, part) = Places.locate(inHand, points)
    func at(_ index: Int) -> Double {
      let place = index * points.count + point
      let table = values[phase]
      return part == 0 ? table[place] : table[place] + part * (table[place + 1] - table[place])
    }
    return at(low) * (1 - share) + at(low + 1) * share
  }

  /// The row below and the part of the way to the next one.
  private func row(_ remaining: Double) -> (low: Int, share: Double) {
    let place = min(remaining / step, Double(count))
    let low = min(count - 1, Int(place))
    return (low, place - Double(low))
  }

  /// What a checkpoint is expected to save that is begun now, with all that comes after it; the
  /// distribution itself says whether it fits.
  ///
  /// `age` is the place of the age at which the next chunk was given up; nil if it was not.
  func saving(_ remaining: Double, _ inHand: Double, phase: Int, age: Int? = nil) -> Double {
    guard remaining > 0 else { return 0 }
    let (low, share) = row(remaining)
    func later(_ index: Int) -> Double {
      guard let age else { return after[phase][index] }
      return afterGivingUp[phase][index * chunks[phase].steps.count + age]
    }
    var sure = problem.workload.checkpoint.share(upTo: remaining)
    if problem.survival != nil { sure = durable[low] * (1 - share) + durable[low + 1] * share }
    return inHand * sure + later(low) * (1 - share) + later(low + 1) * share
  }

  /// The place of the last length that is not above an age; nil if all are.
  func place(ofAge age: Double, phase: Int) -> Int? {
    chunks[phase].steps.lastIndex { Double($0) * step <= age + Self.rounding }
  }

  /// What differs by less than a nanosecond is the same.
  private static let rounding = 1e-9

  /// The best way to run a chunk from a state between the points, if it ran so long already, or was
  /// given up before after so much time (`age`).
  ///
  /// - Returns: What is expected, and after how much more time the chunk is to be given up; nil for
  /// never.
  func running(
    _ remaining: Double, _ inHand: Double, phase: Int, elapsed: Double = 0, age: Double = 0
  ) -> (value: Double, giveUpAfter: Double?) {
    let masses = chunks[phase]
    let next = (phase + 1) % chunks.count
    let first = place(ofAge: max(elapsed, age), phase: phase).map { $0 + 1 } ?? 0
    let whole = masses.masses[first...].reduce(0, +)
    let saved =
      inHand > 0
      ? saving(remaining, inHand, phase: phase, age: first > 0 ? first - 1 : nil) : 0
    guard whole > 1e-12 else { return (saved, 0) }
    let now = problem.survival?(remaining) ?? 1
    func sure(_ left: Double) -> Double {
      guard let survival = problem.survival else { return 1 }
      return now > 0 ? survival(left) / now : 0
    }
    var tail = whole
    var sum = 0.0
    var best: (value: Double, giveUpAfter: Double?) = (0, nil)
    if elapsed > 0, saved > 0 { best = (saved * whole, 0) }
    for place in first..<masses.steps.count {
      let time = Double(masses.steps[place]) * step
      let left = remaining + elapsed - time
      if left < 0 { break }
      let sure = sure(left)
      let price = problem.priceOfEnd * (1 - sure)
      sum += masses.masses[place] * (sure * value(left, inHand + time, phase: next) - price)
      tail -= masses.masses[place]
      guard inHand > 0, tail > 1e-12 else { continue }
      let saved = saving(left, inHand, phase: phase, age: place)
      let given = sum + tail * (sure * saved - price)
      if given > best.value { best = (given, time - elapsed) }
    }
    let never = sum - max(0, tail) * problem.priceOfEnd * (1 - sure(0))
    if never >= best.value { best = (never, nil) }
    return (best.value / whole, best.giveUpAfter)
  }
}
