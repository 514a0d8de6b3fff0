import StintCore
import StintRuntime

/// Requests in the queue of this machine, as command lines name them.
extension VerbContext {
  var queue: QueueStore { QueueStore(jobsPath: catalog.jobsPath) }

  /// The request that a name means: by its number, or as the user calls it; nil if there is none.
  ///
  /// - Throws: ``StintError``: `usage` if there are several, `damaged`, `io`.
  func request(named name: String) throws -> QueuedRequest? {
    if QueueStore.isID(name) { return try queue.read(name) }
    guard JobKey.isName(name) else { return nil }
    var found = try queue.ids().compactMap { (try? queue.read($0)) ?? nil }
      .filter { $0.terms.name == name }
    // Those that are over have had the name before.
    let open = found.filter { !$0.standing.isOver }
    if !open.isEmpty { found = open }
    if let last = found.last, open.isEmpty { found = [last] }
    guard found.count < 2 else {
      let list = found.prefix(5).map(\.id).joined(separator: ", ")
      throw StintError(
        .usage, "\"\(name)\" could be the requests \(list); give the number of one.")
    }
    return found.first
  }

  /// The number of the request that the command line names, if it is no chain's; nil if it names
  /// something else.
  ///
  /// - Throws: ``StintError``: `usage` if there are several, `damaged`, `io`.
  func plainRequest() throws -> String? {
    let (name, keys) = (parsed.operands.first ?? "", try catalog.keys())
    guard !keys.contains(name), let request = try request(named: name),
      chainKey(of: request, among: keys) == nil
    else { return nil }
    return request.id
  }

  /// The key of the chain whose request it is; nil for another request.
  func chainKey(of request: QueuedRequest, among keys: [String]) -> String? {
    guard case .chain(let key) = request.terms.work, keys.contains(key) else { return nil }
    return key
  }

  /// The key of the job that a request works on.
  ///
  /// - Throws: ``StintError`` with the code `usage` if it is none.
  func key(of request: QueuedRequest, among keys: [String]) throws -> String {
    if let key = chainKey(of: request, among: keys) ?? workKey(of: request), keys.contains(key) {
      return key
    }
    throw StintError(
      .usage,
      "Request \(request.id) has no job, or none yet; stint status \(request.id) shows how it stands."
    )
  }

  /// The job of a request, as its work told it; nil if it told none.
  func workKey(of request: QueuedRequest) -> String? {
    let file = "\(queue.path(of: request.id))/\(ChainJob.work)"
    guard let bytes = try? JobFileContents.bytes(of: file, atMost: 1 << 16) else { return nil }
    let key = String(decoding: bytes, as: UTF8.self)
    return JobKey.isKey(key) ? key : nil
  }
}
