import Foundation

/// What a run is doing, read off the files of its directory.
///
/// It runs in a ``Scratch`` with `--events e --output f`. The files are those of an instant only if
/// the process stands still.
enum RunPhase: String, CaseIterable {
  /// From the process's first instruction to the first event of a stint.
  case startUp = "start-up"
  /// At work, with no checkpoint on its way.
  case chunk
  /// A checkpoint is being written, or has its name and is not yet told of.
  case commit
  /// A checkpoint is written under its temporary name, its header last: it is read back and waits
  /// for the disk.
  case verification
  /// The result has a name beside the final one, or that one.
  case delivery

  init(of scratch: Scratch) {
    // The events' thread may be a moment behind: a first chunk then counts as start-up, never the
    // other way round.
    if Journal(text: scratch.text("e")).all("stintBegan").isEmpty {
      self = .startUp
    } else if scratch.isDelivering {
      self = .delivery
    } else if let temporary = scratch.checkpointBeingWritten {
      self = scratch.isCheckpoint(temporary) ? .verification : .commit
    } else {
      self = scratch.newestCheckpointFile > scratch.journal.newestCheckpoint ? .commit : .chunk
    }
  }
}

extension Scratch {
  /// The temporary name of the checkpoint that is on its way, below this directory.
  var checkpointBeingWritten: String? {
    job.flatMap { job in
      names(in: job + "/checkpoints").first { $0.hasSuffix(".tmp") }
        .map { job + "/checkpoints/" + $0 }
    }
  }

  /// The number of the newest generation under its final name; 0 before there is one.
  var newestCheckpointFile: UInt64 {
    checkpoints.compactMap { UInt64($0.split(separator: "/").last?.prefix(6) ?? "") }.max() ?? 0
  }

  /// Whether the result is on its way to its final name, or has it.
  var isDelivering: Bool { names(in: ".").contains { $0.hasPrefix(".f.") || $0 == "f" } }

  /// Whether a file begins with the magic of a checkpoint.
  ///
  /// The header is written last, in one call, so that the rest is there, too.
  func isCheckpoint(_ name: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: self(name)) else { return false }
    return (try? file.read(upToCount: 4)) == Data([0xD3, 0x53, 0x54, 0x4E])
  }
}
