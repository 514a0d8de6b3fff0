import Glibc
package import StintCore

/// The requests of a machine's queue on disk: the folder `requests` in the jobs directory (Q6).
///
/// Each request is a folder, private to the user, with its record, its lock, what its work prints,
/// and files by which one process tells another what to do. Whoever changes the record holds the
/// lock. After each change the folder `news` gets a file of the request's name, so that who watches
/// that folder need not read all requests again.
package final class QueueStore: Sendable {
  /// The folder in the jobs directory.
  package static let folder = "requests"
  /// The folder that tells of changes.
  package static let news = "news"
  /// The lock that whoever serves the queue shares; a reader tells from it whether somebody does.
  package static let served = "served"
  /// What the work of a request prints.
  package static let output = "output"
  static let largestRecord = 4 << 20
  private static let longestReason = 4 << 10
  /// What the marker `stop` holds where nothing is to be saved any more.
  package static let now = "now"
  private static let mostLooks = 8

  /// A file in a request's folder that tells whoever works on it, or will, what to do.
  package enum Marker: String, Hashable, Sendable, CaseIterable {
    /// Save and end, and do not begin again.
    case stop
    /// Save and end, and do not begin again until the file is gone; it may hold a reason.
    case pause
    /// Do not begin again; a run goes on.
    case cancel
    /// Begin whatever the request waits for (Q8).
    case launch
    /// Behave as if the time were up (Q8).
    case expire
    /// Behave as if a requirement were lost (Q8).
    case lose = "requirement-lost"
    /// Begin a background fetch (Q8).
    case fetch
  }

  /// The jobs directory.
  package let jobsPath: String
  package let path: String
  let fileSystem: any FileSystem
  let userID: UInt32

  package init(
    jobsPath: String, fileSystem: any FileSystem = PosixFileSystem(), userID: UInt32 = geteuid()
  ) {
    self.jobsPath = jobsPath
    self.fileSystem = fileSystem
    self.userID = userID
    path = jobsPath + "/" + Self.folder
  }

  package func path(of id: String) -> String { "\(path)/\(id)" }

  // MARK: Folders

  /// Opens the folder of all requests and makes it if it is not there.
  func openOrMake() throws(StintError) -> OpenFile {
    try JobsDirectory.openOrMake(path, fileSystem: fileSystem)
  }

  /// Opens the folder of a request, which has to be this user's: what is in it is run.
  private func open(_ id: String) throws(StintError) -> OpenFile {
    guard Self.isID(id) else { throw StintError(.usage, "\"\(id)\" is no request.") }
    let all = try fileSystem.openDirectory(at: path)
    defer { fileSystem.close(all) }
    let root = try fileSystem.openDirectory(id, in: all)
    do throws(StintError) {
      guard try fileSystem.status(of: root).userID == userID else {
        throw StintError(.unavailable, "\(root.path) belongs to another user.")
      }
      return root
    } catch {
      fileSystem.close(root)
      throw error
    }
  }

  private func open<Value>(
    _ id: String, _ body: (OpenFile) throws(StintError) -> Value
  ) throws(StintError) -> Value {
    let root = try open(id)
    defer { fileSystem.close(root) }
    return try body(root)
  }

  /// Whether a name can be that of a request: a number, or the name of an application's.
  package static func isID(_ text: String) -> Bool {
    let bytes = text.utf8
    if let first = bytes.first, (49...57).contains(first) {
      return bytes.count <= 18 && bytes.allSatisfy { (48...57).contains($0) }
    }
    return text.hasPrefix("app-") && bytes.count == 20
      && bytes.dropFirst(4).allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  /// The requests there are, in the order in which they were submitted.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  package func ids() throws(StintError) -> [String] {
    guard let all = try ifPresent(fileSystem.openDirectory(at: path)) else { return [] }
    defer { fileSystem.close(all) }
    return try fileSystem.list(all).filter(Self.isID).sorted {
      (Int($0) ?? 0, $0) < (Int($1) ?? 0, $1)
    }
  }

  // MARK: Records

  /// Submits a request: makes its folder and its record durable, and gives it the next number.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  package func submit(_ terms: RequestTerms) throws(StintError) -> QueuedRequest {
    let all = try openOrMake()
    defer { fileSystem.close(all) }
    var number = (try nextNumber(in: all))
    while true {
      do throws(StintError) {
        try fileSystem.makeDirectory(String(number), in: all)
        break
      } catch  where error.errno == EEXIST {
        number += 1
      }
    }
    let request = QueuedRequest(id: String(number), terms: terms)
    do throws(StintError) {
      let root = try fileSystem.openDirectory(request.id, in: all)
      defer { fileSystem.close(root) }
      try fileSystem.replace(QueuedRequest.fileName, in: root, with: request.contents)
      try fileSystem.synchronize(all)
    } catch {
      try? discard(request.id, in: all)
      throw error
    }
    tell(request.id, in: all)
    return request
  }

  /// The number after all that there are; those that were removed are not given again as long as
  /// `news` knows the last one.
  private func nextNumber(in all: OpenFile) throws(StintError) -> Int {
    var last = 0
    for name in try fileSystem.list(all) where Self.isID(name) { last = max(last, Int(name) ?? 0) }
    if let news = try ifPresent(fileSystem.openDirectory(Self.news, in: all)) {
      defer { fileSystem.close(news) }
      for name in try fileSystem.list(news) where Self.isID(name) {
        last = max(last, Int(name) ?? 0)
      }
    }
    guard Self.isID(String(last + 1)) else {
      throw StintError(.unavailable, "\(all.path)/\(last) has the last number that there is.")
    }
    return last + 1
  }

  /// The record of a request; nil if there is no such request, or it is being submitted.
  ///
  /// - Throws: ``StintError``: `damaged`, `io`.
  package func read(_ id: String) throws(StintError) -> QueuedRequest? {
    try ifPresent(
      open(id) { (root) throws(StintError) in
        try record(of: id, in: root)
      })
  }

  private func record(of id: String, in root: OpenFile) throws(StintError) -> QueuedRequest {
    let bytes = try bytes(of: QueuedRequest.fileName, in: root)
    do {
      return try QueuedRequest(contents: bytes, of: id)
    } catch {
      throw StintError(.damaged, "\(root.path)/\(QueuedRequest.fileName): \(error.reason)")
    }
  }

  func bytes(
    of name: String, in root: OpenFile, atMost limit: Int = largestRecord
  ) throws(StintError) -> [UInt8] {
    let file = try fileSystem.openFile(name, in: root, .read)
    defer { fileSystem.close(file) }
    return try fileSystem.readBytes(file, atMost: limit)
  }

  /// A request with what lies beside its record; nil if there is no such request.
  ///
  /// - Throws: ``StintError``: `damaged`, `io`.
  package func entry(_ id: String) throws(StintError) -> QueueMachine.Entry? {
    try ifPresent(
      open(id) { (root) throws(StintError) in
        var entry = QueueMachine.Entry(try record(of: id, in: root))
        guard !entry.request.standing.isOver else { return entry }
        // Record and lock belong together only if no run began or ended between them.
        for _ in 0..<Self.mostLooks {
          let before = entry.request
          entry.isLocked = try RequestLock.isHeld(in: root, fileSystem: fileSystem)
          if entry.isLocked { break }
          entry.request = try record(of: id, in: root)
          if entry.request == before { break }
        }
        entry.isStopAsked = try fileSystem.exists(Marker.stop.rawValue, in: root)
        entry.isForced = try fileSystem.exists(Marker.launch.rawValue, in: root)
        let reason = try ifPresent(
          bytes(of: Marker.pause.rawValue, in: root, atMost: Self.longestReason))
        if let reason {
          entry.pause = QueueMachine.Pause(reason: String(decoding: reason, as: UTF8.self))
        }
        if entry.request.terms.work == .application { try readTasks(of: &entry, in: root) }
        return entry
      })
  }

  /// Takes the lock on a request.
  ///
  /// - Returns: The lock with the record as it is now; nil if another process has it, or the
  ///   request is gone.
  /// - Throws: ``StintError``: `damaged`, `io`.
  package func take(_ id: String) throws(StintError) -> RequestLock? {
    guard let root = try ifPresent(open(id)) else { return nil }
    do throws(StintError) {
      guard let lock = try RequestLock.take(in: root, fileSystem: fileSystem) else {
        fileSystem.close(root)
        return nil
      }
      do throws(StintError) {
        return RequestLock(self, root, lock, try record(of: id, in: root))
      } catch {
        fileSystem.close(lock)
        throw error
      }
    } catch {
      fileSystem.close(root)
      throw error
    }
  }

  // MARK: Markers

  /// Puts a marker there, with a text in it, or takes it away.
  ///
  /// - Throws: ``StintError``: `usage` for what is no request, `io`.
  package func set(
    _ marker: Marker, to isThere: Bool, with text: String = "", for id: String
  ) throws(StintError) {
    try open(id) { (root) throws(StintError) in
      if isThere {
        try fileSystem.replace(marker.rawValue, in: root, with: Array(text.utf8))
      } else {
        try fileSystem.removeIfPresent(marker.rawValue, in: root)
      }
    }
    tell(id)
  }

  /// Whether a marker is there.
  package func isSet(_ marker: Marker, for id: String) -> Bool {
    (try? open(id) { (root) throws(StintError) in
      try fileSystem.exists(marker.rawValue, in: root)
    }) ?? false
  }

  /// What a marker holds; nil if it is not there.
  func text(of marker: Marker, in root: OpenFile) -> String? {
    (try? bytes(of: marker.rawValue, in: root, atMost: Self.longestReason)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  // MARK: News

  /// Lets those who watch know that a request has changed.
  package func tell(_ id: String) {
    guard let all = try? fileSystem.openDirectory(at: path) else { return }
    defer { fileSystem.close(all) }
    tell(id, in: all)
  }

  /// Nothing depends on it: who watches looks again after a while all the same.
  private func tell(_ id: String, in all: OpenFile) {
    // The kernel tells of each file that was open for writing and is closed.
    if let file = openNews(of: id, in: all) { fileSystem.close(file) }
  }

  func openNews(of id: String, in all: OpenFile) -> OpenFile? {
    guard let news = try? fileSystem.openOrMakeDirectory(Self.news, in: all) else { return nil }
    defer { fileSystem.close(news) }
    return try? fileSystem.openFile(id, in: news, .createOrUpdate)
  }

  /// Begins to hear of changes: a descriptor that can be read when there are some, or -1 where the
  /// kernel does not tell.
  package func watch() throws(StintError) -> Int32 {
    let all = try openOrMake()
    defer { fileSystem.close(all) }
    fileSystem.close(try fileSystem.openOrMakeDirectory(Self.news, in: all))
    let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard watch >= 0 else { return -1 }
    let events = UInt32(IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO)
    if inotify_add_watch(watch, path + "/" + Self.news, events) < 0 {
      close(watch)
      return -1
    }
    return watch
  }

  /// The requests that have changed since the last call; nil if too many did, and all have to be
  /// read.
  package func takeNews(from watch: Int32) -> Set<String>? {
    var changed: Set<String> = []
    var isWhole = true
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
      while true {
        let count = Glibc.read(watch, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        var offset = 0
        // struct inotify_event (inotify(7)): wd, mask, cookie, len, name.
        while offset + 16 <= count {
          let mask = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          let length = Int(buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
          let name = buffer[(offset + 16)..<min(count, offset + 16 + length)].prefix { $0 != 0 }
          if mask & UInt32(IN_Q_OVERFLOW | IN_IGNORED) != 0 { isWhole = false }
          let id = String(decoding: name, as: UTF8.self)
          if Self.isID(id) { changed.insert(id) }
          offset += 16 + length
        }
      }
    }
    return isWhole ? changed : nil
  }

  // MARK: Removal

  /// Removes a request that is over.
  ///
  /// - Returns: Whether it was removed; false if somebody works on it.
  /// - Throws: ``StintError`` with the code `io`.
  package func remove(_ id: String) throws(StintError) -> Bool {
    guard let all = try ifPresent(fileSystem.openDirectory(at: path)) else { return false }
    defer { fileSystem.close(all) }
    guard let root = try ifPresent(fileSystem.openDirectory(id, in: all)) else { return false }
    defer { fileSystem.close(root) }
    guard try !isProgramRunning(in: root),
      let lock = try RequestLock.take(in: root, fileSystem: fileSystem)
    else { return false }
    defer { fileSystem.close(lock) }
    try discard(id, in: all)
    tell(id, in: all)
    // The last number stays known, so that it is not given again.
    if let number = Int(id), try number + 1 < nextNumber(in: all),
      let news = try ifPresent(fileSystem.openDirectory(Self.news, in: all))
    {
      defer { fileSystem.close(news) }
      try fileSystem.removeIfPresent(id, in: news)
    }
    return true
  }

  private func discard(_ id: String, in all: OpenFile) throws(StintError) {
    let root = try fileSystem.openDirectory(id, in: all)
    defer { fileSystem.close(root) }
    // The record first: without it the folder is no request any more.
    try fileSystem.removeIfPresent(QueuedRequest.fileName, in: root)
    for name in try fileSystem.list(root) { try fileSystem.removeIfPresent(name, in: root) }
    try fileSystem.removeDirectory(id, in: all)
  }
}
