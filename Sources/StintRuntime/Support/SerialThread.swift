import CStint
import Dispatch
import Glibc
import StintCore

/// A thread of its own that runs what it is given, in order.
///
/// Compute, checkpoints and reports each have one: none of them waits for a pool that other code
/// may have filled, and none of them runs on main. All signals but those of its own faults are
/// blocked on it, so that they go to the thread that waits for them; a thread that runs a user's
/// code may have the process's mask instead, because a child that the code starts inherits it.
package final class SerialThread: Sendable {
  private let shared: Shared

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: At most 15 bytes are shown by tools such as `top -H`.
  ///   - isPrompt: Whether it works briefly and must be woken soon among busy threads; false for
  ///     long computations.
  ///   - blocksSignals: Whether it blocks signals; if not, it blocks those that the process does
  ///     (``ProcessSignalMask``).
  package init(name: String, isPrompt: Bool = true, blocksSignals: Bool = true) {
    shared = Shared(
      name: name, isPrompt: isPrompt, mask: blocksSignals ? nil : ProcessSignalMask.current())
    Self.start(shared)
  }

  deinit {
    shared.close()
  }

  /// Runs the body after everything that was enqueued before; any thread may call it.
  package func enqueue(_ body: @escaping @Sendable () -> Void) {
    shared.put(body)
  }

  /// Waits until everything that was enqueued before has run, but not for longer than a limit.
  ///
  /// - Returns: Whether all of it has run.
  @discardableResult
  package func flush(within limit: Duration) -> Bool {
    let done = DispatchSemaphore(value: 0)
    enqueue { done.signal() }
    return done.wait(timeout: .now() + .nanoseconds(Int(clamping: limit.nanoseconds))) == .success
  }

  /// The stack of each, in bytes: GMP's temporaries of moderate size live on it.
  package static let stackBytes = 16 << 20

  private static func start(_ shared: Shared) {
    let context = Unmanaged.passRetained(shared).toOpaque()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, stackBytes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var before = sigset_t()
    stint_block_signals(&before)
    var thread = pthread_t()
    let status = pthread_create(&thread, &attributes, threadMain, context)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    pthread_attr_destroy(&attributes)
    guard status == 0 else { refused(status) }
  }

  /// What a program does in which the system refuses a thread; without it, it traps.
  private static let refusal = Protected<(@Sendable (StintError) -> Never)?>(nil)

  /// Lets a program end in its own way where the system refuses a thread.
  ///
  /// A thread cannot be done without, and whoever needs one seldom has somebody to tell.
  package static func whenRefused(_ body: @escaping @Sendable (StintError) -> Never) {
    refusal.withLock { $0 = body }
  }

  private static func refused(_ code: Int32) -> Never {
    let error = refusalError(code)
    if let body = refusal.withLock({ $0 }) { body(error) }
    // Unlike that of a precondition, the sentence is there in a release build too.
    fatalError("\(error)")
  }

  private static func refusalError(_ code: Int32) -> StintError {
    StintError(
      .unavailable,
      "the system refuses another thread (\(String(cString: strerror(code)))); raise the limits of "
        + "processes (ulimit -u) and of address space (ulimit -v)", errno: code)
  }

  /// Makes so many threads at once, and ends them again: whether this process may have them.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`.
  package static func check(count: Int) throws(StintError) {
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    gate.initialize(to: pthread_mutex_t())
    pthread_mutex_init(gate, nil)
    defer {
      pthread_mutex_destroy(gate)
      gate.deallocate()
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 1 << 16)
    defer { pthread_attr_destroy(&attributes) }
    var before = sigset_t()
    stint_block_signals(&before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var threads: [pthread_t] = []
    var status: Int32 = 0
    pthread_mutex_lock(gate)
    while status == 0, threads.count < count {
      var thread = pthread_t()
      status = pthread_create(&thread, &attributes, waitAtGate, gate)
      if status == 0 { threads.append(thread) }
    }
    pthread_mutex_unlock(gate)
    for thread in threads { pthread_join(thread, nil) }
    if status != 0 { throw refusalError(status) }
  }

  private static let waitAtGate:
    @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
      let gate = $0?.assumingMemoryBound(to: pthread_mutex_t.self)
      if let gate {
        pthread_mutex_lock(gate)
        pthread_mutex_unlock(gate)
      }
      return nil
    }

  private static let threadMain:
    @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
      guard let context = $0 else { return nil }
      let shared = Unmanaged<Shared>.fromOpaque(context).takeRetainedValue()
      shared.name.withCString { stint_name_thread($0) }
      // A wish: on a kernel that refuses it the thread is woken later, and that is all.
      if shared.isPrompt { _ = stint_slice_set(Int64(STINT_PROMPT_SLICE_NS)) }
      if var mask = shared.mask { pthread_sigmask(SIG_SETMASK, &mask, nil) }
      shared.run()
      return nil
    }

  /// The queue, apart from the handle so that the running thread does not keep its owner alive.
  private final class Shared: @unchecked Sendable {
    // Unchecked: the queue is guarded by the mutex.
    let name: String
    let isPrompt: Bool
    let mask: sigset_t?
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var queue: [@Sendable () -> Void] = []
    private var isClosed = false

    init(name: String, isPrompt: Bool, mask: sigset_t?) {
      self.isPrompt = isPrompt
      self.mask = mask
      self.name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
      mutex = .allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
      condition = .allocate(capacity: 1)
      condition.initialize(to: pthread_cond_t())
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      condition.deallocate()
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    func put(_ body: @escaping @Sendable () -> Void) {
      pthread_mutex_lock(mutex)
      queue.append(body)
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
    }

    func close() {
      pthread_mutex_lock(mutex)
      isClosed = true
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
    }

    func run() {
      while let body = next() { body() }
    }

    private func next() -> (@Sendable () -> Void)? {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      while queue.isEmpty, !isClosed { pthread_cond_wait(condition, mutex) }
      return queue.isEmpty ? nil : queue.removeFirst()
    }
  }
}
