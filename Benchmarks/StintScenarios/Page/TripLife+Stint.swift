import StintCore
package import StintReport

extension TripLife {
  var stint: LifeStint {
    func time(_ seconds: Double) -> Duration { Duration(clampingSeconds: max(0, seconds)) }
    guard !isDenied else {
      return LifeStint(
        began: time(beganSeconds), budget: .zero, elapsed: .zero, saved: .zero, ending: .denied,
        words: "nothing was granted")
    }
    var stint = LifeStint(
      began: time(beganSeconds), budget: time(deadlineSeconds), elapsed: time(endSeconds),
      saved: time(savedSeconds), lost: time(lostSeconds),
      ending: end == .inOrder ? .timeUp : .killed, words: words)
    stint.chunks = chunks.map { chunk in
      .init(at: time(chunk.beginSeconds), took: time(chunk.endSeconds - chunk.beginSeconds))
    }
    for checkpoint in checkpoints {
      if checkpoint.isDurable {
        stint.checkpoints.append(
          .init(
            at: time(checkpoint.endSeconds),
            took: time(checkpoint.endSeconds - checkpoint.beginSeconds),
            workTime: time(checkpoint.workSeconds)))
      } else {
        stint.remarks.append(
          .init(
            at: time(checkpoint.endSeconds), kind: .checkpointFailed,
            text: "the end came before the checkpoint was durable"))
      }
    }
    if let warnedSeconds {
      stint.expiries.append(
        .init(
          at: time(warnedSeconds), reason: "the warning came",
          deadline: announcedSeconds.map(time)))
    }
    for standstill in standstills {
      let length = time(standstill.endSeconds - standstill.beginSeconds)
      stint.remarks.append(
        .init(
          at: time(standstill.beginSeconds), kind: .notice,
          text: "the machine stood still for \(length.compactText)"))
    }
    return stint
  }

  private var words: String {
    switch end {
    case .inOrder, .denied: "its task was ended"
    case .killed: "it was killed"
    case .gone: "the end came unannounced"
    }
  }
}

extension Life {
  package init(_ trips: some Sequence<TripLife>) {
    self.init(stints: trips.map(\.stint))
  }
}
