import StintCore

/// The limits of this process's cgroup and of those above it, each of which holds for all below it.
///
/// Of version 2 and of version 1, which has a tree for each controller (cgroups(7)).
package struct ControlGroup: Sendable {
  /// A folder of limits, in the words of its version.
  private struct Folder: Hashable {
    var path: FilePath
    var isUnified: Bool
  }

  /// A mounted tree, or a part of one.
  private struct Mount {
    /// Of version 1; empty for version 2.
    var controllers: [String]
    var isUnified: Bool
    var root: FilePath
    var point: FilePath
  }

  private let read: @Sendable (String) -> String?
  /// As they were at the beginning.
  ///
  /// A machine may have thousands of mounts, too many to read every second. A process may be moved
  /// to another cgroup, but nobody mounts these trees elsewhere.
  private let mounts: [Mount]

  /// Looks through a reader of files; nil stands for a file that is not there.
  package init(read: @escaping @Sendable (String) -> String?) {
    self.read = read
    mounts = (read("/proc/self/mountinfo")?.split(separator: "\n") ?? []).compactMap(Self.mount)
  }

  /// That of this process.
  package static let current = ControlGroup { KernelFile.text($0) }

  /// The bytes that may still be taken before the nearest limit; nil without a limit.
  ///
  /// What the kernel keeps of files can be given back, so it does not count as used.
  package var memoryLeft: Int? {
    folders(of: "memory").compactMap { folder in
      let names =
        folder.isUnified
        ? (limit: "memory.max", used: "memory.current", cached: "")
        : (limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes", cached: "total_")
      guard let limit = number(folder, names.limit), limit < Self.unlimited,
        let used = number(folder, names.used)
      else { return nil }
      let cached = figures(
        of: folder, in: "memory.stat",
        ["\(names.cached)inactive_file", "\(names.cached)active_file"])
      return max(0, limit - max(0, used - cached))
    }.min()
  }

  /// How often a limit of memory was reached, here or above; version 1 has no such count.
  ///
  /// `memory.events` counts those of the cgroups below, too, so above one's own only the local
  /// counts are of interest: a neighbour's limit is not ours.
  package var memoryEvents: Int {
    folders(of: "memory").enumerated().reduce(0) { sum, place in
      let file = place.offset == 0 ? "memory.events" : "memory.events.local"
      return sum + figures(of: place.element, in: file, ["high", "max"])
    }
  }

  /// How long something here waited for memory, as the kernel writes it; nil if it does not.
  package var memoryPressure: String? {
    folders(of: "memory").first { $0.isUnified }.flatMap { text($0, "memory.pressure") }
  }

  /// How many processors may be used at a time; nil without a limit.
  package var processorQuota: Double? {
    folders(of: "cpu").compactMap { folder in
      if folder.isUnified {
        let parts = text(folder, "cpu.max")?.split { $0 == " " || $0 == "\n" } ?? []
        guard parts.count == 2, let quota = Double(parts[0]), let period = Double(parts[1]),
          period > 0
        else { return nil }
        return quota / period
      }
      guard let quota = number(folder, "cpu.cfs_quota_us"), quota > 0,
        let period = number(folder, "cpu.cfs_period_us"), period > 0
      else { return nil }
      return Double(quota) / Double(period)
    }.min()
  }

  /// Where this process's cgroup of version 2 lies in the file system; nil where no path leads to
  /// it.
  var ownPath: String? {
    guard let mount = mounts.first(where: { $0.isUnified && $0.root == "/" }),
      let own = read("/proc/self/cgroup")?.split(separator: "\n").first(where: {
        $0.hasPrefix("0::/")
      })?.dropFirst(3)
    else { return nil }
    // Above the root of this process's namespace nothing can be reached by a path.
    guard !own.hasPrefix("/..") else { return nil }
    return own == "/" ? mount.point.text : mount.point.text + own
  }

  /// Version 1 says "no limit" by the largest number of whole pages.
  private static let unlimited = 1 << 60

  // MARK: Where the limits are

  /// The folders of a controller, from this process's own up to the root of what is mounted.
  private func folders(of controller: String) -> [Folder] {
    let lines = read("/proc/self/cgroup")?.split(separator: "\n") ?? []
    return lines.flatMap { line -> [Folder] in
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return [] }
      let isUnified = fields[0] == "0" && fields[1].isEmpty
      guard isUnified || fields[1].split(separator: ",").contains(Substring(controller)),
        let mount = mounts.first(where: { mount in
          isUnified ? mount.isUnified : mount.controllers.contains(controller)
        })
      else { return [] }
      return folders(FilePath(fields[2]), in: mount)
    }
  }

  private func folders(_ own: FilePath, in mount: Mount) -> [Folder] {
    // Of what lies above the root of this namespace only the mount itself can be reached by a path.
    var parts =
      own.isWithin(mount.root) && !own.parts.contains("..")
      ? own.parts.dropFirst(mount.root.parts.count) : []
    var folders: [Folder] = []
    while true {
      let path = parts.reduce(mount.point) { $0.appending($1) }
      folders.append(Folder(path: path, isUnified: mount.isUnified))
      guard parts.popLast() != nil else { return folders }
    }
  }

  /// From a line of `/proc/self/mountinfo`; nil for any other file system.
  private static func mount(_ line: Substring) -> Mount? {
    // proc_pid_mountinfo(5): optional fields end with a hyphen; type, source and the tree's own
    // options follow it.
    let fields = line.split(separator: " ")
    guard let hyphen = fields.firstIndex(of: "-"), hyphen > 4, hyphen + 3 < fields.count,
      fields[hyphen + 1] == "cgroup" || fields[hyphen + 1] == "cgroup2"
    else { return nil }
    let isUnified = fields[hyphen + 1] == "cgroup2"
    return Mount(
      controllers: isUnified ? [] : fields[hyphen + 3].split(separator: ",").map(String.init),
      isUnified: isUnified,
      root: FilePath(fields[3]), point: FilePath(fields[4]))
  }

  // MARK: Reading

  private func text(_ folder: Folder, _ name: String) -> String? {
    read(folder.path.appending(FilePath(name)).text)
  }

  /// The number that is all of a file; nil if it is a word, as `max`.
  private func number(_ folder: Folder, _ name: String) -> Int? {
    text(folder, name).flatMap { Int($0.prefix { !$0.isNewline }) }
  }

  /// The sum of some figures of a file such as `memory.stat`.
  private func figures(of folder: Folder, in file: String, _ names: [String]) -> Int {
    let lines = text(folder, file)?.split(separator: "\n") ?? []
    return lines.reduce(0) { sum, line in
      let words = line.split(separator: " ")
      guard words.count == 2, names.contains(String(words[0])) else { return sum }
      return sum + (Int(words[1]) ?? 0)
    }
  }
}
