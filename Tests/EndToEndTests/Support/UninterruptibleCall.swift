import Glibc

/// A call into GMP that nothing can interrupt.
enum UninterruptibleCall {
  /// A factorial that takes GMP half a minute; exits with 2 if there is no GMP.
  static func halfAMinute() {
    typealias Factorial = @convention(c) (UnsafeMutableRawPointer, UInt) -> Void
    guard let library = dlopen("libgmp.so.10", RTLD_NOW),
      let symbol = dlsym(library, "__gmpz_fac_ui")
    else { exit(2) }
    let number = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
    number.initializeMemory(as: UInt8.self, repeating: 0, count: 16)
    unsafeBitCast(symbol, to: Factorial.self)(number, 400_000_000)
  }
}
