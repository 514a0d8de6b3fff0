import Stint

// What a test does to the disk beside the store: no call, no fault.

extension FaultyFileSystem {
  /// The node at a path, for the project's own tests.
  package func node(_ path: String) -> DiskNode? {
    withoutCall { (disk, _) in disk.node(path) }
  }

  /// The bytes of a file, or nil if there is none.
  ///
  /// - Parameter path: The file.
  /// - Returns: What a process would read.
  public func contents(of path: String) -> [UInt8]? {
    withoutCall { (disk, _) in
      disk.node(path).flatMap { $0.kind == .regular ? $0.data : nil }
    }
  }

  /// Puts a file on the disk, durably, and the directories above it.
  ///
  /// - Parameters:
  ///   - bytes: What it holds.
  ///   - path: The file.
  public func setContents(_ bytes: [UInt8], of path: String) {
    let (parent, name) = Self.split(path)
    makeDirectories(parent)
    withoutCall { (disk, _) in
      guard let directory = disk.node(parent) else { return }
      let file = directory.entries[name] ?? disk.makeNode(.regular)
      file.data = bytes
      file.becomeDurable()
      directory.place(name, file)
    }
  }

  /// Makes a directory and those above it, durably.
  ///
  /// - Parameter path: The directory.
  public func makeDirectories(_ path: String) {
    withoutCall { (disk, _) in
      var directory = disk.root
      for name in path.split(separator: "/").map(String.init) {
        let next = directory.entries[name] ?? disk.makeNode(.directory)
        directory.place(name, next)
        directory = next
      }
    }
  }

  /// Removes a file or a directory with all that is in it, durably.
  ///
  /// - Parameter path: What to remove.
  public func removeContents(of path: String) {
    let (parent, name) = Self.split(path)
    withoutCall { (disk, _) in
      guard let directory = disk.node(parent) else { return }
      directory.place(name, nil)
    }
  }

  /// Flips one bit of a file, as a disk that forgets.
  ///
  /// - Parameters:
  ///   - bit: The bit's number from the start of the file.
  ///   - path: The file, which must have that many bits.
  public func flipBit(_ bit: Int, of path: String) {
    withoutCall { (disk, _) in
      guard let node = disk.node(path) else { return }
      precondition(
        node.data.indices.contains(bit / 8),
        "\(path) has \(node.data.count) bytes and no bit \(bit)")
      node.flip(bit: bit)
    }
  }

  /// The paths of all files below a directory, sorted.
  ///
  /// - Parameter path: The directory.
  /// - Returns: Absolute paths of files.
  public func files(below path: String = "/") -> [String] {
    withoutCall { (disk, _) in
      var found: [String] = []
      func visit(_ node: DiskNode, _ path: String) {
        if node.kind != .directory { found.append(path) }
        for (name, child) in node.entries { visit(child, path + "/" + name) }
      }
      let start = "/" + path.split(separator: "/").joined(separator: "/")
      if let node = disk.node(path) { visit(node, start == "/" ? "" : start) }
      return found.sorted()
    }
  }

  private static func split(_ path: String) -> (parent: String, name: String) {
    let parts = path.split(separator: "/").map(String.init)
    return ("/" + parts.dropLast().joined(separator: "/"), parts.last ?? "")
  }
}
