import CStint

/// The one lock of this code base: a value behind a pthread mutex.
///
/// `Synchronization.Mutex` is a futex that ThreadSanitizer does not know on Linux, so that it
/// reports races that are none; the sanitizer understands pthread's locks. No user code, log or I/O
/// runs under it.
package final class Protected<State>: @unchecked Sendable {
  // Unchecked: every access to the state goes through the lock.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  // Behind a pointer, so that the runtime does not record each access: that the body is alone with
  // the state is the lock's doing.
  private let state: UnsafeMutablePointer<State>

  package init(_ state: State) {
    self.state = .allocate(capacity: 1)
    self.state.initialize(to: state)
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Runs the body with exclusive access to the state.
  @inline(__always)
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state.pointee)
  }
}

/// Puts a value in the place of another one, which it returns.
package func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
  defer { value = new }
  return value
}
