import CStint
import Glibc

/// What a reading of the clock and an uncontended mutex cost in C.
///
/// A call of the library needs both. Its ratio to them is the same on a slow machine and on a fast
/// one.
final class PlainCalls: @unchecked Sendable {
  // Unchecked: a mutex is made for threads.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Locks, reads the clock and unlocks, `count` times.
  func run(_ count: Int) {
    var last: Int64 = 0
    for _ in 0..<count {
      pthread_mutex_lock(mutex)
      last = stint_boottime_ns()
      pthread_mutex_unlock(mutex)
    }
    Sink.take(UInt64(bitPattern: last))
  }
}
