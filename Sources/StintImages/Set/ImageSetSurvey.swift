#if Images
package import StintCore

extension ImageEstimate {
  /// What the program needs for any set: libvips, its buffers, and small images on each thread.
  private static let baseBytesOfSet = 250_000_000

  /// Says what is known of many images without opening an input; each is judged when its turn
  /// comes.
  package init(of plan: ImageSetPlan) {
    let count = plan.items.count
    self.init(
      source: "\(count) input\(count == 1 ? "" : "s")" + (plan.takesFrames ? ", each frame" : ""),
      filters: plan.pipeline.canonicalText,
      result: Set(plan.items.map(\.request.canonicalText)).sorted().joined(separator: ", "),
      checkpointBytes: 4096 + 300 * count, memoryBytes: Self.baseBytesOfSet + 600 * count,
      isOfMany: true)
  }
}

/// Looks at the header of every input, one after the other, for `--dry-run`.
package struct ImageSetSurvey: Sendable {
  /// What all of them need together.
  package var estimate: ImageEstimate
  /// What is wrong with those that cannot be done.
  package var failures: [StintError] = []

  /// Opens and closes every input.
  ///
  /// - Parameters:
  ///   - plan: The images.
  ///   - threads: How many threads chunks will be given.
  package init(_ plan: ImageSetPlan, threads: Int) {
    estimate = ImageEstimate(of: plan)
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
