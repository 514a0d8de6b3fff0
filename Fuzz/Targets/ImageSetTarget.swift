#if Images
import StintCore

@testable import StintImages
@testable import StintRuntime

/// The ledger of a set of images, and the note where a set stood still.
///
/// The first byte says which it is, and whether the lines are sealed before they are read, so that
/// the fuzzer gets past checksums that it cannot compute. The rest is the file; a line that is
/// sealed ends with the member before the seal.
enum ImageSetTarget {
  // A run of places is three bytes of text and one number for each place below that of the last
  // input, of which there are as many as lines.
  private static let allowance = Allowance(
    peakBytes: (fixed: 131_072, perByte: 256), totalBytes: (fixed: 524_288, perByte: 2048))
  private static let plan = needed("no plan") {
    try ImageSetPlan(
      items: [], pipeline: FilterPipeline(parsing: ["invert"]), selection: .init(),
      takesFrames: true, output: .init(format: "png", suffix: ""))
  }

  static func examine(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let text = input.dropFirst()
    let bytes = first & 1 == 0 ? Array(text) : sealed(text)
    if first & 2 == 0 { examineLedger(bytes, input) } else { examineStanding(bytes) }
  }

  private static func examineLedger(_ bytes: [UInt8], _ input: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    let (read, list) = allowance.measured(bytes.count) {
      let read = lines.compactMap { ImageSetLine($0) }
      if !read.isEmpty { Plant.accepted(input) }
      return (read, ImageSetLedger.list(in: bytes))
    }
    for line in read {
      if case .done(_, let result) = line { Plant.rare(result.frames > 3) }
      let encoded = Plant.spoils ? line.encoded.dropFirst() : line.encoded.dropLast()
      let again = ImageSetLine(encoded)
      // Texts that look the same are equal, and here their bytes have to be.
      require(
        again == line && again?.encoded == line.encoded, "\(line) is not written as it was read")
    }
    checkReplay(read)
    guard let list else { return }
    require(list.items.count == list.numbers.count, "inputs without numbers")
    require(list.wholeCount >= list.items.count, "a part that is larger than the whole")
    require(
      list.numbers.allSatisfy { (0...list.wholeCount).contains($0) }, "a number of another set")
  }

  /// What the lines say together: places are those of inputs that there are, and no line of other
  /// work is taken in.
  private static func checkReplay(_ lines: [ImageSetLine]) {
    var state = ImageSetLedger.State()
    for (number, line) in lines.enumerated() {
      _ = unlessRefused("a line of other work", .damaged) {
        try state.apply(line, number + 1, plan)
      }
    }
    require(
      state.order.allSatisfy(state.entries.indices.contains), "\(state.order) without inputs")
    require(state.order.count <= state.entries.count, "more places than inputs")
    for entry in state.entries {
      require(
        entry.results.allSatisfy { $0.key >= 0 && $0.key < $0.value.frames },
        "a frame that is not there")
    }
  }

  /// The next stint without progress is one more at the same place.
  private static func examineStanding(_ bytes: [UInt8]) {
    let workspace = MemoryWorkspace()
    let file = workspace.file(ImageSetStanding.fileName)
    file.bytes = bytes
    let standing = ImageSetStanding()
    require((try? standing.load(in: workspace)) != nil, "a note is an error")
    guard let object = SealedLine.object(bytes.dropLast()),
      let position = try? object.text("position"),
      let item: Int = try? object.integer("place"), let frame: Int = try? object.integer("frame")
    else { return }
    let place = ImageSetStanding.Place(unit: .init(item: item, frame: frame), position: position)
    let before: Int = standing.isAlone(place.unit) ? (try? object.integer("stints")) ?? 0 : 0
    standing.stoodStill(at: place, in: workspace)
    let again = SealedLine.object(file.bytes.dropLast())
    require((try? again?.integer("stints")) == before + 1, "a stint that was not counted")
    require((try? again?.text("position")) == position, "a place that was not kept")
  }

  static func sealed(_ text: some Collection<UInt8>) -> [UInt8] {
    text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).flatMap { line in
      let body = Array(line)
      return body + Array(",\"xxh3\":\"\(XXH3Checksum.digest(body))\"}\n".utf8)
    }
  }
}
#endif
