extension WorkerTable {
  static let ended = section(
    state: .ended,
    situations: [
      (.endedFinished, "the result is delivered"),
      (.endedLate, "the stop came to the deadline; both lanes are still busy"),
      (
        .endedDelivering,
        "the stop came to the deadline; the delivery and the checkpoint are still on their way"
      ),
      (.endedAsked, "a task was asked for before the stop took effect"),
    ],
    rows: [
      row(.granted, in: [.endedAsked], "end task", "W6", "crossed the end: ended at once"),
      row(.granted, in: [.endedFinished, .endedLate, .endedDelivering], "end task", "W1", unasked),
      row(
        [.denied, .deniedStopping], in: [.endedFinished, .endedLate, .endedDelivering], "nothing",
        "W1", unasked),
      row([.denied, .deniedStopping], in: [.endedAsked], "remembered", "W6", "crossed the end"),
      row(
        [.timeElapsed, .signalled], in: [.endedFinished, .endedLate, .endedDelivering], "nothing",
        "W6", "crossed the end, which ended the task"),
      row(
        [.timeElapsed, .signalled], in: [.endedAsked], "remembered", "W6",
        "crossed the end: a grant that comes is ended all the same"),
      row(
        .enteredBackground, in: [.endedFinished, .endedAsked], "remembered", "W6",
        "noted, and of no consequence"),
      row(
        .enteredBackground, in: [.endedLate, .endedDelivering], "nothing", "W6", "crossed the end"),
      row(.suspended, "nothing", "L5", "nothing of the worker runs"),
      row(.deadlineExtended, "nothing", "E1", "nothing of the worker runs"),
      row(.becameActive, in: [.endedFinished, .endedAsked], "nothing", "W6", "crossed the end"),
      row(
        .becameActive, in: [.endedLate, .endedDelivering], "remembered", "W6",
        "noted, and of no consequence"),
      row(
        [.stopNow, .stopLater], in: [.endedFinished], "remembered", "W6",
        "noted, and of no consequence: the outcome stands"),
      row(
        [.stopNow, .stopLater], in: [.endedLate, .endedDelivering, .endedAsked], "nothing", "W6",
        "ended by a stop already"),
      row([.pause, .resume, .timePassed], "nothing", "W6", "crossed the end"),
      traps(
        [.chunkFinished, .lastChunkFinished], in: [.endedFinished, .endedDelivering, .endedAsked],
        "a chunk finished that was not started"),
      row(
        [.chunkFinished, .lastChunkFinished], in: [.endedLate], "remembered", "W6",
        "later than the end: counts in memory only"),
      traps(
        .chunkGaveUp, in: [.endedFinished, .endedDelivering, .endedAsked],
        "a chunk gave up that was not started"),
      row(.chunkGaveUp, in: [.endedLate], "remembered", "W6", "gave up later than the end"),
      traps(
        .chunkFailed, in: [.endedFinished, .endedDelivering, .endedAsked],
        "a chunk failed that was not started"),
      row(
        .chunkFailed, in: [.endedLate], "remembered", "W6",
        "failed later than the end: the outcome stands"),
      row(
        .progressKept, in: [.endedDelivering], "remembered", "W13",
        "late, but durable: the stint before was not fruitless"),
      row(
        .progressKept, in: [.endedFinished, .endedLate, .endedAsked], "nothing", "W13",
        "later than the end"),
      row(
        .stoodStill, in: [.endedLate, .endedDelivering], "remembered", "W10",
        "what runs took no longer for it"),
      row(.stoodStill, in: [.endedFinished, .endedAsked], "nothing", "W10", "nothing runs"),
      traps(
        .saved, in: [.endedFinished, .endedAsked], "a checkpoint was saved that was not asked for"),
      row(
        .saved, in: [.endedLate, .endedDelivering], "remembered", "W6", "durable later than the end"
      ),
      traps(
        .saveFailed, in: [.endedFinished, .endedAsked], "a checkpoint failed that was not asked for"
      ),
      row(
        .saveFailed, in: [.endedLate, .endedDelivering], "remembered", "C4",
        "the generation before stands"),
      traps(
        .delivered, in: [.endedFinished, .endedLate, .endedAsked],
        "a result was delivered that was not asked for"),
      row(
        .delivered, in: [.endedDelivering], "remembered", "W6",
        "later than the end: the outcome stands"),
      traps(
        .deliveryFailed, in: [.endedFinished, .endedLate, .endedAsked],
        "a delivery failed that was not asked for"),
      row(
        .deliveryFailed, in: [.endedDelivering], "remembered", "W6",
        "failed later than the end: the outcome stands"),
    ])
}
