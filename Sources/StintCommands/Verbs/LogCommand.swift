import Glibc
import StintCore
import StintRuntime

extension Verb {
  static let log = Verb(
    VerbSpecification(
      "log", summary: "Show what submitted work has printed",
      usage: ["log JOB [OPTIONS]"], operands: .one("JOB"),
      options: [OptionTable.followLog, OptionTable.jobsDirectory],
      exitStatuses: [.done, .usage, .unavailable, .io])
  ) { invocation in
    SignalWatch.restoreDefaults()
    try LogCommand(context: invocation.context()) { try StandardOutput().write(bytes: $0) }.run()
  }
}

extension OptionTable {
  static let followLog = OptionSpecification(
    "follow", letter: "f", group: .display, help: "Go on until the work is over")
}

/// `stint log JOB`: what the work of a request, or the slices of a chain, have printed.
struct LogCommand {
  /// The time between two looks at a file that is followed.
  private static let look = Duration.milliseconds(200)

  let context: VerbContext
  let write: ([UInt8]) throws -> Void

  /// Where the text is, and whether nothing is added to it any more.
  private typealias Place = (path: String, isOver: Bool)

  /// Writes what is there, and with `--follow` what is added, until the work is over.
  ///
  /// - Throws: ``StintError``: `usage` for a job that has no log, `io`.
  func run() throws {
    var reading = LogReading()
    var last: Place?
    let follows = context.parsed.has(OptionTable.followLog.name)
    if follows { sayWhyItWaits() }
    while true {
      // Whether it is over is asked first: all that was printed before is there then.
      let place = try place()
      if last?.path != place.path { reading = LogReading() }
      last = place
      try reading.read(place.path, write)
      if place.isOver || !follows { return }
      poll(nil, 0, Int32(Self.look.nanoseconds / 1_000_000))
    }
  }

  /// Nothing may ever be added to what a request has printed that waits.
  private func sayWhyItWaits() {
    guard let request = try? context.request(named: context.parsed.operands.first ?? ""),
      request.standing.state == .waiting, let entry = try? context.queue.entry(request.id)
    else { return }
    complain(QueueReading(context.queue).sentence(of: entry))
  }

  private func place() throws -> Place {
    let key: String
    switch try context.target() {
    case .request(let id): return try place(of: id)
    case .whole(let whole):
      throw StintError(
        .usage,
        "\(whole) is work in shards, each with a log of its own; stint status \(whole) names their chains."
      )
    case .job(let job): key = job
    }
    guard context.catalog.arrayOfChains(key) == nil else {
      throw StintError(
        .usage,
        "\(key) is an array of chains, each with a log of its own; stint status \(key) names those that are "
          + "not finished.")
    }
    if let chain = context.chain(of: key) { return (chain.log, chain.record.state == .ended) }
    let requests = try context.queue.ids().compactMap { (try? context.queue.read($0)) ?? nil }
    if let request = requests.last(where: { context.workKey(of: $0) == key }) {
      return try place(of: request.id)
    }
    throw StintError(
      .usage,
      "\(key) was not submitted, so what it prints went to whoever ran it; stint report \(key) tells its life."
    )
  }

  private func place(of id: String) throws -> Place {
    guard let request = try context.queue.read(id) else {
      throw StintError(.usage, "There is no request \(id) any more.")
    }
    return ("\(context.queue.path(of: id))/\(QueueStore.output)", request.standing.isOver)
  }
}

/// Reads a file to which another process appends, and in which it may have made a hole, because
/// only the beginning and the end of it are kept.
struct LogReading {
  // lseek(2); Swift does not see them.
  private static let (nextData, nextHole): (Int32, Int32) = (3, 4)
  private static let piece = 1 << 16

  /// How much of the file was read.
  private var offset: Int64 = 0
  /// How much of what was read last is gone.
  private var gone: Int64 = 0

  /// Writes what was not read before.
  ///
  /// - Throws: ``StintError`` with the code `io`, and what the body throws.
  mutating func read(_ path: String, _ write: ([UInt8]) throws -> Void) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return }
      throw StintError(
        .io, "\(path) cannot be read: \(String(cString: strerror(errno)))", errno: errno)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { return }
    let size = Int64(status.st_size)
    // Where no hole can be made, the file begins anew.
    if size < offset { offset = 0 }
    while offset < size {
      let data = Int64(lseek(file, off_t(offset), Self.nextData))
      let start = data >= 0 ? min(data, size) : errno == ENXIO ? size : offset
      gone += start - offset
      offset = start
      let hole = Int64(lseek(file, off_t(offset), Self.nextHole))
      try copy(file, to: hole > offset ? min(hole, size) : size, write)
    }
  }

  private mutating func copy(
    _ file: Int32, to end: Int64, _ write: ([UInt8]) throws -> Void
  ) throws {
    while offset < end {
      var bytes = [UInt8](repeating: 0, count: Int(min(Int64(Self.piece), end - offset)))
      let count = pread(file, &bytes, bytes.count, off_t(offset))
      guard count > 0 else {
        offset = end
        return
      }
      offset += Int64(count)
      var text = bytes[..<count]
      if gone > 0 {
        // The rest of the block in which the hole ends.
        let zeros = text.prefix { $0 == 0 }.count
        gone += Int64(zeros)
        text = text.dropFirst(zeros)
        if text.isEmpty { continue }
        try write(Array("\n... \(gone) bytes are gone ...\n".utf8))
        gone = 0
      }
      try write(Array(text))
    }
  }
}
