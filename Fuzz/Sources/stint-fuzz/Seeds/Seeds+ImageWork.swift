import StintRuntime

@testable import FuzzTargets
@testable import StintImages

extension Seeds {
  /// Checkpoints of each phase of the works of the target, with the partial files that they count
  /// on.
  static func imageWorks() throws -> [[UInt8]] {
    var seeds: [[UInt8]] = []
    for (choice, work) in ImageWorkTarget.works.enumerated() {
      try forEachPayload(of: work) { payload, partialBytes in
        seeds.append(head(choice, partialBytes) + payload.dropFirst(ImageWorkTarget.engine.count))
      }
    }
    let choice = ImageWorkTarget.setChoice | Int(ImageWorkTarget.putsInputIn)
    try forEachPayload(of: ImageWorkTarget.set()) { payload, partialBytes in
      seeds.append(head(choice, partialBytes) + ImageWorkTarget.bare(payload))
    }
    return seeds
  }

  private static func head(_ choice: Int, _ partialBytes: Int) -> [UInt8] {
    [UInt8(choice), UInt8(partialBytes & 255), UInt8(partialBytes >> 8)]
  }

  /// The payload of one state of each shape on the way to the first file, with the length of the
  /// longest partial file.
  private static func forEachPayload(
    of work: some ChunkedComputation, _ body: ([UInt8], Int) -> Void
  ) throws {
    let workspace = MemoryWorkspace()
    try forEachShape(of: work, in: workspace) { state in
      let result = workspace.file(ImageComputation.resultName).sizeBytes
      let others = [ImageGraph.decodedName, ImageComputation.pixelsName].map {
        workspace.file($0).sizeBytes
      }
      let isComplete = "\(state)".contains("complete")
      body(work.bytes(of: state), isComplete ? result : max(result, others.max() ?? 0))
      return !isComplete
    }
  }
}
