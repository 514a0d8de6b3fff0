/// Decides which chains of an array are handed to the engine, and when the array is over (E8).
///
/// An array is a list of chains, one for each line of a file, of which at most so many are in the
/// hands of the engine at once. Whoever sees a chain end asks what follows; a value without
/// effects.
package struct ChainArrayMachine: Hashable, Sendable {
  /// What came of handing a chain to the engine.
  package enum HandOver: Hashable, Sendable {
    /// The engine has it, or had it already.
    case taken
    /// Its work was finished before.
    case wasFinished
    /// The engine took nothing; it may take it later.
    case refused
  }

  /// What is to be done.
  package enum Next: Hashable, Sendable {
    /// Hand over the chain of this line, from 1.
    case handOver(line: Int)
    /// Nothing: wait for the end of a chain.
    case wait
    case ended(ChainMachine.Ending)
  }

  /// How many lines there are.
  package let count: Int
  /// How many chains may be in the engine's hands at once.
  package var atOnce: Int
  /// How many lines were handed over, in their order.
  package private(set) var handedOver: Int
  /// The lines whose chains the engine has, in the order in which they were handed over.
  package private(set) var active: [Int]
  /// How many chains ended in which way.
  package private(set) var ends: [ChainMachine.Ending: Int]
  /// Whether somebody stopped the array: then no other chain is handed over.
  package private(set) var isStopped: Bool

  package init(
    count: Int, atOnce: Int, handedOver: Int = 0, active: [Int] = [],
    ends: [ChainMachine.Ending: Int] = [:], isStopped: Bool = false
  ) {
    (self.count, self.atOnce) = (count, atOnce)
    (self.handedOver, self.active) = (handedOver, active)
    (self.ends, self.isStopped) = (ends, isStopped)
  }

  package var next: Next {
    let isThrough = isStopped || handedOver == count
    if isThrough {
      guard active.isEmpty else { return .wait }
      if ends[.finished, default: 0] == count { return .ended(.finished) }
      return .ended(isStopped ? .stopped : .failed)
    }
    return active.count < atOnce ? .handOver(line: handedOver + 1) : .wait
  }

  /// The next line is being handed over.
  ///
  /// To be written down before it is done: whoever comes after a crash looks whether the engine has
  /// the chains that count as active.
  package mutating func began() {
    guard case .handOver(let line) = next else { return }
    handedOver = line
    active.append(line)
  }

  /// What came of handing over a line that is active.
  package mutating func ended(handingOver line: Int, _ outcome: HandOver) {
    guard active.contains(line) else { return }
    switch outcome {
    case .taken: break
    case .wasFinished: lineEnded(line, .finished)
    case .refused:
      // Only the last one can be taken back; an earlier one is tried again as an active one.
      guard line == handedOver else { return }
      active.removeAll { $0 == line }
      handedOver -= 1
    }
  }

  /// The chain of a line has ended; a second word on it changes nothing.
  package mutating func lineEnded(_ line: Int, _ ending: ChainMachine.Ending) {
    guard let place = active.firstIndex(of: line) else { return }
    active.remove(at: place)
    ends[ending, default: 0] += 1
  }

  /// Somebody stopped the array.
  package mutating func stop() { isStopped = true }
}
