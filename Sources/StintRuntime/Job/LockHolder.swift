import StintCore

/// Who holds a job's lock, as the lock file says.
package struct LockHolder: Hashable, Sendable {
  /// The machine.
  package var host: String
  /// The boot of that machine.
  package var bootId: String
  /// The process on that machine.
  package var pid: Int32
  /// When the process started, in clock ticks since boot.
  package var startTicks: UInt64
  /// When the lock was taken, in seconds since 1970.
  package var unixSeconds: Double
  /// Where an engine runs it; nil outside of any.
  package var engineJob: EngineJob?

  /// This process, now.
  init(_ identity: StoreIdentity) {
    host = identity.host
    bootId = identity.bootID
    pid = identity.pid
    startTicks = identity.processStart
    unixSeconds = Double(identity.wallClock()) / 1e9
    engineJob = identity.engineJob
  }

  /// Reads the contents of a lock file; nil if they are not whole (its holder may be writing them).
  package init?(contents: [UInt8]) {
    do throws(JSONFault) {
      let object = try JSONObject(contents)
      host = try object.text("host")
      bootId = try object.text("bootId")
      pid = try object.integer("pid")
      startTicks = try object.integer("startTicks")
      unixSeconds = try object.number("unixSeconds")
      engineJob = try EngineJob(object)
    } catch {
      return nil
    }
  }

  /// The contents of a lock file.
  var contents: [UInt8] {
    var json = JSONLine()
    json.add("host", host)
    json.add("bootId", bootId)
    json.add("pid", pid)
    json.add("startTicks", startTicks)
    json.add("unixSeconds", unixSeconds)
    engineJob?.add(to: &json)
    return Array(json.line.utf8)
  }

  /// Whether the process is known to be gone: only on its own machine and boot can anybody tell.
  func isGone(seenBy identity: StoreIdentity) -> Bool {
    guard host == identity.host, bootId == identity.bootID else { return false }
    return identity.startOfProcess(pid).map { !isStart($0) } ?? true
  }

  /// Whether a process with the holder's number, which started then, is the holder.
  ///
  /// Seen from another time namespace, it started a tick earlier or later; no number is given out
  /// again so soon.
  package func isStart(_ ticks: UInt64) -> Bool {
    max(ticks, startTicks) - min(ticks, startTicks) <= 1
  }

  /// Whether the process is known to be dying, so that its lock is free in a moment.
  func isDying(seenBy identity: StoreIdentity) -> Bool {
    host == identity.host && bootId == identity.bootID && !isGone(seenBy: identity)
      && identity.isDying(pid)
  }

  /// The holder in words: host, pid, since when.
  package func text(seenBy identity: StoreIdentity) -> String {
    let unixNanoseconds = Duration(clampingSeconds: unixSeconds).nanoseconds
    let place = engineJob.map { "\(host) (\($0.text))" } ?? host
    let who = "process \(pid) on \(place), since \(wallClockText(unixNanoseconds))"
    guard isGone(seenBy: identity) else { return who }
    return who + " (that process no longer runs; one that it started still holds the lock)"
  }
}
