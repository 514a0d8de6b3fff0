import Dispatch
import Glibc
package import StintCore

/// The requests of a program, which outlive it: a folder of the queue, held by a lock as long as
/// the program runs (Q6).
///
/// A running program begins its own requests; the lock keeps everybody else from that, a second
/// process of the program too.
package final class ProgramRequests: ScheduleKeeper {
  private struct State {
    var root: OpenFile?
    /// The lock, and the file by whose closing others learn that the program has ended.
    var open: [OpenFile] = []
    var hear: (@Sendable (ScheduleSimulation) -> Void)?
    var watch: (any DispatchSourceRead)?
  }

  static let lockFile = "program.lock"

  private let store: QueueStore
  package let id: String
  private let terms: RequestTerms
  private let state = Protected(State())

  private var fileSystem: any FileSystem { store.fileSystem }

  /// Describes the requests of a program.
  ///
  /// - Parameters:
  ///   - launch: With what the program was started, and is started again.
  ///   - store: Where they lie.
  ///   - now: The time.
  ///   - machine: The machine that this is.
  package init(
    _ launch: LaunchRecord, in store: QueueStore, now: WallInstant,
    machine: String = MachineIdentity.current()
  ) {
    self.store = store
    id = Self.id(of: launch, machine)
    var terms = RequestTerms(launch: launch, submitted: now, machine: machine)
    terms.work = .application
    let name = launch.words[0].split(separator: "/").last.map(String.init) ?? ""
    terms.name = JobKey.isName(name) ? name : nil
    self.terms = terms
  }

  deinit {
    let state = state.withLock { exchange(&$0, with: State()) }
    state.watch?.cancel()
    for file in state.open { fileSystem.close(file) }
    if let root = state.root { fileSystem.close(root) }
  }

  /// Which program it is: the file, its arguments, and the folder in which it works, on this
  /// machine.
  private static func id(of launch: LaunchRecord, _ machine: String) -> String {
    let identity = ([machine, launch.directory] + launch.words).joined(separator: "\0")
    let digest = XXH3Checksum.digest(Array(identity.utf8)).high
    let digits = String(digest, radix: 16)
    return "app-" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  // MARK: The record

  package func take(making isMade: Bool) throws(StintError) -> KeptSchedule {
    guard let root = try folder(making: isMade) else { return .absent }
    do throws(StintError) {
      guard try fileSystem.status(of: root).userID == store.userID else {
        throw StintError(.unavailable, "\(root.path) belongs to another user.")
      }
      guard let lock = try RequestLock.take(Self.lockFile, in: root, fileSystem: fileSystem) else {
        fileSystem.close(root)
        return .held
      }
      do throws(StintError) {
        let record = try ifPresent(ScheduleRecord.read(in: root, fileSystem))
        try describe(in: root)
        hold(root, lock)
        return .taken(record ?? ScheduleRecord())
      } catch {
        fileSystem.close(lock)
        throw error
      }
    } catch {
      fileSystem.close(root)
      throw error
    }
  }

  private func folder(making isMade: Bool) throws(StintError) -> OpenFile? {
    if !isMade {
      guard let all = try ifPresent(fileSystem.openDirectory(at: store.path)) else { return nil }
      defer { fileSystem.close(all) }
      return try ifPresent(fileSystem.openDirectory(id, in: all))
    }
    let all = try store.openOrMake()
    defer { fileSystem.close(all) }
    let root = try fileSystem.openOrMakeDirectory(id, in: all)
    do throws(StintError) {
      try fileSystem.synchronize(all)
      return root
    } catch {
      fileSystem.close(root)
      throw error
    }
  }

  /// Writes down with what the program is started, where that is not known yet.
  private func describe(in root: OpenFile) throws(StintError) {
    let request = QueuedRequest(id: id, terms: terms)
    guard try fileSystem.exists(QueuedRequest.fileName, in: root) else {
      return try fileSystem.replace(QueuedRequest.fileName, in: root, with: request.contents)
    }
    // Whoever runs the program has the lock, and read the record just now.
    guard let lock = try store.take(id) else { return }
    let known = lock.request
    guard known.terms.launch != terms.launch || known.standing.state != .waiting else { return }
    // It was started by hand, so it is to be launched again.
    try lock.update {
      $0.terms.launch = terms.launch
      $0.standing.resumed()
    }
  }

  private func hold(_ root: OpenFile, _ lock: OpenFile) {
    let news = store.openNews(of: id)
    let hear = state.withLock { state in
      state.root = root
      state.open = [lock] + (news.map { [$0] } ?? [])
      return state.hear
    }
    if hear != nil { watchForSimulations() }
  }

  package func keep(_ record: ScheduleRecord) throws(StintError) {
    guard let root = state.withLock({ $0.root }) else { return }
    try fileSystem.replace(ScheduleRecord.fileName, in: root, with: record.contents)
    store.tell(id)
  }

  // MARK: Simulation

  package func listen(_ hear: @escaping @Sendable (ScheduleSimulation) -> Void) {
    let isHeld = state.withLock { state in
      state.hear = hear
      return state.root != nil
    }
    if isHeld { watchForSimulations() }
  }

  /// Looks into the folder whenever something is put there.
  private func watchForSimulations() {
    guard let root = state.withLock({ $0.watch == nil ? $0.root : nil }) else { return }
    let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard watch >= 0 else { return }
    guard inotify_add_watch(watch, root.path, UInt32(IN_MOVED_TO | IN_CREATE)) >= 0 else {
      close(watch)
      return
    }
    let source = DispatchSource.makeReadSource(
      fileDescriptor: watch, queue: DispatchQueue(label: "stint-simulation"))
    source.setEventHandler { [weak self] in
      var bytes = [UInt8](repeating: 0, count: 4_096)
      while read(watch, &bytes, bytes.count) > 0 {}
      self?.lookForSimulations()
    }
    source.setCancelHandler { close(watch) }
    state.withLock { $0.watch = source }
    source.activate()
    lookForSimulations()
  }

  private func lookForSimulations() {
    let (root, hear) = state.withLock { ($0.root, $0.hear) }
    guard let root, let hear else { return }
    for marker in QueueStore.Marker.allCases {
      guard let simulate = marker.simulation,
        let text = try? store.bytes(of: marker.rawValue, in: root)
      else { continue }
      // Before it is obeyed, lest it be obeyed twice.
      guard (try? fileSystem.remove(marker.rawValue, in: root)) != nil else { continue }
      let identifier = String(decoding: text, as: UTF8.self)
      hear(simulate(identifier.isEmpty ? nil : identifier))
    }
  }
}

extension QueueStore.Marker {
  /// What a running program does for it; nil for what is meant for others.
  fileprivate var simulation: ((String?) -> ScheduleSimulation)? {
    switch self {
    case .launch: { .launch($0) }
    case .expire: { .expiry($0) }
    case .lose: { .lossOfRequirement($0) }
    case .fetch: { _ in .fetch }
    case _: nil
    }
  }
}

extension ScheduleRecord {
  /// Reads the record in a request's folder.
  static func read(
    in root: OpenFile, _ fileSystem: any FileSystem
  ) throws(StintError) -> ScheduleRecord {
    let file = try fileSystem.openFile(fileName, in: root, .read)
    defer { fileSystem.close(file) }
    let bytes = try fileSystem.readBytes(file, atMost: QueueStore.largestRecord)
    do {
      return try ScheduleRecord(contents: bytes)
    } catch {
      throw StintError(.damaged, "\(root.path)/\(fileName) is damaged: \(error.reason).")
    }
  }
}
