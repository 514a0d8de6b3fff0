import Stint

/// A fixed piece of computing that stays in registers: what it takes depends on nothing but the
/// processor's time.
enum SpinKernel {
  /// The stop flag is polled once in so many iterations, about every 100 microseconds.
  private static let stride = 1 << 16

  /// Runs so many dependent steps of a generator.
  ///
  /// It is Marsaglia's xorshift ("Xorshift RNGs", Journal of Statistical Software 8(14), 2003).
  @inline(never)
  static func run(_ iterations: Int, from seed: UInt64) -> UInt64 {
    var x = seed | 1
    for _ in 0..<iterations {
      x ^= x << 13
      x ^= x >> 7
      x ^= x << 17
    }
    return x
  }

  /// The same, given up with nil when the flag is raised.
  static func run(_ iterations: Int, from seed: UInt64, until flag: StopFlag) -> UInt64? {
    var x = seed
    var rest = iterations
    while rest > 0 {
      if flag.isRaised { return nil }
      x = run(min(rest, stride), from: x)
      rest -= stride
    }
    return x
  }

  /// How many iterations a second takes here, by the best of a few tries.
  static func iterationsPerSecond() -> Double {
    var iterations = stride
    var best = 0.0
    for _ in 0..<12 {
      let began = BootClock.now
      Sink.take(run(iterations, from: 1))
      let took = began.duration(to: BootClock.now).inSeconds
      best = max(best, Double(iterations) / max(took, 1e-9))
      if took < 0.02 { iterations *= 2 }
    }
    return best
  }
}
