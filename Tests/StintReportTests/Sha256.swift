/// SHA-256 (FIPS 180-4), to compute what the page's policy says of its style sheet.
enum Sha256 {
  /// The first 32 bits of the fractional parts of the square or cube roots of the first primes.
  private static func fractions(_ count: Int, root: (Double) -> Double) -> [UInt32] {
    var primes: [Int] = []
    var candidate = 2
    while primes.count < count {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map { prime in
      let value = root(Double(prime))
      return UInt32((value - value.rounded(.down)) * 4_294_967_296)
    }
  }

  static func digest(_ bytes: [UInt8], cubeRoot: (Double) -> Double) -> [UInt8] {
    let constants = fractions(64, root: cubeRoot)
    var hash = fractions(8) { $0.squareRoot() }
    var message = bytes + [0x80]
    while message.count % 64 != 56 { message.append(0) }
    let bits = UInt64(bytes.count) * 8
    message += (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
    for start in stride(from: 0, to: message.count, by: 64) {
      add(message[start..<(start + 64)], constants, to: &hash)
    }
    return hash.flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
    }
  }

  private static func add(
    _ block: ArraySlice<UInt8>, _ constants: [UInt32], to hash: inout [UInt32]
  ) {
    func turned(_ word: UInt32, _ by: UInt32) -> UInt32 { word >> by | word << (32 - by) }
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
      block[index..<(index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (far, near) = (words[index - 15], words[index - 2])
      let first = turned(far, 7) ^ turned(far, 18) ^ far >> 3
      let second = turned(near, 17) ^ turned(near, 19) ^ near >> 10
      words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    var state = hash
    for index in 0..<64 {
      let (a, e) = (state[0], state[4])
      let choice = (e & state[5]) ^ (~e & state[6])
      let first =
        state[7] &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ choice &+ constants[index]
        &+ words[index]
      let majority = (a & state[1]) ^ (a & state[2]) ^ (state[1] & state[2])
      let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
      state = [first &+ second, a, state[1], state[2], state[3] &+ first, e, state[5], state[6]]
    }
    for index in hash.indices { hash[index] = hash[index] &+ state[index] }
  }
}
