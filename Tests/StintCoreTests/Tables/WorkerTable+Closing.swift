extension WorkerTable {
  static let closing = section(
    state: .closing,
    situations: [
      (.closingDidNotFit, "in the background, no chunk runs, the last state is being saved"),
      (
        .closingExpired,
        "in the background, the chunk was given up and still runs, the state before is being saved"
      ),
      (
        .closingPaused,
        "in the foreground, the chunk was given up and still runs, the state before is being saved"
      ),
      (
        .closingStopped,
        "in the background, the chunk was given up and still runs, the state before is being saved"
      ),
      (
        .closingFailed,
        "in the foreground after an error in a chunk; the state before is being saved"
      ),
      (.closingAsked, "as pausing, and a fresh task was asked for"),
    ],
    rows: [
      row(.granted, in: [.closingAsked], "remembered", "W4", "ended with the stint"),
      row(
        .granted,
        in: [.closingDidNotFit, .closingExpired, .closingPaused, .closingStopped, .closingFailed],
        "remembered", "W1", unasked),
      row(
        [.denied, .deniedStopping], in: [.closingAsked], "remembered", "W1",
        "the stint ends anyway and needs no task"),
      row(
        [.denied, .deniedStopping],
        in: [.closingDidNotFit, .closingExpired, .closingPaused, .closingStopped, .closingFailed],
        "remembered", "W1", unasked),
      row(
        .timeElapsed, in: [.closingDidNotFit, .closingExpired, .closingStopped], "wake", "W4",
        "closing already; the task is spent"),
      row(
        .timeElapsed, in: [.closingPaused, .closingFailed], "end task, begin task", "W5",
        "on its way when the application became active: a fresh task"),
      row(
        .timeElapsed, in: [.closingAsked], "remembered", "W5",
        "overtook the answer: a grant that comes will be spent"),
      row(
        [.signalled, .stopNow, .stopLater], in: [.closingStopped], "wake", "W11", "stopping already"
      ),
      row(
        [.signalled, .stopNow, .stopLater], in: [.closingDidNotFit, .closingExpired], "wake", "W11",
        "closing already; the worker ends instead of parking"),
      row(
        [.signalled, .stopNow, .stopLater], in: [.closingFailed], "remembered", "W11",
        "the error ends the worker all the same"),
      row(
        [.signalled, .stopNow, .stopLater], in: [.closingPaused, .closingAsked], "remembered",
        "W11", "closing already; the worker ends instead of pausing"),
      row(.enteredBackground, "wake", "W4", "a deadline counts from now on"),
      row(
        .suspended, in: [.closingPaused, .closingFailed, .closingAsked], "nothing", "L5",
        "news of a suspension that crossed the way to the foreground"),
      row(
        .suspended, in: [.closingDidNotFit],
        "→ parked (didNotFit): no wake, notice (never saved), stint ended (didNotFit, work lost), end task",
        "L5", "the checkpoint goes on behind the end of the stint"),
      row(
        .suspended, in: [.closingExpired],
        "→ parked (expired): no wake, notice (never saved), stint ended (expired, work lost), end task",
        "L5", "the checkpoint goes on behind the end of the stint"),
      row(
        .suspended, in: [.closingStopped],
        "→ ended (stopped): no wake, notice (never saved), stint ended (stopRequested, work lost), end task, ended (stopped)",
        "L5", "the checkpoint goes on behind the end of the stint"),
      row(
        .deadlineExtended, in: [.closingDidNotFit], "→ working: run chunk, wake", "E1",
        "there is time again"),
      row(.deadlineExtended, in: [.closingExpired], "→ working: wake", "E1", "there is time again"),
      row(
        .deadlineExtended, in: [.closingStopped], "wake", "E1",
        "a requested end stands, and may take longer"),
      row(
        .deadlineExtended, in: [.closingPaused, .closingFailed, .closingAsked], "nothing", "E1",
        "an end for another reason stands"),
      row(
        .becameActive, in: [.closingDidNotFit], "→ working: run chunk, no wake", "W5",
        "the end of the stint is called off"),
      row(
        .becameActive, in: [.closingExpired], "→ working: no wake", "W5",
        "the end of the stint is called off"),
      row(
        .becameActive, in: [.closingPaused, .closingAsked], "nothing", "W7",
        "a pause stands until it is resumed"),
      row(.becameActive, in: [.closingFailed], "nothing", "W5", "an error is not called off"),
      row(
        .becameActive, in: [.closingStopped], "remembered", "W11", "a requested stop is not revoked"
      ),
      row(.pause, in: [.closingStopped], "wake", "W7", "the stop ends the worker all the same"),
      row(
        .pause, in: [.closingDidNotFit, .closingExpired], "wake", "W7",
        "closing already; the worker is paused instead of parked"),
      row(.pause, in: [.closingPaused, .closingAsked], "nothing", "W7", "pausing already"),
      row(
        .pause, in: [.closingFailed], "remembered", "W7", "the error ends the worker all the same"),
      row(
        .resume, in: [.closingDidNotFit, .closingExpired, .closingStopped, .closingFailed],
        "nothing", "W7", "no pause was requested"),
      row(
        .resume, in: [.closingPaused, .closingAsked], "→ working: no wake", "W7",
        "the pause had not taken effect"),
      traps(
        [.chunkFinished, .lastChunkFinished], in: [.closingDidNotFit, .closingFailed],
        "a chunk finished that was not started"),
      row(
        [.chunkFinished, .lastChunkFinished], in: [.closingExpired, .closingStopped], "wake", "W4",
        "complete after all: the new state counts, and is saved next if time allows"),
      row(
        [.chunkFinished, .lastChunkFinished], in: [.closingPaused, .closingAsked], "remembered",
        "W4", "complete after all: the new state counts, and is saved next if time allows"),
      traps(
        .chunkGaveUp, in: [.closingDidNotFit, .closingFailed],
        "a chunk gave up that was not started"),
      row(
        .chunkGaveUp, in: [.closingExpired, .closingStopped], "wake", "W4",
        "the checkpoint is still being written"),
      row(
        .chunkGaveUp, in: [.closingPaused, .closingAsked], "remembered", "W4",
        "the checkpoint is still being written"),
      traps(
        .chunkFailed, in: [.closingDidNotFit, .closingFailed], "a chunk failed that was not started"
      ),
      row(
        .chunkFailed, in: [.closingExpired, .closingStopped], "→ closing (failed): wake", "W14",
        "the state that the chunk started from is being saved; then the error ends the worker"),
      row(
        .chunkFailed, in: [.closingPaused, .closingAsked], "→ closing (failed)", "W14",
        "the state that the chunk started from is being saved; then the error ends the worker"),
      row(.progressKept, "remembered", "W13", "the stint is not fruitless"),
      row(.stoodStill, "remembered", "W10", "what runs took no longer for it"),
      row(
        .saved, in: [.closingDidNotFit],
        "→ parked (didNotFit): no wake, stint ended (didNotFit), end task", "W4",
        "durable, then the task is ended"),
      row(
        .saved, in: [.closingExpired, .closingStopped], "wake", "W4",
        "the chunk that was given up is waited for, as long as the deadline allows"),
      row(
        .saved, in: [.closingPaused, .closingAsked], "remembered", "W4",
        "the chunk that was given up is waited for, as long as the deadline allows"),
      row(
        .saved, in: [.closingFailed],
        "→ ended (failed): no wake, stint ended (failed), end task, ended (failed)", "W14",
        "saved what was in hand; then the error ends the worker"),
      row(
        .saveFailed, in: [.closingDidNotFit, .closingExpired, .closingStopped],
        "notice (save failed), save, wake", "C4", "tried again while there is time"),
      row(
        .saveFailed, in: [.closingPaused, .closingAsked], "notice (save failed), save", "C4",
        "tried again while there is time"),
      row(
        .saveFailed, in: [.closingFailed],
        "→ ended (failed): notice (save failed), no wake, stint ended (failed, work lost), end task, ended (failed)",
        "C4", "the work in hand is lost, and the first error is the one that is told"),
      row(
        .timePassed, in: [.closingDidNotFit],
        "→ parked (didNotFit): no wake, notice (never saved), stint ended (didNotFit, work lost), end task",
        "W4", "the last instant at which the task can be ended in time; late lanes go on behind it"),
      row(
        .timePassed, in: [.closingExpired],
        "→ parked (expired): no wake, notice (never saved), stint ended (expired, work lost), end task",
        "W4", "the last instant at which the task can be ended in time; late lanes go on behind it"),
      row(
        .timePassed, in: [.closingPaused, .closingFailed, .closingAsked], "remembered", "W4",
        "no deadline: both lanes are waited for; a wake-up is learnt from"),
      row(
        .timePassed, in: [.closingStopped],
        "→ ended (stopped): no wake, notice (never saved), stint ended (stopRequested, work lost), end task, ended (stopped)",
        "W4", "the last instant at which the task can be ended in time; late lanes go on behind it"),
    ])
}
