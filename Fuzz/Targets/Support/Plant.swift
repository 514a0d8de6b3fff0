import Glibc

/// A fault that is put in on purpose, to see that it is found; `STINT_FUZZ_PLANT` names the one
/// that is alive.
///
/// All but ``rare`` strike at inputs that a target's reader accepts, so that finding them also
/// shows that the corpus gets through the reader and not only to its first refusal.
enum Plant: String {
  /// The reader traps.
  case crash
  /// The reader never returns.
  case hang
  /// The reader takes far more memory than the input is worth.
  case allocation
  /// What is written and read again differs.
  case difference
  /// The reader traps at an input that is not in the corpus: it takes mutation to find it.
  case rare

  static let alive: Plant? = getenv("STINT_FUZZ_PLANT").map { text in
    guard let plant = Plant(rawValue: String(cString: text)) else {
      fatalError("there is no plant \(String(cString: text))")
    }
    return plant
  }

  /// Called inside the measured part when an input was accepted.
  static func accepted(_ input: [UInt8]) {
    switch alive {
    case nil, .difference, .rare: return
    case .crash: fatalError("planted: the reader traps")
    case .hang: while true { sched_yield() }
    case .allocation:
      // Below libFuzzer's own limit: the target's allowance has to see it.
      let waste = UnsafeMutableRawPointer.allocate(byteCount: 16 << 20, alignment: 16)
      waste.storeBytes(of: 1, as: UInt8.self)
      waste.deallocate()
    }
  }

  /// Called with the target's own rare condition.
  static func rare(_ holds: @autoclosure () -> Bool) {
    if alive == .rare, holds() { fatalError("planted: the reader traps at a rare input") }
  }

  /// Whether the target has to spoil what it read again.
  static var spoils: Bool { alive == .difference }
}
