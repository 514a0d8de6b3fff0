import StintCore

// The choices of a history, which come again for the same seed.

extension SplitMix64 {
  /// A number from zero up to, and not including, a limit; a slight bias does no harm here.
  mutating func below(_ limit: Int) -> Int {
    Int(next() % UInt64(max(1, limit)))
  }

  /// Whether something happens that happens so many times in a hundred.
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of several.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
