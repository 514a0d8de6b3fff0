extension WorkerTable {
  static let paused = section(
    state: .paused,
    situations: [
      (.paused, "no lane is busy"),
      (.pausedLate, "in the background; the pause came to its deadline, both lanes are still busy"),
      (.pausedAsked, "a task was asked for before the pause took effect"),
    ],
    rows: [
      row(
        .granted, in: [.pausedAsked], "end task", "W7", "crossed the pause: nothing needs the task"),
      row(.granted, in: [.paused, .pausedLate], "end task", "W1", unasked),
      row([.denied, .deniedStopping], in: [.paused, .pausedLate], "nothing", "W1", unasked),
      row(
        [.denied, .deniedStopping], in: [.pausedAsked], "remembered", "W7",
        "crossed the pause: the resumption asks anew"),
      row(
        [.timeElapsed, .signalled], in: [.paused, .pausedLate], "nothing", "W7",
        "crossed the pause, which ended the task"),
      row(
        [.timeElapsed, .signalled], in: [.pausedAsked], "remembered", "W7",
        "a grant that comes will be spent"),
      row(
        .enteredBackground, in: [.paused, .pausedAsked], "remembered", "W7",
        "the resumption registers in the background"),
      row(.enteredBackground, in: [.pausedLate], "nothing", "W7", "in the background already"),
      row(.suspended, "nothing", "L5", "its task is ended, which is why"),
      row(.deadlineExtended, "nothing", "E1", "a pause ends by resumption only"),
      row(
        .becameActive, in: [.paused, .pausedAsked], "nothing", "W7",
        "active already; a pause ends by resumption only"),
      row(
        .becameActive, in: [.pausedLate], "remembered", "W7",
        "the resumption registers in the foreground"),
      row(
        [.stopNow, .stopLater], "→ ended (stopped): ended (stopped)", "W11",
        "all is saved that could be"),
      row(.pause, "nothing", "W7", "paused already"),
      row(
        .resume, in: [.paused, .pausedLate], "→ registering: begin task", "W7",
        "goes on from where it stood"),
      row(
        .resume, in: [.pausedAsked], "→ registering", "W7",
        "the answer to the request before is on its way"),
      traps(
        [.chunkFinished, .lastChunkFinished], in: [.paused, .pausedAsked],
        "a chunk finished that was not started"),
      row(
        [.chunkFinished, .lastChunkFinished], in: [.pausedLate], "remembered", "W14",
        "the new state counts in the next stint"),
      traps(.chunkGaveUp, in: [.paused, .pausedAsked], "a chunk gave up that was not started"),
      row(
        .chunkGaveUp, in: [.pausedLate], "remembered", "W14", "the lane is free for the next stint"),
      traps(.chunkFailed, in: [.paused, .pausedAsked], "a chunk failed that was not started"),
      row(
        .chunkFailed, in: [.pausedLate], "→ ended (failed): no wake, ended (failed)", "W14",
        "the error ends the worker"),
      row(.progressKept, "nothing", "W13", "too late for its stint"),
      row(.stoodStill, in: [.pausedLate], "remembered", "W10", "what runs took no longer for it"),
      row(.stoodStill, in: [.paused, .pausedAsked], "nothing", "W10", "nothing runs"),
      traps(.saved, in: [.paused, .pausedAsked], "a checkpoint was saved that was not asked for"),
      row(.saved, in: [.pausedLate], "remembered", "W4", "late, but durable: it counts"),
      traps(
        .saveFailed, in: [.paused, .pausedAsked], "a checkpoint failed that was not asked for"),
      row(
        .saveFailed, in: [.pausedLate], "notice (save failed)", "C4", "the generation before stands"
      ),
      row(.timePassed, "nothing", "W6", "an instant of the stint before"),
    ])
}
