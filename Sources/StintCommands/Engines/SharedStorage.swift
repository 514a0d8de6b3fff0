import StintCore
import StintRuntime

/// Looks whether other nodes can see a path.
enum SharedStorage {
  private static let inMemory = ["tmpfs", "ramfs"]
  private static let onDisk = ["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "zfs", "overlay"]

  /// Refuses what lies in this machine's memory or has locks that work on this machine alone; says
  /// what is on a disk of this machine.
  ///
  /// The path is absolute and need not exist yet; the option moves it elsewhere.
  ///
  /// - Returns: Sentences for the user.
  /// - Throws: ``StintError`` with the code `usage` or `unavailable`.
  static func check(
    _ path: String, of option: String = "--jobs-dir"
  ) throws(StintError) -> [String] {
    let mounts = KernelFile.text("/proc/self/mountinfo").map { MountTable(text: $0) }
    guard let mount = mounts?.mount(of: JobsPlace.existingPart(of: path)) else { return [] }
    return try check(path, of: option, on: mount)
  }

  /// The same, with the mount that the path lies on.
  static func check(
    _ path: String, of option: String = "--jobs-dir", on mount: MountTable.Mount
  ) throws(StintError) -> [String] {
    let kind = mount.kind
    if let lockOption = mount.localLockOption {
      throw StintError(
        .unavailable,
        "\(path) is on \(kind) mounted with \(lockOption), so that its locks do not reach other nodes; "
          + "\(mount.adviceOnLocks), or give \(option) on another shared file system.")
    }
    if inMemory.contains(kind) {
      throw StintError(
        .usage,
        "\(path) lies in the memory of this machine (\(kind)), where no other node sees it; give "
          + "\(option) on a shared file system.")
    }
    guard onDisk.contains(kind) else { return [] }
    return [
      "\(path) is on a disk of this machine (\(kind)). That works only if all nodes see it under "
        + "this name."
    ]
  }
}
