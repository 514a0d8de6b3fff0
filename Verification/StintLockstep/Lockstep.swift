import StintCore

/// Drives the system machine and the model of the contract together through a random history.
///
/// - Parameters:
///   - seed: Decides the policy and every event.
///   - steps: How many events at most.
///   - plant: A fault that is to be found, for proving that it is.
/// - Throws: ``LockstepFailure`` with the shortest history in which the two still differ.
package func lockstep(
  seed: UInt64, steps: Int, plant: Plant? = nil
) throws(LockstepFailure<LockstepSetup, LockstepEvent>) {
  if let failure = LockstepPair.failure(seed: seed, steps: steps, plant: plant) { throw failure }
}

/// Drives the schedule machine and the model of the schedule together through a random history.
///
/// - Parameters:
///   - seed: Decides the policy and every event.
///   - steps: How many events at most.
///   - plant: A fault that is to be found, for proving that it is.
/// - Throws: ``LockstepFailure`` with the shortest history in which the two still differ.
package func scheduleLockstep(
  seed: UInt64, steps: Int, plant: SchedulePlant? = nil
) throws(LockstepFailure<ScheduleSetup, ScheduleEvent>) {
  if let failure = SchedulePair.failure(seed: seed, steps: steps, plant: plant) { throw failure }
}
