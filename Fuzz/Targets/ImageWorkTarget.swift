#if Images
import Glibc
import StintCore
import StintRuntime

@testable import StintImages

/// The checkpoints of the work on an image, and of that on many.
///
/// The first byte of the input chooses the work, and whether the set's own input is put into its
/// checkpoint; the next two are the length of the partial files that it counts on. The rest is the
/// payload without the name of libvips, which is put in.
enum ImageWorkTarget {
  static let prefixBytes = 3
  /// The choice of the set; those before are the works on one image.
  static let setChoice = 3
  static let putsInputIn: UInt8 = 4
  /// Where the checkpoint of a set has the phase, the input, and behind it the state of an image.
  private static let (phasePlace, inputPlace, statePlace) = (8, 25, 89)
  private static let mostPartialBytes = 8191

  // The first input of a set opens libvips' decoder.
  private static let allowance = Allowance(
    peakBytes: (fixed: 2 << 20, perByte: 256), totalBytes: (fixed: 8 << 20, perByte: 1024))

  static func examine(_ input: [UInt8]) {
    guard input.count >= prefixBytes else { return }
    let size = (Int(input[1]) | Int(input[2]) << 8) & mostPartialBytes
    let rest = Array(input.dropFirst(prefixBytes))
    let choice = Int(input[0] & 3)
    if choice == setChoice {
      examineSet(rest, putsInputIn: input[0] & putsInputIn != 0, partialBytes: size, input)
    } else {
      examineImage(engine + rest, works[choice], partialBytes: size, input)
    }
  }

  // MARK: One image

  /// Work whose source is decoded first, for an encoder that can go on; work whose format is
  /// written at once; and work that filters while it decodes.
  static let works = needed("no work") {
    try VipsLibrary.start(threads: 1)
    return [
      try work(
        png, ["equalise", "invert"], try OutputRequest(format: "tiff", path: nil, tile: 16)),
      try work(
        MemorySource.lasting(SampleImages.jpeg(shape(30, 50, .rgb))), ["resize:50%"],
        try OutputRequest(format: "webp", path: nil, compression: "lossless"), streams: true),
      try work(
        png, ["invert"], try OutputRequest(format: "tiff", path: nil, tile: 16), streams: true),
    ]
  }

  private static func shape(_ width: Int, _ height: Int, _ color: PixelShape.Color) -> PixelShape {
    PixelShape(width: width, height: height, color: color)
  }

  private static let png = needed("no PNG") {
    MemorySource.lasting(try SampleImages.file(PNGEncoder(shape: shape(20, 40, .gray))))
  }

  private static func work(
    _ file: SourceFile, _ filters: [String], _ request: OutputRequest, streams: Bool = false
  ) throws -> ImageComputation {
    let plan = try ImagePlan(
      source: ImageSource(file), pipeline: FilterPipeline(parsing: filters), request: request,
      threads: 1, stripBytes: 200)
    return ImageComputation(
      plan, fingerprint: .none(of: file), streams: streams, deliver: { _, _ in })
  }

  /// What a payload begins with.
  static let engine: [UInt8] = {
    let name = Array(VipsLibrary.engine.utf8)
    return (0..<8).map { UInt8(truncatingIfNeeded: name.count >> (8 * $0)) } + name
  }()

  private static func examineImage(
    _ payload: [UInt8], _ work: ImageComputation, partialBytes: Int, _ input: [UInt8]
  ) {
    let workspace = partialFiles(partialBytes)
    let state = allowance.accepted(input) { decoded(payload, by: work, in: workspace) }
    guard let state else { return }
    var again = work.bytes(of: state)
    if Plant.spoils { again[again.count - 1] ^= 1 }
    require(again == payload, "the state is not encoded as it was read")
    checkOutlook(work.outlook(of: state))
  }

  private static func checkOutlook(_ outlook: Outlook) {
    require((0...1).contains(outlook.progress.fraction), "progress \(outlook.progress.fraction)")
    require(
      outlook.remainingCost >= 0 && outlook.remainingCost.isFinite,
      "the rest costs \(outlook.remainingCost)")
    guard let next = outlook.next else { return }
    require(
      next.smallest > 0 && next.smallest.isFinite && next.smallest <= next.largest, "\(next)")
  }

  // MARK: Many images

