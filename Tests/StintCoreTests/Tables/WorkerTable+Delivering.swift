extension WorkerTable {
  /// Those in the foreground.
  private static let withoutDeadline: [Situation] = [.deliveringForeground, .deliveringAsked]

  static let delivering = section(
    state: .delivering,
    situations: [
      (.deliveringForeground, "the result is on its way, its state is not saved"),
      (.deliveringBackground, "the same, with 10 s left; the state is being saved"),
      (
        .deliveringAsked,
        "in the foreground; a late expiry spent the task, and a fresh one was asked for"
      ),
    ],
    rows: [
      row(
        .granted, in: [.deliveringAsked], "remembered", "W5",
        "the fresh task; the delivery went on meanwhile"),
      row(
        .granted, in: [.deliveringForeground, .deliveringBackground], "remembered", "W1", unasked),
      row(
        [.denied, .deniedStopping], in: [.deliveringAsked], "notice (unprotected)", "W1",
        "goes on unprotected and says so"),
      row(
        [.denied, .deniedStopping], in: [.deliveringForeground], "notice (unprotected)", "W1",
        unasked),
      row([.denied, .deniedStopping], in: [.deliveringBackground], "remembered", "W1", unasked),
      row(
        .timeElapsed, in: [.deliveringForeground], "end task, begin task", "W5",
        "on its way when the application became active: a fresh task"),
      row(
        .timeElapsed, in: [.deliveringBackground], "wake", "W4",
        "the delivery goes on until the last instant"),
      row(
        .timeElapsed, in: [.deliveringAsked], "remembered", "W5",
        "overtook the answer: a grant that comes will be spent"),
      row(
        [.signalled, .stopNow, .stopLater], in: withoutDeadline, "remembered", "W11",
        "the delivery goes on; cut, the worker ends instead of parking"),
      row(
        [.signalled, .stopNow, .stopLater], in: [.deliveringBackground], "wake", "W11",
        "the delivery goes on; cut, the worker ends instead of parking"),
      row(
        .enteredBackground, in: withoutDeadline, "save, wake", "W4",
        "the delivery may be cut: its state must not be lost with it"),
      row(
        .enteredBackground, in: [.deliveringBackground], "wake", "W4", "in the background already"),
      row(
        .suspended, in: withoutDeadline, "nothing", "L5",
        "news of a suspension that crossed the way to the foreground"),
      row(
        .suspended, in: [.deliveringBackground],
        "→ parked (expired): no wake, notice (never saved), stint ended (expired, work lost), end task",
        "L5", "the delivery goes on behind the end of the stint"),
      row(.deadlineExtended, in: withoutDeadline, "nothing", "E1", "no end that could move"),
      row(
        .deadlineExtended, in: [.deliveringBackground], "wake", "E1", "the delivery may take longer"
      ),
      row(
        .becameActive, in: withoutDeadline, "nothing", "W5",
        "active already, and the task is valid or asked for"),
      row(.becameActive, in: [.deliveringBackground], "remembered", "W5", "no deadline any more"),
      row(
        .pause, in: withoutDeadline, "remembered", "W7",
        "the delivery goes on; cut, the worker is paused instead of parked"),
      row(
        .pause, in: [.deliveringBackground], "wake", "W7",
        "the delivery goes on; cut, the worker is paused instead of parked"),
      traps([.chunkFinished, .lastChunkFinished], "a chunk finished that was not started"),
      traps(.chunkGaveUp, "a chunk gave up that was not started"),
      traps(.chunkFailed, "a chunk failed that was not started"),
      row(.progressKept, "remembered", "W13", "the stint is not fruitless"),
      row(
        .stoodStill, in: [.deliveringBackground], "remembered", "W10",
        "what runs took no longer for it"),
      row(.stoodStill, in: withoutDeadline, "nothing", "W10", "nothing runs"),
      traps(.saved, in: withoutDeadline, "a checkpoint was saved that was not asked for"),
      row(
        .saved, in: [.deliveringBackground], "wake", "W4", "a cut costs no more than the delivery"),
      traps(.saveFailed, in: withoutDeadline, "a checkpoint failed that was not asked for"),
      row(
        .saveFailed, in: [.deliveringBackground], "notice (save failed), save, wake", "C4",
        "tried again while there is time"),
      row(.timePassed, in: withoutDeadline, "nothing", "W9", "no instant was asked for"),
      row(
        .timePassed, in: [.deliveringBackground],
        "→ parked (expired): no wake, notice (never saved), stint ended (expired, work lost), end task",
        "W4", "the task is ended in time; both lanes go on behind the end"),
      row(
        .delivered, in: [.deliveringForeground],
        "→ ended (finished): no wake, stint ended (finished), end task, ended (finished)", "W9",
        "durable under its final name"),
      row(
        .delivered, in: [.deliveringBackground], "wake", "W9",
        "the worker finishes when the checkpoint that is being written has ended, and in time if it has not"
      ),
      row(
        .delivered, in: [.deliveringAsked],
        "→ ended (finished): no wake, stint ended (finished), ended (finished)", "W9",
        "durable under its final name"),
      row(
        .deliveryFailed, in: withoutDeadline, "→ closing (failed): save", "W9",
        "what is complete is saved, then the error ends the worker"),
      row(
        .deliveryFailed, in: [.deliveringBackground], "→ closing (failed): wake", "W9",
        "what is complete is saved, then the error ends the worker"),
    ])
}
