extension WorkerTable {
  static let idle = section(
    state: .idle,
    situations: [
      (.idle, "created, the state not yet loaded")
    ],
    rows: [
      row(
        .started, "→ registering: begin task", "W1", "the task is asked for before the first chunk"),
      row(.granted, "end task", "W1", unasked),
      row([.denied, .deniedStopping], "nothing", "W1", unasked),
      row(
        [.timeElapsed, .signalled], "nothing", "W5",
        "no task, so there is nothing that could expire"),
      row(.enteredBackground, "remembered", "W1", "what start says of the foreground counts"),
      row(.suspended, "nothing", "L5", "nothing of the worker runs yet"),
      row(.deadlineExtended, "nothing", "E1", "nothing of the worker runs yet"),
      row(.becameActive, "nothing", "W5", "became active before the start, which registers"),
      row([.stopNow, .stopLater], "remembered", "W11", "the answer to the registration ends it"),
      row(.pause, "remembered", "W7", "the answer to the registration takes it up"),
      traps([.chunkFinished, .lastChunkFinished], "a chunk finished that was not started"),
      traps(.chunkGaveUp, "a chunk gave up that was not started"),
      traps(.chunkFailed, "a chunk failed that was not started"),
      row(.progressKept, "nothing", "W13", "no chunk runs that could have kept anything"),
      row(.stoodStill, "nothing", "W10", "nothing runs"),
      traps(.saved, "a checkpoint was saved that was not asked for"),
      traps(.saveFailed, "a checkpoint failed that was not asked for"),
      row(.timePassed, "nothing", "W6", "no instant was asked for"),
    ])
}
