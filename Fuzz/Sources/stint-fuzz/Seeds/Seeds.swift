import Glibc
import StintCore
import StintRuntime

@testable import FuzzTargets

/// The first inputs of every target, made from the golden files of the tests and by the encoders.
enum Seeds {
  /// Writes `folder/TARGET/seed-NN` for every target, over what has that name.
  static func write(to folder: String) throws {
    let fileSystem = PosixFileSystem()
    let root = try fileSystem.openDirectory(at: folder)
    defer { fileSystem.close(root) }
    for target in FuzzTarget.allCases {
      let directory = try fileSystem.openOrMakeDirectory(target.rawValue, in: root)
      defer { fileSystem.close(directory) }
      for (number, seed) in try seeds(of: target).enumerated() {
        require(seed.count <= target.largestInputBytes, "seed \(number) of \(target) is too long")
        let name = "seed-" + (number < 10 ? "0" : "") + String(number)
        let file = try fileSystem.openFile(name, in: directory, .createOrUpdate)
        defer { fileSystem.close(file) }
        try fileSystem.truncate(file, to: 0)
        try fileSystem.writeAll(file, seed, at: 0)
        try fileSystem.setPermissions(0o644, of: file)
      }
    }
  }

  private static func seeds(of target: FuzzTarget) throws -> [[UInt8]] {
    switch target {
    case .checkpoint: checkpoints
    case .jobRecord: jobFiles.map { Array($0.utf8) }
    case .journal: journals.map { Array($0.utf8) }
    case .duration: durations.map { Array($0.utf8) }
    case .commandLine: commandLines
    case .fibonacci: try fibonacciStates()
    case .systemProtocol: conversations
    case .batch: batches.map { Array($0.utf8) }
    case .request: requests.map { Array($0.utf8) }
    case .tiff: tiffs
    case .strips: try strips()
    case .exif: exifs
    case .imageSet: try imageSets()
    case .imageState: imageStates
    case .imageWork: try imageWorks()
    case .imageList: imageLists
    }
  }

  private static let durations = [
    "250ms", "1h30m", "1.5s", ".5s", "1m1s1ms1us1ns", "36525d", "0.1234567891s", "3min", "7µs",
    "106751d23h47m16.854775807s", "-1s", "1e3s", "999999999999d", "1s1h", "10",
  ]

  private static let commandLines: [[UInt8]] =
    [
      "", "--help", "--version --json", "help run", "version --json", "list --json",
      "status fibonacci-1f0c5a93b2d4e687 --json", "watch JOB --tick 100ms", "pause JOB",
      "resume JOB --threads 2 --budget 10s", "stop JOB --now", "verify JOB", "clean --all",
      "clean A B --dry-run", "doctor", "run fibonacci 1e8 --budget 10s --until-done -o f.txt",
      "run fibonacci 100_000 --lead 1s --budget 30s --stop-grace 2s --tick 50ms --rest 0s",
      "run fibonacci --sequence 0..100 -qf --events e --keep --fresh --jobs-dir=/j",
      "run fibonacci 7 --until 06:00 --policy ios13 --format hex --threads 1024",
      "run fibonacci 7 --until 2027-01-01T06:00:00+01:00 --checkpoint-every 1m --unfinished-exit-code 85",
      "run fibonacci 7 --unt 2026-11-21T23:00Z --dry-run", "run fibonaci 10", "lst",
      "run -- fibonacci -5", "run fibonacci 5 --budget",
    ]
    .enumerated().map { number, line in
      [UInt8(number % 2)] + line.utf8.map { $0 == UInt8(ascii: " ") ? 0 : $0 }
    }

  private static let jobFiles = [
    """
    {
      "createdUnixSeconds" : 1800000000.001,
      "formatVersion" : 1,
      "kind" : "test",
      "outputPath" : "/out/result",
      "parameterHash" : "759df5a87d496455e30959e6f27dbdb8",
      "parameters" : {
        "n" : "5"
      }
    }

    """,
    #"{"createdUnixSeconds":1,"formatVersion":2,"kind":"fibonacci","parameterHash":"00","parameters":{}}"#,
    #"{"createdUnixSeconds":1e9,"formatVersion":1,"kind":"a","outputPath":null,"#
      + #""parameterHash":"","parameters":{"a=b":"%\u0001\ud83d\ude80","":"\n"}}"#,
    #"{"host":"h","bootId":"b-1","pid":4711,"startTicks":123456,"unixSeconds":1795246242.123}"#,
    #"{"host":"h"}"#,
  ]
}
