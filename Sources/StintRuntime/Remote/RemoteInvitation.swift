import CStint
import Glibc
import StintCore

/// The descriptor by which a supervisor offers this process its time; whoever does not accept it
/// closes it.
///
/// It is looked for before there are threads, because the environment is changed: both variables
/// are taken out, and the descriptor is closed in programs that this one starts, so that no child
/// of this process takes the offer for its own.
package final class RemoteInvitation: Sendable {
  /// The supervisor's process.
  package let owner: Int32
  private let descriptor: Protected<Int32?>

  /// Takes over a descriptor that a process offers.
  init(descriptor: Int32, owner: Int32) {
    self.descriptor = Protected(descriptor)
    self.owner = owner
  }

  deinit {
    decline()
  }

  /// Lets the supervisor know that this process does not speak.
  package func decline() {
    if let descriptor = take() { Glibc.close(descriptor) }
  }

  /// Takes the descriptor out; the caller closes it.
  func take() -> Int32? { descriptor.withLock { $0.take() } }

  /// Puts the offer back where it was found, for the program that this process becomes by exec.
  package func handOn() {
    guard let descriptor = take(), fcntl(descriptor, F_SETFD, 0) == 0 else { return }
    setenv(SystemProtocol.descriptorVariable, String(descriptor), 1)
    setenv(SystemProtocol.ownerVariable, String(owner), 1)
  }

  /// Looks for an offer that was made to this very process.
  ///
  /// - Returns: Nil if there is none: the variables are missing or meant for another process, or
  ///   the descriptor is not a socket whose other end belongs to this process's parent.
  package static func find() -> RemoteInvitation? {
    guard let owner = number(of: SystemProtocol.ownerVariable), owner == getppid(),
      let descriptor = number(of: SystemProtocol.descriptorVariable), descriptor > STDERR_FILENO
    else { return nil }
    unsetenv(SystemProtocol.descriptorVariable)
    unsetenv(SystemProtocol.ownerVariable)
    guard stint_socket_peer(descriptor) == owner,
      fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { return nil }
    return RemoteInvitation(descriptor: descriptor, owner: owner)
  }

  private static func number(of variable: String) -> Int32? {
    guard let text = getenv(variable).map({ String(cString: $0) }),
      text.utf8.count <= 10, text.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int32(text)
  }
}
