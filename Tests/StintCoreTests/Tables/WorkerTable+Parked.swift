extension WorkerTable {
  /// Those in which no answer is on its way.
  private static let withoutRequest: [Situation] = [
    .parked, .parkedLate, .parkedDelivering, .parkedDelivery,
  ]

  static let parked = section(
    state: .parked,
    situations: [
      (.parked, "no lane is busy"),
      (.parkedLate, "the stint was cut; both lanes are still busy"),
      (
        .parkedDelivering,
        "the stint was cut; the delivery and the checkpoint are still on their way"
      ),
      (.parkedDelivery, "the stint was cut; the delivery is still on its way"),
      (.parkedAsked, "a task was asked for before the stint ended"),
    ],
    rows: [
      row(
        .granted, in: [.parkedAsked], "end task", "W5",
        "crossed the end of the stint: nothing needs the task"),
      row(.granted, in: withoutRequest, "end task", "W1", unasked),
      row([.denied, .deniedStopping], in: withoutRequest, "nothing", "W1", unasked),
      row(
        [.denied, .deniedStopping], in: [.parkedAsked], "remembered", "W5",
        "crossed the end of the stint: the next activation asks anew"),
      row(
        .timeElapsed, in: withoutRequest, "nothing", "W5",
        "crossed the end of the stint, which ended the task"),
      row(.timeElapsed, in: [.parkedAsked], "remembered", "W5", "a grant that comes will be spent"),
      row(
        .signalled, in: withoutRequest, "nothing", "W5",
        "crossed the end of the stint; the next request is denied while the system stops"),
      row(
        .signalled, in: [.parkedAsked], "remembered", "W5",
        "the stop is not kept: the next request is denied while the system stops"),
      row(
        .enteredBackground, "nothing", "W5", "left for the background without having become active"),
      row(.suspended, "nothing", "L5", "its task is ended, which is why"),
      row(
        .deadlineExtended, in: withoutRequest, "→ registering: begin task", "E1",
        "others hold the application: the next stint"),
      row(
        .deadlineExtended, in: [.parkedAsked], "→ registering", "E1",
        "asked already: the next stint begins with the answer"),
      row(.becameActive, in: withoutRequest, "→ registering: begin task", "W5", "the next stint"),
      row(
        .becameActive, in: [.parkedAsked], "→ registering", "W5",
        "the answer to the request before is on its way"),
      row(
        [.stopNow, .stopLater], "→ ended (stopped): ended (stopped)", "W11",
        "all is saved that could be"),
      row(.pause, "→ paused", "W7", "the next activation does not register"),
      traps(
        [.chunkFinished, .lastChunkFinished],
        in: [.parked, .parkedDelivering, .parkedDelivery, .parkedAsked],
        "a chunk finished that was not started"),
      row(
        [.chunkFinished, .lastChunkFinished], in: [.parkedLate], "remembered", "W14",
        "the new state counts in the next stint"),
      traps(
        .chunkGaveUp, in: [.parked, .parkedDelivering, .parkedDelivery, .parkedAsked],
        "a chunk gave up that was not started"),
      row(
        .chunkGaveUp, in: [.parkedLate], "remembered", "W14", "the lane is free for the next stint"),
      traps(
        .chunkFailed, in: [.parked, .parkedDelivering, .parkedDelivery, .parkedAsked],
        "a chunk failed that was not started"),
      row(
        .chunkFailed, in: [.parkedLate], "→ ended (failed): no wake, ended (failed)", "W14",
        "the error ends the worker"),
      row(
        .progressKept, in: [.parkedLate, .parkedDelivering], "remembered", "W13",
        "late, but durable: the stint before was not fruitless"),
      row(
        .progressKept, in: [.parked, .parkedDelivery, .parkedAsked], "nothing", "W13",
        "no chunk runs that could have kept anything"),
      row(
        .stoodStill, in: [.parkedLate, .parkedDelivering], "remembered", "W10",
        "what runs took no longer for it"),
      row(
        .stoodStill, in: [.parked, .parkedDelivery, .parkedAsked], "nothing", "W10", "nothing runs"),
      traps(
        .saved, in: [.parked, .parkedDelivery, .parkedAsked],
        "a checkpoint was saved that was not asked for"),
      row(
        .saved, in: [.parkedLate, .parkedDelivering], "remembered", "W4",
        "late, but durable: it counts"),
      traps(
        .saveFailed, in: [.parked, .parkedDelivery, .parkedAsked],
        "a checkpoint failed that was not asked for"),
      row(
        .saveFailed, in: [.parkedLate, .parkedDelivering], "notice (save failed)", "C4",
        "the generation before stands"),
      row(.timePassed, "nothing", "W6", "an instant of the stint before"),
      traps(
        .delivered, in: [.parked, .parkedLate, .parkedAsked],
        "a result was delivered that was not asked for"),
      row(
        .delivered, in: [.parkedDelivering], "remembered", "W9",
        "the worker finishes when the checkpoint that is being written has ended"),
      row(
        .delivered, in: [.parkedDelivery], "→ ended (finished): no wake, ended (finished)", "W9",
        "durable under its final name, in whatever phase"),
      traps(
        .deliveryFailed, in: [.parked, .parkedLate, .parkedAsked],
        "a delivery failed that was not asked for"),
      row(
        .deliveryFailed, in: [.parkedDelivering, .parkedDelivery], "remembered", "W9",
        "the next stint delivers again"),
    ])
}
