import CStint
import Glibc

/// Everything that descends from some children of this process, whatever group or session it moved
/// to.
///
/// Not for a process whose children are a command's alone: `CommandProcess` kills those as they
/// come. This process adopts orphans, so that what has lost its parent is a child of this one.
package enum ProcessFamily {
  private struct Member {
    var parent: Int32
    var isDead: Bool

    /// Nil where there is no such process any more.
    init?(_ process: Int32) {
      let fields = KernelFile.statFields(KernelFile.text("/proc/\(process)/stat"))
      guard fields.count > 1, let parent = Int32(fields[1]) else { return nil }
      self.parent = parent
      isDead = fields[0] == "Z" || fields[0] == "X"
    }
  }

  /// The children of this process that it has not started itself; those that serve it are left out.
  package static func orphans(besides started: Set<Int32>) -> Set<Int32> {
    Set(OwnChildren.list()).subtracting(started)
  }

  /// Reaps those of some children that have ended, and returns them.
  package static func reap(_ children: Set<Int32>) -> Set<Int32> {
    let ended = children.filter { OwnChildren.end(of: $0) != nil }
    for child in ended { stint_child_reap(child) }
    return ended
  }

  /// Sends SIGKILL to children of this process and to everything that descends from them.
  ///
  /// When this returns, all of it has the signal, and so nothing of it can start anything any more.
  /// It may not be gone yet. A child is reaped by nobody else meanwhile.
  ///
  /// - Parameter roots: Finds the children, and is asked again and again: what loses its parent on
  ///   the way comes to this process.
  /// - Returns: Whether anything was alive.
  @discardableResult
  package static func kill(_ roots: () -> Set<Int32>) -> Bool {
    var killed: Set<Int32> = []
    var isThorough = false
    while true {
      let found = (isThorough ? inTable(roots) : inLists(roots)).filter {
        !killed.contains($0.process)
      }
      // At a deadline the lists are all that there may be time for.
      if found.isEmpty, isThorough { return !killed.isEmpty }
      isThorough = found.isEmpty
      for (process, parent) in found {
        // Only its parent can give its number free, and here that is this process.
        if parent == getpid() { Glibc.kill(process, SIGKILL) }
        if parent == getpid() || kill(process, of: parent) { killed.insert(process) }
      }
    }
  }

  /// Kills a process that another one can reap; false if it has another parent by now, or none.
  ///
  /// The descriptor is opened first: the process that has the number after that is this one for as
  /// long as it lives.
  private static func kill(_ process: Int32, of parent: Int32) -> Bool {
    let descriptor = stint_pidfd_open(process)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor != -ESRCH, Member(process)?.parent == parent else { return false }
    // Without a descriptor, as where this process may have no more, the moment since is risked.
    if descriptor < 0 {
      Glibc.kill(process, SIGKILL)
    } else {
      stint_pidfd_signal(descriptor, SIGKILL)
    }
    return true
  }

  /// A process and everything that descends from it, each with its parent.
  static func members(from process: Int32) -> [(process: Int32, parent: Int32)] {
    inTable { [process] }
  }

  private typealias Found = [(process: Int32, parent: Int32)]

  /// The processes of some families, each after its parent, as the kernel lists the children of
  /// each: soon found, but some may be missing while others end (proc_pid_children(5)).
  private static func inLists(_ roots: () -> Set<Int32>) -> Found {
    var found: Found = roots().filter { OwnChildren.end(of: $0) == nil }.map { ($0, getpid()) }
    // Where `/proc` shows another namespace, the children are all that can be reached.
    guard OwnChildren.areShown else { return found }
    var index = 0
    while index < found.count {
      let parent = found[index].process
      found += (OwnChildren.list(of: "\(parent)") ?? []).map { ($0, parent) }
      index += 1
    }
    return found
  }

  /// The same of all processes that there are, each asked for its parent; none is missing that
  /// lives all the time.
  private static func inTable(_ roots: () -> Set<Int32>) -> Found {
    guard OwnChildren.areShown else { return [] }
    var children: [Int32: [Int32]] = [:]
    var members: [Int32: Member] = [:]
    for process in KernelFile.numbers(in: "/proc") {
      guard let member = Member(process) else { continue }
      members[process] = member
      children[member.parent, default: []].append(process)
    }
    var found: Found = []
    // What has come to this process since its row was read is a root now.
    var next = Array(roots())
    while let process = next.popLast() {
      next += children[process] ?? []
      if let member = members[process], !member.isDead { found.append((process, member.parent)) }
    }
    return found
  }
}
