import CStint
import Glibc
package import StintCore

/// The process of a command and what it has brought forth.
///
/// It stays unreaped until ``reap()``, so that its number, and its group's,
/// mean nobody else.
package final class CommandProcess: Sendable {
  package let processID: Int32
  private let leadsGroup: Bool

  /// Takes charge of a process that this one has started.
  package init(processID: Int32, leadsGroup: Bool) {
    self.processID = processID
    self.leadsGroup = leadsGroup
  }

  /// How it ended; nil while it has not.
  package func end() -> CommandEnd? {
    OwnChildren.end(of: processID)
  }

  /// A stop of a process, or the end of one.
  package enum Halt: Hashable, Sendable {
    /// This signal stopped it.
    case stopped(by: Int32)
    /// It goes on.
    case continued
  }

  /// The last stop, or end of one, since this was last asked; nil if there was none.
  package func halt() -> Halt? {
    var halt: Halt?
    var event = stint_child_event()
    while stint_child_next_stop(processID, &event) == 0, event.what != STINT_CHILD_NOTHING {
      halt = event.what == STINT_CHILD_STOPPED ? .stopped(by: event.value) : .continued
    }
    return halt
  }

  /// Sends a signal to its group, or to itself if it leads none.
  ///
  /// - Parameters:
  ///   - number: The signal.
  ///   - continues: Whether who is stopped goes on, so that the signal is heard.
  ///   - toLeaderOnly: Whether the others of the group are left out.
  package func signal(_ number: Int32, continues: Bool = false, toLeaderOnly: Bool = false) {
    send(number, toLeaderOnly: toLeaderOnly)
    if continues { send(SIGCONT, toLeaderOnly: toLeaderOnly) }
  }

  /// Whether it ignores a signal, as far as can be seen.
  func ignores(_ number: Int32) -> Bool {
    guard (1...64).contains(number),
      let status = KernelFile.text("/proc/\(processID)/status"),
      let mask = KernelFile.field("SigIgn", ofStatus: status).flatMap({ UInt64($0, radix: 16) })
    else { return false }
    return mask & 1 << UInt64(number - 1) != 0
  }

  private func send(_ number: Int32, toLeaderOnly: Bool = false) {
    guard leadsGroup, !toLeaderOnly else {
      kill(processID, number)
      return
    }
    kill(-processID, number)
    // It may have moved to another group.
    let group = getpgid(processID)
    if group > 0, group != processID { kill(processID, number) }
  }

  /// Sends SIGKILL to its group and to every orphan of its family that has come to this process.
  ///
  /// A child is killed by the number that only its parent can give free: nobody else is ever hit.
  /// What these have started comes here when they are gone, so this is to be called again until
  /// ``hasFamily()`` says no.
  package func killAll() {
    send(SIGKILL)
    guard leadsGroup else { return }
    for child in OwnChildren.list() where child != processID { kill(child, SIGKILL) }
  }

  /// Whether descendants that came to this process are alive; those that are not are reaped.
  package func hasFamily() -> Bool {
    var hasFamily: Bool
    var hasReaped: Bool
    repeat {
      (hasFamily, hasReaped) = (false, false)
      for child in OwnChildren.list() where child != processID {
        if OwnChildren.end(of: child) == nil {
          hasFamily = true
        } else {
          stint_child_reap(child)
          hasReaped = true
        }
      }
      // One that ended after it was listed has left its own children here, and the list is older
      // than they are.
    } while hasReaped && !hasFamily
    return hasFamily
  }

  /// Reaps orphans that have ended while the command runs.
  package func reapOrphans() {
    var event = stint_child_event()
    while stint_child_peek(0, &event) == 0, event.what != STINT_CHILD_NOTHING,
      event.pid != processID, !OwnChildren.isSpared(event.pid)
    {
      stint_child_reap(event.pid)
    }
  }

  /// Lets go of its number; it has ended.
  package func reap() {
    stint_child_reap(processID)
  }
}
