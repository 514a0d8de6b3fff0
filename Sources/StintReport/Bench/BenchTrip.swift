import StintCore

/// A trip of a sample life; instants are seconds since it began.
struct BenchTrip: Hashable, Sendable, Decodable {
  struct Span: Hashable, Sendable, Decodable {
    var beginSeconds: Double
    var endSeconds: Double
  }

  struct Chunk: Hashable, Sendable, Decodable {
    var beginSeconds: Double
    var endSeconds: Double
  }

  struct Checkpoint: Hashable, Sendable, Decodable {
    var beginSeconds: Double
    var endSeconds: Double
    var isDurable: Bool
    var workSeconds: Double
  }

  var beganSeconds: Double
  var isDenied: Bool
  var warnedSeconds: Double?
  var announcedSeconds: Double?
  var deadlineSeconds: Double?
  var standstills: [Span]?
  var endSeconds: Double?
  /// `inOrder`, `killed`, `gone`; a reader passes over words that are to come.
  var end: String?
  var savedSeconds: Double?
  var lostSeconds: Double?
  var chunks: [Chunk]?
  var checkpoints: [Checkpoint]?
}

extension BenchTrip {
  /// The trip as a stint.
  var stint: LifeStint {
    func time(_ seconds: Double?) -> Duration { Duration(clampingSeconds: max(0, seconds ?? 0)) }
    guard !isDenied else {
      return LifeStint(
        began: time(beganSeconds), budget: .zero, elapsed: .zero, saved: .zero, ending: .denied,
        words: "nothing was granted")
    }
    var stint = LifeStint(
      began: time(beganSeconds), budget: deadlineSeconds.map(time), elapsed: time(endSeconds),
      saved: time(savedSeconds), lost: time(lostSeconds), ending: ending, words: words)
    stint.chunks = (chunks ?? []).map { chunk in
      .init(at: time(chunk.beginSeconds), took: time(chunk.endSeconds - chunk.beginSeconds))
    }
    for checkpoint in checkpoints ?? [] {
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
    for standstill in standstills ?? [] {
      let length = time(standstill.endSeconds - standstill.beginSeconds)
      stint.remarks.append(
        .init(
          at: time(standstill.beginSeconds), kind: .notice,
          text: "the machine stood still for \(length.compactText)"))
    }
    return stint
  }

  private var ending: LifeStint.Ending {
    switch end {
    case "killed", "gone": .killed
    case _: .timeUp
    }
  }

  private var words: String {
    switch end {
    case "inOrder", nil: "its task was ended"
    case "killed": "it was killed"
    case "gone": "the end came unannounced"
    case .some(let other): "its end: \(other)"
    }
  }
}

/// The life of a strategy is a list of trips in the file.
extension Life: Decodable {
  package init(from decoder: any Decoder) throws {
    self.init(stints: try [BenchTrip](from: decoder).map(\.stint))
  }
}
