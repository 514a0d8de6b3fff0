import Foundation
import Glibc

/// What is set up between fork and exec, by posix_spawn(3).
final class SpawnSetup {
  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()

  /// POSIX_SPAWN_SETSID, which Swift does not see without _GNU_SOURCE.
  private static let newSession: Int32 = 0x80

  init() {
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
  }

  deinit {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }

  /// Gives the child no blocked and no ignored signals, and a process group or a session of its
  /// own.
  func resetSignals(ownSession: Bool) {
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let group = ownSession ? Self.newSession : Int32(POSIX_SPAWN_SETPGROUP)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(group | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)))
  }

  func open(_ path: String, as descriptor: Int32, flags: Int32) {
    posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o644)
  }

  func duplicate(_ descriptor: Int32, as other: Int32) {
    posix_spawn_file_actions_adddup2(&actions, descriptor, other)
  }

  /// Closes what tests beside this one have open.
  ///
  /// A program that another test has just copied cannot be started while a child of this one holds
  /// the copy open for writing.
  ///
  /// - Parameter kept: A descriptor that the child keeps beside the first three.
  func closeOthers(but kept: Int32?) {
    for descriptor in 3..<Int32(1_024) where descriptor != kept {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
  }

  /// Starts a program in a directory: env(1) changes to it and becomes the program.
  func spawn(_ command: [String], in directory: String, environment: [String]) throws -> pid_t {
    let command = ["/usr/bin/env", "-C", directory] + command
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var pid: pid_t = 0
    let error = posix_spawn(&pid, command[0], &actions, &attributes, &arguments, &variables)
    guard error == 0 else { throw POSIXError(.init(rawValue: error) ?? .EIO) }
    return pid
  }
}
