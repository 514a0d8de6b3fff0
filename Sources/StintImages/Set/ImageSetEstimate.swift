#if Images
package import StintCore

/// What the work on many images will need, before it starts.
package struct ImageSetEstimate: Hashable, Sendable {
  /// The inputs in words.
  package var inputs: String
  /// The filters in canonical form.
  package var filters: String
  /// The formats of the results.
  package var outputs: String
  /// An upper limit of the length of all results, in bytes; zero if nobody has looked.
  package var outputBytes = 0
  /// The largest checkpoint, in bytes.
  package var checkpointBytes: Int
  /// The peak of memory, in bytes.
  package var memoryBytes: Int
  /// The peak of disk space in bytes, but for the results that are there already.
  package var diskBytes = 0
  /// The cost of the whole work, about a nanosecond a unit.
  package var cost = 0.0
  /// The cost of the hardest step that cannot be split.
  package var hardestCost = 0.0

  /// What the program needs for any set: libvips, its buffers, and small images on each thread.
  private static let baseBytes = 250_000_000

  /// Says what is known without opening an input; each is judged when its turn comes.
  package init(of plan: ImageSetPlan) {
    let count = plan.items.count
    inputs = "\(count) input\(count == 1 ? "" : "s")" + (plan.takesFrames ? ", each frame" : "")
    filters = plan.pipeline.canonicalText
    outputs = Set(plan.items.map(\.request.canonicalText)).sorted().joined(separator: ", ")
    checkpointBytes = 4096 + 300 * count
    memoryBytes = Self.baseBytes + 600 * count
  }

  /// Refuses what cannot fit.
  ///
  /// - Parameters:
  ///   - memoryAvailable: The bytes of memory that the process may use, or nil if that is not
  ///     known.
  ///   - diskAvailable: The free bytes where the job goes, or nil.
  /// - Throws: ``StintError`` with the code `unavailable`, with the figures.
  package func checkFits(memoryAvailable: Int?, diskAvailable: Int?) throws {
    if let memoryAvailable, memoryBytes > memoryAvailable {
      throw StintError(
        .unavailable,
        "The images need about \(memoryBytes) bytes of memory and \(memoryAvailable) are available.",
        remedies: ["end other programs", .fewerThreads])
    }
    if let diskAvailable, diskBytes > diskAvailable {
      throw StintError(
        .unavailable,
        "The images need up to \(diskBytes) bytes of disk space and \(diskAvailable) are free.",
        remedies: [.moreRoom])
    }
  }
}

/// Looks at the header of every input, one after the other, for `--dry-run`.
package struct ImageSetSurvey: Sendable {
  /// What all of them need together.
  package var estimate: ImageSetEstimate
  /// What is wrong with those that cannot be done.
  package var failures: [StintError] = []

  /// Opens and closes every input.
  ///
  /// - Parameters:
  ///   - plan: The images.
  ///   - threads: How many threads chunks will be given.
  package init(_ plan: ImageSetPlan, threads: Int) {
    estimate = ImageSetEstimate(of: plan)
    for item in plan.items {
      do {
        let file = try SourceFile(item.path.text)
        let source = try ImageSource(file, plan.selection, thumbnail: plan.pipeline.thumbnail)
        let image = ImageEstimate(
          ImageComputation(
            try ImagePlan(
              source: source, pipeline: plan.pipeline, request: item.request, threads: threads),
            fingerprint: .none(of: file), deliver: { _, _ in }))
        add(image, times: plan.takesFrames ? source.pageCount : 1)
      } catch {
        let error = error as? StintError ?? StintError(.io, "\(error)")
        failures.append(error.about("\(item.path)"))
      }
    }
  }

  private mutating func add(_ image: ImageEstimate, times count: Int) {
    estimate.outputBytes += count * image.outputBytes
    estimate.checkpointBytes = max(estimate.checkpointBytes, image.checkpointBytes)
    estimate.memoryBytes = max(estimate.memoryBytes, image.memoryBytes)
    estimate.diskBytes = max(estimate.diskBytes, image.diskBytes)
    estimate.cost += Double(count) * image.cost
    estimate.hardestCost = max(estimate.hardestCost, image.hardestCost)
  }
}
#endif
