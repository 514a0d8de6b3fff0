import StintCore

/// One life told in full, for whoever wants to see what happened.
package struct LifeHistory: Sendable {
  /// The seed of the life.
  package let seed: UInt64
  /// One line for each event and each action; the same for the same seed, to the byte.
  package let lines: [String]
  /// What came of it.
  package let report: LifeReport
  /// The disturbances that were left out to make it short.
  package let leftOut: Set<Int>

  /// Lives a life once more and keeps what happens.
  ///
  /// - Parameters:
  ///   - seed: The seed of the life.
  ///   - plant: A planted fault.
  ///   - leftOut: Disturbances that do not happen.
  package init(seed: UInt64, plant: PlantedFault? = nil, leavingOut leftOut: Set<Int> = []) {
    let life = Life(seed: seed, plant: plant, suppressed: leftOut, isRecording: true)
    report = life.run()
    lines = life.history
    self.seed = seed
    self.leftOut = leftOut
  }

  /// The shortest history that still breaks the same invariant.
  ///
  /// Each disturbance is drawn from a seed of its own, so any of them can be left out. They are, by
  /// delta debugging, as long as the violation stays.
  ///
  /// - Parameters:
  ///   - seed: The seed of a life that breaks an invariant.
  ///   - plant: A planted fault.
  /// - Returns: The history, or nil if the life breaks none.
  package static func shortest(seed: UInt64, plant: PlantedFault? = nil) -> LifeHistory? {
    let whole = Life(seed: seed, plant: plant)
    guard let violation = whole.run().violation else { return nil }
    let all = Set(0..<whole.disturbances)
    let needed = Array(0..<whole.disturbances).shrunk { present in
      let tried = Life(seed: seed, plant: plant, suppressed: all.subtracting(present))
      return tried.run().violation?.invariant == violation.invariant
    }
    return LifeHistory(seed: seed, plant: plant, leavingOut: all.subtracting(needed))
  }
}
