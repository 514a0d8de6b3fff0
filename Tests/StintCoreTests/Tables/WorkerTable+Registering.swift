extension WorkerTable {
  /// Those in which no chunk is late.
  private static let withoutChunk: [Situation] = [
    .registeringForeground, .registeringBackground, .registeringExpired, .registeringStopped,
    .registeringDelivering,
  ]

  static let registering = section(
    state: .registering,
    situations: [
      (.registeringForeground, "no deadline"),
      (.registeringBackground, "10 s left"),
      (.registeringExpired, "in the background; the expiry overtook the answer"),
      (.registeringStopped, "in the foreground"),
      (.registeringLate, "in the foreground; both lanes are still busy for the stint before"),
      (
        .registeringDelivering,
        "in the foreground; the delivery of the stint before is still on its way"
      ),
    ],
    rows: [
      row(
        .granted, in: [.registeringForeground], "→ working: stint began, run chunk, no wake", "W1",
        "the first chunk"),
      row(
        .granted, in: [.registeringExpired], "→ working: stint began, run chunk, wake", "W5",
        "spent on arrival: ended with the stint"),
      row(
        .granted, in: [.registeringBackground], "→ working: stint began, run chunk, wake", "W1",
        "the first chunk"),
      row(
        .granted, in: [.registeringStopped], "→ ended (stopped): end task, ended (stopped)", "W11",
        "nothing was run, so nothing is saved"),
      row(
        .granted, in: [.registeringLate], "→ working: stint began, no wake", "W1",
        "the chunk of the stint before still runs"),
      row(
        .granted, in: [.registeringDelivering], "→ delivering: stint began", "W9",
        "complete already, and the delivery still runs"),
      row(
        .denied, in: [.registeringForeground],
        "→ working: notice (unprotected), stint began, run chunk, no wake", "W1",
        "goes on unprotected and says so"),
      row(
        .denied, in: [.registeringBackground, .registeringExpired],
        "→ parked (denied): notice (denied)", "W1", "nothing was run, so nothing is saved"),
      row(
        .denied, in: [.registeringStopped],
        "→ ended (stopped): notice (unprotected), ended (stopped)", "W11",
        "nothing was run, so nothing is saved"),
      row(
        .denied, in: [.registeringLate], "→ working: notice (unprotected), stint began, no wake",
        "W1", "goes on unprotected and says so"),
      row(
        .denied, in: [.registeringDelivering], "→ delivering: notice (unprotected), stint began",
        "W1", "goes on unprotected and says so"),
      row(
        .deniedStopping,
        in: [
          .registeringForeground, .registeringBackground, .registeringExpired, .registeringLate,
          .registeringDelivering,
        ], "→ parked (denied): notice (denied)", "W1",
        "who is asked to stop gets no new work, in the foreground either"),
      row(
        .deniedStopping, in: [.registeringStopped],
        "→ ended (stopped): notice (denied), ended (stopped)", "W11",
        "nothing was run, so nothing is saved"),
      row(
        .timeElapsed,
        in: [
          .registeringForeground, .registeringBackground, .registeringStopped, .registeringLate,
          .registeringDelivering,
        ], "remembered", "W5", "a grant that comes will be spent"),
      row(.timeElapsed, in: [.registeringExpired], "nothing", "W5", "the same expiry again"),
      row(.signalled, "remembered", "W11", "the answer ends it"),
      row(
        .enteredBackground,
        in: [
          .registeringForeground, .registeringStopped, .registeringLate, .registeringDelivering,
        ], "remembered", "W1", "the answer finds it in the background"),
      row(
        .enteredBackground, in: [.registeringBackground, .registeringExpired], "nothing", "W1",
        "in the background already"),
      row(.suspended, "nothing", "L5", "nothing runs; the answer finds a suspended application"),
      row(.deadlineExtended, "nothing", "E1", "the task that is asked for gets the new end"),
      row(
        .becameActive,
        in: [
          .registeringForeground, .registeringStopped, .registeringLate, .registeringDelivering,
        ], "nothing", "W5", "asked already; the answer is on its way"),
      row(
        .becameActive, in: [.registeringBackground, .registeringExpired], "remembered", "W5",
        "the answer finds it in the foreground"),
      row(
        [.stopNow, .stopLater],
        in: [
          .registeringForeground, .registeringBackground, .registeringExpired, .registeringLate,
          .registeringDelivering,
        ], "remembered", "W11", "the answer ends it"),
      row(
        [.stopNow, .stopLater], in: [.registeringStopped], "nothing", "W11", "requested already"),
      row(.pause, "remembered", "W7", "the answer takes it up"),
      traps(
        [.chunkFinished, .lastChunkFinished], in: withoutChunk,
        "a chunk finished that was not started"),
      row(
        [.chunkFinished, .lastChunkFinished], in: [.registeringLate], "remembered", "W14",
        "given up by the stint before, and complete: it counts"),
      traps(.chunkGaveUp, in: withoutChunk, "a chunk gave up that was not started"),
      row(
        .chunkGaveUp, in: [.registeringLate], "remembered", "W14",
        "given up by the stint before: the lane is free"),
      traps(.chunkFailed, in: withoutChunk, "a chunk failed that was not started"),
      row(
        .chunkFailed, in: [.registeringLate], "→ closing (failed)", "W14",
        "the error ends the worker, after what is complete is saved"),
      row(
        .progressKept, in: [.registeringLate], "remembered", "W13",
        "late, but durable: the stint before was not fruitless"),
      row(
        .progressKept, in: withoutChunk, "nothing", "W13",
        "no chunk runs that could have kept anything"),
      row(
        .stoodStill, in: [.registeringLate], "remembered", "W10",
        "what runs took no longer for it"),
      row(.stoodStill, in: withoutChunk, "nothing", "W10", "nothing runs"),
      traps(.saved, in: withoutChunk, "a checkpoint was saved that was not asked for"),
      row(.saved, in: [.registeringLate], "remembered", "W4", "late, but durable: it counts"),
      traps(.saveFailed, in: withoutChunk, "a checkpoint failed that was not asked for"),
      row(
        .saveFailed, in: [.registeringLate], "notice (save failed)", "C4",
        "the generation before stands"),
      row(.timePassed, "nothing", "W6", "an instant of the stint before"),
      traps(
        .delivered,
        in: [
          .registeringForeground, .registeringBackground, .registeringExpired, .registeringStopped,
          .registeringLate,
        ], "a result was delivered that was not asked for"),
      row(
        .delivered, in: [.registeringDelivering], "→ ended (finished): no wake, ended (finished)",
        "W9", "asked for by the stint before: durable under its final name"),
      traps(
        .deliveryFailed,
        in: [
          .registeringForeground, .registeringBackground, .registeringExpired, .registeringStopped,
          .registeringLate,
        ], "a delivery failed that was not asked for"),
      row(
        .deliveryFailed, in: [.registeringDelivering], "remembered", "W9",
        "asked for by the stint before; delivered again when the answer is there"),
    ])
}
