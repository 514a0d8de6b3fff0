/// What is fuzzed.
enum FuzzTarget: String, CaseIterable, Sendable {
  case checkpoint
  case jobRecord = "job-record"
  case journal
  case duration
  case commandLine = "command-line"
  case fibonacci
  case systemProtocol = "system-protocol"
  case batch
  case request
  #if Images
  case tiff
  case strips
  case exif
  case imageSet = "image-set"
  case imageState = "image-state"
  case imageWork = "image-work"
  case imageList = "image-list"
  #endif

  /// The target that this process was started for.
  ///
  /// The driver hands its callback nothing but the input.
  static let chosen: FuzzTarget = {
    guard let target = CommandLine.arguments.dropFirst().first.flatMap(FuzzTarget.init) else {
      fatalError("the first argument names the target")
    }
    return target
  }()

  /// The longest input that is worth trying, in bytes.
  var largestInputBytes: Int { check.largestInputBytes }

  /// Checks one input; a fault ends the process.
  func examine(_ input: UnsafeBufferPointer<UInt8>) { check.examine(Array(input)) }

  private var check: (largestInputBytes: Int, examine: ([UInt8]) -> Void) {
    switch self {
    case .checkpoint: (1024, CheckpointTarget.examine)
    case .jobRecord: (4096, JobRecordTarget.examine)
    case .journal: (2048, JournalTarget.examine)
    case .duration: (96, DurationTarget.examine)
    case .commandLine: (512, CommandLineTarget.examine)
    case .fibonacci: (2048, FibonacciTarget.examine)
    case .systemProtocol: (2048, ProtocolTarget.examine)
    case .batch: (1024, BatchTarget.examine)
    case .request: (2048, RequestTarget.examine)
    #if Images
    case .tiff: (1024, TIFFTarget.examine)
    case .strips: (1024, StripsTarget.examine)
    case .exif: (512, ExifTarget.examine)
    case .imageSet: (2048, ImageSetTarget.examine)
    case .imageState: (512, ImageStateTarget.examine)
    case .imageWork: (512, ImageWorkTarget.examine)
    case .imageList: (256, ImageListTarget.examine)
    #endif
    }
  }
}