  private static let plan = needed("no set") {
    let request = try OutputRequest(format: "png", path: nil)
    return try ImageSetPlan(
      items: [png, works[1].plan.source.file].enumerated().map { number, file in
        .init(
          path: FilePath(file.descriptorPath), stem: "\(number)", ending: "png", request: request)
      },
      pipeline: FilterPipeline(parsing: ["equalise", "invert"]), selection: .init(),
      takesFrames: false, output: .init(format: request.canonicalText, suffix: ""))
  }

  /// A folder that stays empty.
  private static let folder: String = {
    let path = "/dev/shm/stint-fuzz-empty"
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { fatalError("no \(path): \(errno)") }
    return path
  }()

  /// The work on two images, each by itself.
  static func set() -> ImageSetComputation {
    var limits = ImageSetComputation.Limits()
    (limits.fileBytes, limits.stripBytes) = (1, 200)
    return needed("no set") {
      try ImageSetComputation(plan, into: folder, threads: 1, limits: limits)
    }
  }

  /// The ledger of a set on which nothing was done.
  private static let ledger: [UInt8] = {
    let workspace = MemoryWorkspace()
    _ = needed("the set does not start") { try set().start(in: workspace) }
    return workspace.file(ImageSetLedger.fileName).bytes
  }()

  /// The identity and the fingerprint of the first input, as a checkpoint has them.
  private static let firstInput: [UInt8] = {
    let fingerprint = needed("no fingerprint") { try png.wholeFingerprint() }
    let identity = png.identity
    let words = [
      identity.device, identity.inode, UInt64(identity.sizeBytes),
      UInt64(bitPattern: identity.modified), UInt64(bitPattern: identity.changed),
      UInt64(fingerprint.sizeBytes),
    ]
    return words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
      + fingerprint.checksum.bytes
  }()

  /// A set's payload as an input has it: of no ledger in particular, without libvips' name.
  static func bare(_ payload: [UInt8]) -> [UInt8] {
    var bare = payload
    bare.replaceSubrange(..<phasePlace, with: repeatElement(0, count: phasePlace))
    guard bare[phasePlace] == 2 else { return bare }
    bare.removeSubrange(statePlace..<statePlace + engine.count)
    bare.replaceSubrange(
      inputPlace..<statePlace, with: repeatElement(0, count: statePlace - inputPlace))
    return bare
  }

  private static func examineSet(
    _ rest: [UInt8], putsInputIn: Bool, partialBytes: Int, _ input: [UInt8]
  ) {
    var payload = rest
    if payload.count >= statePlace, payload[phasePlace] == 2 {
      payload.insert(contentsOf: engine, at: statePlace)
      if putsInputIn { payload.replaceSubrange(inputPlace..<statePlace, with: firstInput) }
    }
    let workspace = partialFiles(partialBytes)
    workspace.file(ImageSetLedger.fileName).bytes = ledger
    let work = set()
    let state = allowance.accepted(input) { decoded(payload, by: work, in: workspace) }
    guard let state else { return }
    Plant.rare(state.current?.unit.frame ?? 0 > 0)
    let bytes = work.bytes(of: state)
    let read = decoded(bytes, by: set(), in: workspace)
    require(read != nil, "a checkpoint that was just written is damaged")
    require(kind(read?.current) == kind(state.current), "a set that stands elsewhere")
    checkOutlook(work.outlook(of: state))
  }

  /// Which image is worked on, and what is done with it.
  private static func kind(_ current: ImageSetState.Current?) -> [Int] {
    guard let current else { return [] }
    let isRead = if case .reading = current.phase { 0 } else { 1 }
    return [current.unit.item, current.unit.frame, isRead]
  }

  // MARK: Both

  private static func partialFiles(_ partialBytes: Int) -> MemoryWorkspace {
    let workspace = MemoryWorkspace()
    for name in [
      ImageGraph.decodedName, ImageComputation.pixelsName, ImageComputation.resultName,
    ] {
      workspace.file(name).bytes = [UInt8](repeating: 0, count: partialBytes)
    }
    return workspace
  }

  /// The state; nil if it is refused, which is always damage.
  private static func decoded<Work: ChunkedComputation>(
    _ payload: [UInt8], by work: Work, in workspace: MemoryWorkspace
  ) -> Work.State? {
    unlessRefused("a bad checkpoint", .damaged, .mismatch) {
      try payload.withUnsafeBytes { try work.decode($0, in: workspace) }
    }
  }
}
#endif
