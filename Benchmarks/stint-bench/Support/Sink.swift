import Synchronization

/// Where results go so that the compiler does not leave out what made them.
enum Sink {
  private static let value = Atomic<UInt64>(0)

  static func take(_ word: UInt64) {
    value.store(word, ordering: .relaxed)
  }

  static func take(_ number: Double) {
    take(number.bitPattern)
  }
}
