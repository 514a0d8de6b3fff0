import StintRuntime
import StintTesting

@testable import FuzzTargets
@testable import StintImages

extension Seeds {
  /// Checkpoints of each phase of the works of the target, with the partial files that they count
  /// on.
  static func imageWorks() throws -> [[UInt8]] {
    var seeds: [[UInt8]] = []
    for (choice, work) in ImageWorkTarget.works.enumerated() {
      try forEachShape(of: work) { state, payload, partialBytes in
        seeds.append(head(choice, partialBytes) + payload.dropFirst(ImageWorkTarget.engine.count))
      }
    }
    let choice = ImageWorkTarget.setChoice | Int(ImageWorkTarget.putsInputIn)
    try forEachShape(of: ImageWorkTarget.set()) { state, payload, partialBytes in
      seeds.append(head(choice, partialBytes) + ImageWorkTarget.bare(payload))
    }
    return seeds
  }

  private static func head(_ choice: Int, _ partialBytes: Int) -> [UInt8] {
    [UInt8(choice), UInt8(partialBytes & 255), UInt8(partialBytes >> 8)]
  }

  /// One state of each shape on the way to the first file, as for Fibonacci; with its payload and
  /// the length of the longest partial file.
  private static func forEachShape<Work: ChunkedComputation>(
    of work: Work, _ body: (Work.State, [UInt8], Int) -> Void
  ) throws {
    let workspace = MemoryWorkspace()
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace)
    var state = try work.start(in: workspace)
    var seen: Set<Set<Substring>> = []
    while true {
      let result = workspace.file(ImageComputation.resultName).sizeBytes
      let others = [ImageGraph.decodedName, ImageComputation.pixelsName].map {
        workspace.file($0).sizeBytes
      }
      let isComplete = "\(state)".contains("complete")
      if seen.insert(Set("\(state)".split { !$0.isLetter })).inserted {
        body(state, work.bytes(of: state), isComplete ? result : max(result, others.max() ?? 0))
      }
      guard !isComplete, let next = work.outlook(of: state).next,
        let chunk = try work.run(from: state, atMost: next.smallest, in: context)
      else { return }
      state = chunk.state
    }
  }
}
