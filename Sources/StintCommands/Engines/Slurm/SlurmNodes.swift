import Glibc
import StintCore
import StintRuntime

/// Tries on several nodes at once whether the jobs directory is shared and its locks work.
struct SlurmNodes {
  private static let name = "locks between nodes"
  /// How long an allocation may take to begin; Slurm counts whole seconds.
  private static let allocationMayTakeSeconds = 30

  let slurm: Slurm
  let jobsPath: String
  let program: String
  var srun = ["srun"]
  /// How long all of it may take.
  var patience = Duration.seconds(60)
  var fileSystem: any FileSystem = PosixFileSystem()

  /// What is known without an allocation.
  func untried() -> Finding {
    do throws(StintError) {
      _ = try SharedStorage.check(jobsPath)
      return Finding(Self.name, .ok, "not tried", advice: "stint doctor --nodes 2 tries them")
    } catch {
      return Finding(Self.name, .warning, error.message)
    }
  }

  /// Runs one process on each node.
  func tried(_ count: Int) -> Finding {
    if let job = slurm.job {
      return Finding(
        Self.name, .warning, "not tried inside of \(job.text)",
        advice: "run stint doctor --nodes \(count) where no job runs")
    }
    do throws(StintError) {
      let place = JobsPlace.existingPart(of: jobsPath)
      let parent = try fileSystem.openDirectory(at: place)
      defer { fileSystem.close(parent) }
      let name = "stint-doctor-\(getpid())-nodes"
      try fileSystem.makeDirectory(name, in: parent)
      defer { try? fileSystem.removeDirectory(name, in: parent) }
      let folder = try fileSystem.openDirectory(name, in: parent)
      defer {
        LockProbe.remove(count, in: folder, of: fileSystem)
        fileSystem.close(folder)
      }
      try LockProbe.prepare(count, in: folder, of: fileSystem)
      switch slurm.answer(command(count, in: "\(place)/\(name)"), within: patience) {
      case .success(let text):
        let reports = text.split(separator: "\n").compactMap { LockProbe.Report(line: $0) }
        return Self.finding(reports, of: count, in: place)
      case .failure(let failure):
        return Finding(
          Self.name, .warning, "not tried: \(failure.why)",
          advice: "SLURM_PARTITION and SLURM_ACCOUNT say where srun may run")
      }
    } catch {
      return Finding(
        Self.name, .missing, error.message,
        advice: "choose another place with --jobs-dir or STINT_JOBS")
    }
  }

  private func command(_ count: Int, in folder: String) -> [String] {
    srun + [
      "--quiet", "--nodes=\(count)", "--ntasks=\(count)", "--ntasks-per-node=1",
      "--time=1", "--immediate=\(Self.allocationMayTakeSeconds)", "--job-name=stint-doctor",
      program, LockProbe.verb, folder, String(count),
    ]
  }

  /// What the reports of all nodes mean together.
  static func finding(
    _ reports: [LockProbe.Report], of count: Int, in place: String
  ) -> Finding {
    let nodes = Set(reports.map(\.node)).sorted()
    guard reports.count == count, nodes.count == count else {
      let who = nodes.isEmpty ? "none" : "only \(nodes.joined(separator: " and "))"
      return Finding(
        name, .warning, "not tried: of \(count) nodes \(who) answered",
        advice: "the program must have the same path on all nodes")
    }
    let share = "put the jobs on a file system that all nodes see, with --jobs-dir or STINT_JOBS"
    for report in reports {
      if let problem = report.problem {
        return Finding(name, .missing, "on \(report.node): \(problem)", advice: share)
      }
      if report.met < count - 1 {
        return Finding(
          name, .missing, "\(report.node) does not see what another node writes in \(place)",
          advice: share)
      }
    }
    if let blind = reports.first(where: { $0.seen < count - 1 }) {
      return Finding(
        name, .missing, "\(blind.node) does not see a lock that another node holds in \(place)",
        advice: "two nodes could run one job at once; mount it with locks, or choose another")
    }
    return Finding(
      name, .ok, "\(nodes.joined(separator: " and ")) see each other's locks in \(place)")
  }
}
