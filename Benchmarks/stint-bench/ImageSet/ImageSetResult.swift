import Foundation
import StintCore

/// What everybody needed for a set.
struct ImageSetResult {
  let cell: ImageSetCell
  let runs: [ImageSetSubject: [CommandRun]]

  /// Who took part.
  var subjects: [ImageSetSubject] { ImageSetSubject.allCases.filter { runs[$0] != nil } }

  /// What a subject needed in the middle round.
  func median(_ value: KeyPath<CommandRun, Double>, _ subject: ImageSetSubject) -> Double {
    Sample(runs[subject, default: []].map { $0[keyPath: value] }).median
  }

  /// Who is fastest besides Stint.
  private var fastest: ImageSetSubject {
    subjects.filter { $0 != .stint }.min { median(\.seconds, $0) < median(\.seconds, $1) }
      ?? .reference
  }

  /// Time, judged; processor time and memory, told.
  var figures: [Figure] {
    let fastest = fastest
    let (own, others) = (runs[.stint, default: []], runs[fastest, default: []])
    let ratios = Sample(zip(own, others).map { $0.seconds / $1.seconds })
    let all = subjects.map { subject in
      String(
        format: "%@ %.2f s (of processors %.2f s, %.0f MiB)", subject.words,
        median(\.seconds, subject), median(\.processorSeconds, subject),
        median(\.peakMebibytes, subject))
    }
    let processors = median(\.processorSeconds, .stint) / median(\.processorSeconds, fastest)
    return [
      Figure(
        cell.name + "TimeRatio", "\(cell.what): time over \(fastest.words)", .ratio,
        ratios.median, gate: 1.10, goal: 0.90, of: ratios,
        note: all.joined(separator: ", ")),
      Figure(
        cell.name + "ProcessorRatio", "\(cell.what): processor time over \(fastest.words)",
        .ratio, processors),
      Figure(
        cell.name + "PeakMebibytes", "\(cell.what): memory", .mebibytes,
        median(\.peakMebibytes, .stint)),
    ]
  }

  /// The results of sets that differ in their number of images alone, fewest first.
  static func series(_ results: [ImageSetResult]) -> [[ImageSetResult]] {
    let groups = Dictionary(grouping: results) { result in
      var cell = result.cell
      cell.count = 0
      return cell
    }
    return groups.values.filter { $0.count > 1 }
      .map { $0.sorted { $0.cell.count < $1.cell.count } }
      .sorted { $0[0].cell.name < $1[0].cell.name }
  }

  /// How much more time for each image, and memory, the most images take than the fewest.
  static func growth(_ results: [ImageSetResult]) -> [Figure] {
    series(results).flatMap { series in
      let (few, many) = (series[0], series[series.count - 1])
      func perImage(_ result: ImageSetResult) -> Double {
        result.median(\.seconds, .stint) / Double(result.cell.count)
      }
      let what = "\(many.cell.what), over \(few.cell.count) of them"
      return [
        Figure(
          many.cell.name + "TimeGrowthRatio", "\(what): time for each", .ratio,
          perImage(many) / perImage(few)),
        Figure(
          many.cell.name + "MemoryGrowthRatio", "\(what): memory", .ratio,
          many.median(\.peakMebibytes, .stint) / few.median(\.peakMebibytes, .stint)),
      ]
    }
  }
}
