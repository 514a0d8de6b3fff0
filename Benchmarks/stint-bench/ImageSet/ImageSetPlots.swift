import Foundation
import StintCore
import StintScenarios

/// Time and memory over the number of images: three plots for each filter that was measured with
/// more than one number of images of equal size.
struct ImageSetPlots {
  private let plots: [(name: String, plot: LogLogPlot)]

  init(_ results: [ImageSetResult]) {
    plots = ImageSetResult.series(results).flatMap { group in
      let cell = group[0].cell
      let title =
        "\(cell.filter.words), JPEGs of \(cell.megapixels) megapixels"
        + (cell.isTurned ? ", turned" : "")
      let name = cell.filter.rawValue + (cell.isTurned ? "-turned" : "")
      func plot(_ unit: String, _ value: KeyPath<CommandRun, Double>) -> LogLogPlot {
        LogLogPlot(
          title: title, x: "images", y: unit,
          series: group[0].subjects.map { subject in
            LogLogPlot.Series(
              name: subject.words,
              points: group.map { (Double($0.cell.count), $0.median(value, subject)) })
          })
      }
      return [
        (name + "-time.svg", plot("seconds", \.seconds)),
        (name + "-processor.svg", plot("seconds of processors", \.processorSeconds)),
        (name + "-memory.svg", plot("MiB", \.peakMebibytes)),
      ]
    }
  }

  /// Writes them into a folder, which is made if it is not there.
  ///
  /// - Throws: ``StintError`` with the code `cannotCreate`.
  func write(to folder: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      for (name, plot) in plots {
        try Data(plot.svg.utf8).write(to: URL(filePath: folder).appending(path: name))
      }
    } catch {
      throw StintError(.cannotCreate, "The plots cannot be written to \(folder): \(error).")
    }
  }
}
