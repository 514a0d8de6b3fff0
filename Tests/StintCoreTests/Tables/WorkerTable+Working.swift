extension WorkerTable {
  static let working = section(
    state: .working,
    situations: [
      (.workingForeground, "a chunk runs, the one before is not saved"),
      (.workingBackground, "the same, with 10 s left"),
      (.workingWarned, "the same after the expiry, 1 s left; the chunk before is being saved"),
      (
        .workingComplete,
        "in the background after the last chunk, whose state is being saved before the delivery"
      ),
      (
        .workingAsked,
        "in the foreground; a late expiry spent the task, and a fresh one was asked for"
      ),
    ],
    rows: [
      row(
        .granted, in: [.workingAsked], "remembered", "W5",
        "the fresh task; work went on meanwhile"),
      row(
        .granted, in: [.workingForeground, .workingBackground, .workingWarned, .workingComplete],
        "remembered", "W1", unasked),
      row(
        [.denied, .deniedStopping], in: [.workingAsked], "notice (unprotected)", "W1",
        "goes on unprotected and says so"),
      row(
        [.denied, .deniedStopping], in: [.workingForeground], "notice (unprotected)", "W1",
        unasked),
      row(
        [.denied, .deniedStopping], in: [.workingBackground],
        "→ closing (denied): notice (denied), raise stop flag, save, wake", "W1", unasked),
      row(
        [.denied, .deniedStopping], in: [.workingWarned],
        "→ closing (denied): notice (denied), raise stop flag, wake", "W1", unasked),
      row(
        [.denied, .deniedStopping], in: [.workingComplete],
        "→ closing (denied): notice (denied), wake", "W1", unasked),
      row(
        .timeElapsed, in: [.workingForeground], "end task, begin task, wake", "W5",
        "on its way when the application became active: a fresh task"),
      row(
        .timeElapsed, in: [.workingBackground], "save, wake", "W4",
        "chunks that fit go on; saves as a precaution"),
      row(
        .timeElapsed, in: [.workingWarned, .workingComplete], "wake", "W4", "being saved already"),
      row(
        .timeElapsed, in: [.workingAsked], "save, no wake", "W5",
        "overtook the answer: a grant that comes will be spent; saves as a precaution"),
      row(
        [.signalled, .stopNow], in: [.workingForeground, .workingAsked],
        "→ closing (stopRequested): raise stop flag, save", "W11",
        "what is complete is saved; the running chunk is given up"),
      row(
        [.signalled, .stopNow], in: [.workingBackground],
        "→ closing (stopRequested): raise stop flag, save, wake", "W11",
        "what is complete is saved; the running chunk is given up"),
      row(
        [.signalled, .stopNow], in: [.workingWarned],
        "→ closing (stopRequested): raise stop flag, wake", "W11",
        "what is complete is saved; the running chunk is given up"),
      row(
        [.signalled, .stopNow], in: [.workingComplete], "→ closing (stopRequested): wake", "W11",
        "what is complete is being saved"),
      row(.enteredBackground, "wake", "W4", "a deadline counts from now on; the instants are new"),
      row(
        .suspended, in: [.workingForeground, .workingAsked], "nothing", "L5",
        "news of a suspension that crossed the way to the foreground"),
      row(
        .suspended, in: [.workingBackground],
        "→ parked (expired): notice (chunk given up), raise stop flag, no wake, notice (never saved), stint ended (expired, work lost), end task",
        "L5", "a suspended application does nothing: the stint ends as it stands"),
      row(
        .suspended, in: [.workingWarned],
        "→ parked (expired): notice (chunk given up), raise stop flag, no wake, notice (near miss), notice (never saved), stint ended (expired, work lost), end task",
        "L5", "a suspended application does nothing: the stint ends as it stands"),
      row(
        .suspended, in: [.workingComplete],
        "→ parked (didNotFit): no wake, notice (never saved), stint ended (didNotFit, work lost), end task",
        "L5", "the checkpoint goes on behind the end of the stint"),
      row(
        .deadlineExtended, in: [.workingForeground, .workingAsked], "wake", "E1",
        "no end that could move"),
      row(
        .deadlineExtended, in: [.workingBackground], "wake", "E1",
        "it has its task, and counts on the new end"),
      row(
        .deadlineExtended, in: [.workingWarned], "begin task, wake", "E1",
        "a task is warned once: it registers anew, and holds the spent one until then"),
      row(
        .deadlineExtended, in: [.workingComplete], "wake", "E1",
        "it has its task, and counts on the new end"),
      row(
        .becameActive, in: [.workingForeground, .workingBackground, .workingAsked], "wake", "W5",
        "the task is valid, or asked for already"),
      row(
        .becameActive, in: [.workingWarned], "end task, begin task, no wake", "W5",
        "a spent task is replaced"),
      row(
        .becameActive, in: [.workingComplete], "→ delivering: deliver", "W9",
        "no deadline any more: no need to wait for the checkpoint"),
      row(.stopLater, "wake", "W11", "closes at the end of the chunk"),
      row(
        .pause, in: [.workingForeground, .workingAsked],
        "→ closing (paused): raise stop flag, save", "W7",
        "what is complete is saved; the running chunk is given up"),
      row(
        .pause, in: [.workingBackground], "→ closing (paused): raise stop flag, save, wake", "W7",
        "what is complete is saved; the running chunk is given up"),
      row(
        .pause, in: [.workingWarned], "→ closing (paused): raise stop flag, wake", "W7",
        "what is complete is saved; the running chunk is given up"),
      row(
        .pause, in: [.workingComplete], "→ closing (paused): wake", "W7",
        "what is complete is being saved"),
      row(
        .chunkFinished,
        in: [.workingForeground, .workingBackground, .workingWarned, .workingAsked],
        "run chunk, wake", "W2", "the next one fits"),
      traps(.chunkFinished, in: [.workingComplete], "a chunk finished that was not started"),
      row(
        .lastChunkFinished, in: [.workingForeground, .workingAsked], "→ delivering: deliver", "W9",
        "complete"),
      row(
        .lastChunkFinished, in: [.workingBackground], "save, wake", "W4",
        "under a deadline the last state is saved before the delivery"),
      row(
        .lastChunkFinished, in: [.workingWarned], "wake", "W4",
        "under a deadline the last state is saved before the delivery"),
      traps(.lastChunkFinished, in: [.workingComplete], "a chunk finished that was not started"),
      row(
        .chunkGaveUp, in: [.workingForeground, .workingBackground, .workingWarned, .workingAsked],
        "run chunk, wake", "W2", "a flag raised by an earlier stint: the chunk is run again"),
      traps(.chunkGaveUp, in: [.workingComplete], "a chunk gave up that was not started"),
      row(
        .chunkFailed, in: [.workingForeground, .workingAsked], "→ closing (failed): save", "W14",
        "the state that the chunk started from is saved, then the error ends the worker"),
      row(
        .chunkFailed, in: [.workingBackground], "→ closing (failed): save, wake", "W14",
        "the state that the chunk started from is saved, then the error ends the worker"),
      row(
        .chunkFailed, in: [.workingWarned], "→ closing (failed): wake", "W14",
        "the state that the chunk started from is saved, then the error ends the worker"),
      traps(.chunkFailed, in: [.workingComplete], "a chunk failed that was not started"),
      row(.progressKept, "remembered", "W13", "the stint is not fruitless"),
      row(.stoodStill, "remembered", "W10", "what runs took no longer for it"),
      traps(
        .saved, in: [.workingForeground, .workingBackground, .workingAsked],
        "a checkpoint was saved that was not asked for"),
      row(
        .saved, in: [.workingWarned], "wake", "W4",
        "the next instant is that of the running chunk"),
      row(
        .saved, in: [.workingComplete], "→ delivering: deliver, wake", "W9",
        "the last state is durable: the result may follow"),
      traps(
        .saveFailed, in: [.workingForeground, .workingBackground, .workingAsked],
        "a checkpoint failed that was not asked for"),
      row(
        .saveFailed, in: [.workingWarned], "notice (save failed), wake", "C4",
        "tried again when it is due; the generation before stands"),
      row(
        .saveFailed, in: [.workingComplete], "notice (save failed), save, wake", "C4",
        "tried again at once; the generation before stands"),
      row(
        .timePassed, in: [.workingForeground, .workingAsked], "save, no wake", "W14",
        "a checkpoint is due, behind the running chunk"),
      row(
        .timePassed, in: [.workingBackground],
        "→ closing (expired): notice (chunk given up), raise stop flag, save, wake", "W4",
        "only a checkpoint still fits: the chunk is given up"),
      row(
        .timePassed, in: [.workingWarned],
        "→ closing (expired): notice (chunk given up), raise stop flag, wake", "W4",
        "only a checkpoint still fits: the chunk is given up"),
      row(
        .timePassed, in: [.workingComplete],
        "→ parked (didNotFit): no wake, notice (never saved), stint ended (didNotFit, work lost), end task",
        "W12", "the checkpoint is too late for this stint and goes on behind it"),
    ])
}
