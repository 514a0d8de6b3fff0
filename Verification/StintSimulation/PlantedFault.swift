/// A fault that is planted between the machines and the world, to prove that the invariants can see
/// it.
package enum PlantedFault: String, CaseIterable, Sendable {
  /// The order to arm the hard stop is lost.
  case hardStopIsLost
  /// A handler's call comes twice.
  case handlerComesTwice
  /// A handler is called although its task was ended.
  case handlerComesAfterEnd
  /// The expiry never reaches the owners.
  case expiryIsLost
  /// Chunks go on although the application is suspended.
  case chunksGoOnWhileSuspended
  /// Ticks go on although the application is suspended.
  case ticksGoOnWhileSuspended
  /// The request that follows becoming active is lost.
  case registrationIsLost
  /// The worker asks for two tasks.
  case registersTwice
  /// A checkpoint counts as soon as its bytes were written.
  case savedBeforeItIsDurable
  /// The checkpoint's bytes are not synchronized.
  case bytesAreNotSynchronized
  /// The folder is not synchronized after the rename.
  case folderIsNotSynchronized
  /// A restart counts on a generation whose name a killed process had not made durable.
  case restoreDoesNotSynchronize
  /// The generation before goes before the new one has its name.
  case prunesTooEarly
  /// A restart takes the oldest generation.
  case restoresTheOldest
  /// Damage is not detected.
  case damageIsNotSeen
  /// The report counts the running chunk as done.
  case progressRunsAhead
  /// A checkpoint is made of a state that a chunk is still changing (W14).
  case savesAHalfDoneChunk
  /// A chunk after a restart starts one unit too far on.
  case skipsAUnit
  /// The end of a stint forgets what was lost.
  case lossIsNotTold
  /// The worker does not end its task.
  case taskIsNotEnded
  /// Two tasks get twice the time (A9).
  case remainingIsDoubled
  /// Nobody is told that the end came nearer after an expiry.
  case nearerDeadlineIsNotTold
  /// The worker is not woken when it asked to be.
  case wakeIsLost
  /// The system grants less grace than it should.
  case graceIsShorter
  /// The program says that it has nothing more to do, and then works.
  case idlesTooEarly
  /// The run machine hears of nothing after its beginning.
  case runIsNotTold

  /// The schedule takes the wall clock for later than it is.
  case requestsBeginEarly
  /// Nobody tells the schedule what the machine lacks.
  case conditionsAreNotTold
  /// The schedule is not woken when it asked to be.
  case scheduleWakeIsLost
  /// The handler of a task is called twice.
  case handlersRunTwice
  /// The schedule does not hear that a task is completed.
  case completionIsLost
  /// The expiration handler of a task is not called.
  case runIsNotWarned
  /// The schedule does not hear that the system denied a task.
  case denialIsNotTold
  /// The system grants a task twice its time.
  case taskGetsTwiceTheTime
  /// The system knows of no daily quota.
  case quotaIsForgotten

  /// The invariants of which at least one must be seen broken.
  package var breaks: Set<Invariant> {
    switch self {
    case .hardStopIsLost: [.noTaskPastItsDeadline]
    case .handlerComesTwice, .handlerComesAfterEnd: [.handlerOnce]
    case .expiryIsLost: [.handlerInTime]
    case .chunksGoOnWhileSuspended, .ticksGoOnWhileSuspended: [.suspendedDoesNothing]
    case .registrationIsLost, .registersTwice: [.registersOnce]
    case .savedBeforeItIsDurable, .bytesAreNotSynchronized, .folderIsNotSynchronized,
      .restoreDoesNotSynchronize:
      [.savedSurvives]
    case .prunesTooEarly: [.savedSurvives, .newestIsFound]
    case .restoresTheOldest: [.newestIsFound]
    case .damageIsNotSeen: [.newestIsFound, .sameResult]
    case .progressRunsAhead: [.progressIsTrue]
    case .savesAHalfDoneChunk, .skipsAUnit: [.sameResult]
    case .lossIsNotTold: [.accounted]
    case .taskIsNotEnded, .nearerDeadlineIsNotTold: [.endsInTime]
    case .remainingIsDoubled: [.remainingIsTrue]
    case .graceIsShorter, .idlesTooEarly: [.tripLasts]
    case .runIsNotTold: [.suspensionIsFollowedUp]
    case .wakeIsLost: [.endsInTime, .neverStuck]
    case .requestsBeginEarly, .conditionsAreNotTold: [.beginsWhenDue]
    case .scheduleWakeIsLost, .denialIsNotTold: [.waitHasReason]
    case .handlersRunTwice: [.beginsOnce]
    case .completionIsLost: [.runEndsOnce, .waitHasReason]
    case .runIsNotWarned: [.runIsWarned]
    case .taskGetsTwiceTheTime: [.remainingIsTrue]
    case .quotaIsForgotten: [.remainingIsTrue, .tripWithinLimits]
    }
  }
}
