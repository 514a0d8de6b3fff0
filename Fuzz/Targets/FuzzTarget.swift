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
  var largestInputBytes: Int {
    switch self {
    case .checkpoint: 1024
    case .jobRecord: 4096
    case .journal: 2048
    case .duration: 96
    case .commandLine: 512
    case .fibonacci: 2048
    case .systemProtocol: 2048
    case .batch: 1024
    #if Images
    case .tiff: 1024
    case .strips: 1024
    case .exif: 512
    case .imageSet: 2048
    case .imageState: 512
    case .imageWork: 512
    case .imageList: 256
    #endif
    }
  }

  /// Checks one input; a fault ends the process.
  func examine(_ input: UnsafeBufferPointer<UInt8>) {
    let input = Array(input)
    switch self {
    case .checkpoint: CheckpointTarget.examine(input)
    case .jobRecord: JobRecordTarget.examine(input)
    case .journal: JournalTarget.examine(input)
    case .duration: DurationTarget.examine(input)
    case .commandLine: CommandLineTarget.examine(input)
    case .fibonacci: FibonacciTarget.examine(input)
    case .systemProtocol: ProtocolTarget.examine(input)
    case .batch: BatchTarget.examine(input)
    #if Images
    case .tiff: TIFFTarget.examine(input)
    case .strips: StripsTarget.examine(input)
    case .exif: ExifTarget.examine(input)
    case .imageSet: ImageSetTarget.examine(input)
    case .imageState: ImageStateTarget.examine(input)
    case .imageWork: ImageWorkTarget.examine(input)
    case .imageList: ImageListTarget.examine(input)
    #endif
    }
  }
}
