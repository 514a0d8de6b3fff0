import StintCore
import StintRuntime

/// The mounted file systems (proc(5), mountinfo).
struct MountTable: Hashable, Sendable {
  struct Mount: Hashable, Sendable {
    var point: String
    var kind: String
    /// Those of this mount, then those of the file system.
    var options: [String] = []

    /// The option by which locks work on this machine alone, though other machines have the files.
    var localLockOption: String? {
      Self.localLockOptions[kind].flatMap { options.first(where: $0.contains) }
    }

    /// What to do about that option.
    var adviceOnLocks: String {
      kind == "lustre" ? "mount it with flock" : "mount it without \(localLockOption ?? "")"
    }

    private static let ofNFS: Set = ["nolock", "local_lock=all", "local_lock=posix"]
    private static let localLockOptions: [String: Set<String>] = [
      "lustre": ["localflock"], "nfs": ofNFS, "nfs4": ofNFS, "cifs": ["nobrl"], "smb3": ["nobrl"],
    ]
  }

  let mounts: [Mount]

  init(text: String) {
    mounts = text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard let dash = fields.firstIndex(of: "-"), dash >= 6, dash + 1 < fields.count else {
        return nil
      }
      let options = [fields[5]] + fields[(dash + 2)...].dropFirst()
      return Mount(
        point: Self.unescaped(fields[4]), kind: String(fields[dash + 1]),
        options: options.flatMap { $0.split(separator: ",") }.map(String.init))
    }
  }

  /// The mount that a path lies on: the last of those with the longest mount point.
  func mount(of path: String) -> Mount? {
    var best: Mount?
    for mount in mounts where FilePath(path).isWithin(FilePath(mount.point)) {
      if mount.point.utf8.count >= best?.point.utf8.count ?? 0 { best = mount }
    }
    return best
  }

  /// Blanks and backslashes are written as three octal digits.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
