import CStint
import Glibc
import StintCore
import StintRuntime

/// The file system of the jobs: tried out in a directory that is removed again.
struct DoctorFiles {
  let jobsPath: String
  var fileSystem: any FileSystem = PosixFileSystem()

  func findings() -> [Finding] {
    let place = JobsPlace.existingPart(of: jobsPath)
    let mount = KernelFile.text("/proc/self/mountinfo").flatMap {
      MountTable(text: $0).mount(of: place)
    }
    var findings = [
      Finding("jobs directory", .ok, place == jobsPath ? jobsPath : "\(jobsPath), to be made"),
      Self.kind(mount),
    ]
    do throws(StintError) {
      let parent = try fileSystem.openDirectory(at: place)
      defer { fileSystem.close(parent) }
      findings += [freeSpace(parent), openat2(parent)]
      let name = "stint-doctor-\(getpid())"
      try fileSystem.makeDirectory(name, in: parent)
      defer { try? fileSystem.removeDirectory(name, in: parent) }
      let directory = try fileSystem.openDirectory(name, in: parent)
      defer { fileSystem.close(directory) }
      findings += [locks(directory), commit(directory)]
    } catch {
      findings.append(
        Finding(
          "writing", .missing, error.message,
          advice: "choose another place with --jobs-dir or STINT_JOBS"))
    }
    return findings
  }

  static func kind(_ mount: MountTable.Mount?) -> Finding {
    let name = "file system"
    guard let mount else { return Finding(name, .warning, "unknown") }
    let text = "\(mount.kind) at \(mount.point)"
    if let option = mount.localLockOption {
      return Finding(
        name, .missing, "\(text), mounted with \(option)",
        advice: "its locks do not reach other nodes; \(mount.adviceOnLocks)")
    }
    if ["tmpfs", "ramfs"].contains(mount.kind) {
      return Finding(name, .warning, text, advice: "jobs are gone when the machine restarts")
    }
    return Finding(
      name, text,
      warnsIf: mount.kind.hasPrefix("nfs") || ["cifs", "smb3", "9p"].contains(mount.kind),
      advice: "it is shared: let no two machines run one job without working locks")
  }

  private func freeSpace(_ directory: OpenFile) -> Finding {
    do {
      let bytes = try fileSystem.freeBytes(in: directory)
      let text = "\(ReportText.grouped(bytes)) bytes"
      guard bytes >= 1 << 20 else {
        return Finding("free space", .missing, text, advice: "make room for checkpoints")
      }
      return Finding("free space", text, warnsIf: bytes < 1 << 30, advice: "large jobs need more")
    } catch {
      return Finding("free space", .warning, "\(error)")
    }
  }

  private func openat2(_ directory: OpenFile) -> Finding {
    let result = stint_probe_openat2(directory.descriptor)
    guard result < 0 else {
      return Finding("openat2", .ok, "links are refused by the kernel")
    }
    return Finding(
      "openat2", .warning, DoctorMachine.reason(-result),
      advice: "links are refused by O_NOFOLLOW instead")
  }

  private func locks(_ directory: OpenFile) -> Finding {
    do throws(StintError) {
      let first = try fileSystem.openFile("lock", in: directory, .create)
      defer {
        fileSystem.close(first)
        try? fileSystem.remove("lock", in: directory)
      }
      let second = try fileSystem.openFile("lock", in: directory, .update)
      defer { fileSystem.close(second) }
      let isTaken = try fileSystem.lock(first)
      let isSeen = try fileSystem.isLocked(second)
      guard isTaken, isSeen else {
        return Finding(
          "locks", .missing, "a lock does not keep a second holder out",
          advice: "choose another file system with --jobs-dir")
      }
      return Finding("locks", .ok, "open-file-description locks work")
    } catch {
      return Finding(
        "locks", .missing, error.message, advice: "choose another file system with --jobs-dir")
    }
  }

  private func commit(_ directory: OpenFile) -> Finding {
    let began = BootClock.now
    do throws(StintError) {
      try fileSystem.replace("probe", in: directory, with: [UInt8](repeating: 0x53, count: 65_536))
      let took = began.duration(to: BootClock.now)
      let file = try fileSystem.openFile("probe", in: directory, .read)
      defer {
        fileSystem.close(file)
        try? fileSystem.remove("probe", in: directory)
      }
      let size = try fileSystem.status(of: file).sizeBytes
      guard size == 65_536 else {
        return Finding("commit", .missing, "a file of 65536 bytes came back with \(size)")
      }
      return Finding("commit", .ok, "write, fsync and rename of 64 KiB in \(took.compactText)")
    } catch {
      return Finding(
        "commit", .missing, error.message, advice: "choose another place with --jobs-dir")
    }
  }
}
