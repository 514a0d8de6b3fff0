import Dispatch
package import StintCore

/// Keeps what of a program's requests outlives its process (Q6).
package protocol ScheduleKeeper: AnyObject, Sendable {
  /// Takes what is kept for this process alone, until it ends.
  ///
  /// - Parameter isMade: Whether a place is made for it where there is none.
  /// - Returns: What was kept.
  /// - Throws: ``StintError``: `io`, `damaged`.
  func take(making isMade: Bool) throws(StintError) -> KeptSchedule
  /// Keeps a record in the place of the one before, durably; only for who has taken it.
  ///
  /// - Throws: ``StintError`` with the code `io`; what was kept before is kept still.
  func keep(_ record: ScheduleRecord) throws(StintError)
  /// Calls back, on any thread, when somebody simulates something for this program (Q8).
  func listen(_ hear: @escaping @Sendable (ScheduleSimulation) -> Void)
}

/// What a keeper has.
package enum KeptSchedule: Hashable, Sendable {
  /// Nothing is kept, and there is no place for it.
  case absent
  /// Another process of the program has it.
  case held
  /// This process has it now.
  case taken(ScheduleRecord)
}

/// What somebody simulates for a program from outside (Q8); without an identifier, for the one that
/// there is.
package enum ScheduleSimulation: Hashable, Sendable {
  case launch(String?)
  case expiry(String?)
  case lossOfRequirement(String?)
  case fetch
}

/// Writes down what changes in a schedule, one change after another.
///
/// Who has changed something waits until it is durable, and so for what others had changed before.
final class ScheduleKeeping: @unchecked Sendable {
  /// What came of writing.
  enum Outcome {
    case done
    /// An earlier process had left this; it has to be taken in before anything is written.
    case found(ScheduleRecord)
    case failed(StintError)
  }

  let keeper: any ScheduleKeeper
  /// Unchecked: what follows is used on this queue only.
  private let queue = DispatchQueue(label: "stint-requests")
  private var isTaken = false
  private var written = ScheduleRecord()
  /// The number of the change up to which all is written.
  private var writtenChange = 0
  /// Whether the owner of the program was told of a failure, and nothing went well since.
  private var isTold = false
  /// Whether another process has the place, and is asked for it again soon.
  private var isAsking = false

  init(_ keeper: any ScheduleKeeper) {
    self.keeper = keeper
  }

  /// Takes what an earlier process left.
  func take() -> Result<KeptSchedule, StintError> {
    queue.sync {
      do throws(StintError) {
        guard !isTaken else { return .success(.absent) }
        let kept = try keeper.take(making: false)
        if case .taken(let record) = kept { (isTaken, written) = (true, record) }
        isAsking = kept == .held
        return .success(kept)
      } catch {
        isTold = true
        return .failure(error)
      }
    }
  }

  /// Asks for the place no more, until something changes; whether the owner of the program is to be
  /// told.
  func stopAsking() -> Bool {
    queue.sync {
      isAsking = false
      return !exchange(&isTold, with: true)
    }
  }

  /// Writes what has changed.
  ///
  /// - Parameter read: Says what there is, and the number of its last change.
  /// - Returns: What came of it.
  func write(_ read: () -> (record: ScheduleRecord, change: Int)) -> Outcome {
    queue.sync {
      let (record, change) = read()
      guard change != writtenChange else { return .done }
      guard record != written, isTaken || !record.isEmpty else {
        writtenChange = change
        return .done
      }
      do throws(StintError) {
        if !isTaken, let found = try takeLate() { return .found(found) }
        try keeper.keep(record)
        (written, writtenChange, isTold) = (record, change, false)
        return .done
      } catch {
        if isAsking, error == Self.held { return .done }
        return exchange(&isTold, with: true) ? .done : .failed(error)
      }
    }
  }

  /// Takes the place now that there is something to keep; what another process has left there
  /// meanwhile.
  private func takeLate() throws(StintError) -> ScheduleRecord? {
    guard case .taken(let record) = try keeper.take(making: true) else { throw Self.held }
    (isTaken, written) = (true, record)
    return record == ScheduleRecord() ? nil : record
  }

  static let held = StintError(
    .busy, "another process of this program has the place where they are kept.")
}
