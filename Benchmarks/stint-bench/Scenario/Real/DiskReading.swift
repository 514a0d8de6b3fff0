import CStint
import Foundation
import Glibc
import Stint
import StintCore
import StintScenarios

/// What is on the disk of a job whose process is gone.
enum DiskReading {
  /// The generations that are whole, the newest first, read and checked by the store's own reader;
  /// the folder has one job at most.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  static func generations(in jobs: String, since began: Instant) throws -> [RealTrip.Generation] {
    let catalog = try JobCatalog(jobsDirectory: jobs)
    guard let key = try catalog.keys().first else { return [] }
    let names = try catalog.files(in: "checkpoints", of: key).map(\.name)
    var generations: [RealTrip.Generation] = []
    for report in try catalog.verify(key) {
      guard report.fault == nil, let work = report.workTime else { continue }
      var generation = RealTrip.Generation(
        sequence: report.sequence, work: work.nanoseconds, namedAt: -1)
      let file = Generations.name(of: report.sequence)
      if names.contains(file), let instant = naming(of: "\(jobs)/\(key)/checkpoints/\(file)") {
        generation.namedAt = began.duration(to: instant).nanoseconds
      }
      generations.append(generation)
    }
    return generations
  }

  /// The work of a job whose result is durable, by the last record of its journal; nil if it is not
  /// finished.
  static func finishedWork(in jobs: String) throws -> Nanoseconds? {
    let catalog = try JobCatalog(jobsDirectory: jobs)
    guard let key = try catalog.keys().first else { return nil }
    return catalog.summary(of: key).journal.finish?.workTime.nanoseconds
  }

  /// When a file got its name: the change of its status that a rename is, by the wall clock, told
  /// on the boot-time clock.
  static func naming(of path: String) -> Instant? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    // By their places: of which module the members are depends on how the program is linked.
    let changed = withUnsafeBytes(of: status.st_ctim) { bytes in
      bytes.load(as: Int64.self) &* 1_000_000_000
        &+ bytes.load(fromByteOffset: 8, as: Int64.self)
    }
    let age = stint_wall_ns() - changed
    return BootClock.now.advanced(by: .nanoseconds(-age))
  }
}
