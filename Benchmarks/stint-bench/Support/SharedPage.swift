import Glibc
import Stint
import StintCore
import Synchronization

/// A page of memory that a child writes and its parent reads, even after the child was killed.
///
/// It lies in a memory file that children inherit by its descriptor, so no disk has a part in it.
final class SharedPage: @unchecked Sendable {
  // Unchecked: the memory is only read and written atomically, and it is unmapped when nobody has
  // the object any more.

  /// What is in the page, a word each.
  enum Word: Int, CaseIterable {
    /// When the child's time is over, in nanoseconds since boot.
    case deadline
    /// The last time that the child read from the clock, in nanoseconds since boot.
    case lastClock
    /// Whether the child reached the place in which it is stuck.
    case isStuck
    /// When the child had ended its task, in nanoseconds since boot.
    case ended
    /// The most memory that the child had resident, in KiB.
    case peakResident
  }

  private static let sizeBytes = 4096

  let descriptor: Int32
  private let words: UnsafeMutablePointer<Atomic<Int64>>

  /// Makes a page of zeros.
  convenience init() throws {
    let name = "/stint-bench-\(getpid())"
    let descriptor = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
    // Without a name it goes away with its last descriptor; open across exec, children inherit it.
    guard descriptor >= 0, shm_unlink(name) == 0, fcntl(descriptor, F_SETFD, 0) == 0,
      ftruncate(descriptor, Self.sizeBytes) == 0
    else {
      throw StintError(.unavailable, "There is no memory file to share with a child.", errno: errno)
    }
    try self.init(descriptor: descriptor)
  }

  /// Maps the page of an inherited descriptor.
  init(descriptor: Int32) throws {
    let memory = mmap(nil, Self.sizeBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let memory, memory != MAP_FAILED else {
      throw StintError(.unavailable, "A shared page cannot be mapped.", errno: errno)
    }
    self.descriptor = descriptor
    words = memory.bindMemory(
      to: Atomic<Int64>.self, capacity: Self.sizeBytes / MemoryLayout<Atomic<Int64>>.stride)
  }

  deinit {
    munmap(words, Self.sizeBytes)
    close(descriptor)
  }

  subscript(word: Word) -> Int64 {
    get { words[word.rawValue].load(ordering: .relaxed) }
    set { words[word.rawValue].store(newValue, ordering: .relaxed) }
  }

  /// Sets all words to zero.
  func clear() {
    for word in Word.allCases { self[word] = 0 }
  }

  /// Reads the clock and writes it down, again and again, until the process is killed or the
  /// instant has come.
  func writeClock(until end: Instant = .distantFuture) {
    var now = BootClock.now
    while now < end {
      words[Word.lastClock.rawValue].store(now.nanoseconds, ordering: .relaxed)
      now = BootClock.now
    }
  }
}
