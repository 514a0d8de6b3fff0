import Foundation
import StintCore
import Testing

@Suite("Chain array machine")
struct ChainArrayMachineTests {
  @Test("E8 as many chains are handed over as may be active, in the order of the lines")
  func atOnce() {
    var machine = ChainArrayMachine(count: 5, atOnce: 2)
    for line in 1...2 {
      #expect(machine.next == .handOver(line: line))
      machine.began()
    }
    #expect(machine.next == .wait)
    machine.lineEnded(1, .failed)
    #expect(machine.next == .handOver(line: 3))
    machine.began()
    machine.lineEnded(1, .finished)
    #expect(machine.active == [2, 3] && machine.ends == [.failed: 1])
    #expect(machine.next == .wait)
  }

  @Test("E8 an array is over when each chain has ended, and finished only if each of them is")
  func ends() {
    for (last, ending) in [
      (ChainMachine.Ending.finished, ChainMachine.Ending.finished), (.usedUp, .failed),
      (.stopped, .failed),
    ] {
      var machine = ChainArrayMachine(count: 2, atOnce: 9)
      machine.began()
      machine.began()
      machine.lineEnded(2, .finished)
      #expect(machine.next == .wait)
      machine.lineEnded(1, last)
      #expect(machine.next == .ended(ending))
    }
  }

  @Test(
    "E8 what Slurm refused is the next one again, and what was finished before is not handed over")
  func refused() {
    var machine = ChainArrayMachine(count: 3, atOnce: 2)
    machine.began()
    machine.ended(handingOver: 1, .taken)
    machine.began()
    machine.ended(handingOver: 2, .refused)
    #expect(machine.active == [1] && machine.next == .handOver(line: 2))
    machine.began()
    machine.ended(handingOver: 2, .wasFinished)
    #expect(machine.active == [1] && machine.ends == [.finished: 1])
    #expect(machine.next == .handOver(line: 3))
    machine.began()
    // One that was tried again after a crash stays active.
    machine.ended(handingOver: 1, .refused)
    #expect(machine.active == [1, 3])
  }

  @Test("E8 a stopped array hands nothing over, and ends when its active chains have")
  func stopped() {
    var machine = ChainArrayMachine(count: 9, atOnce: 2)
    machine.began()
    machine.stop()
    #expect(machine.next == .wait)
    machine.began()
    #expect(machine.handedOver == 1)
    machine.lineEnded(1, .stopped)
    #expect(machine.next == .ended(.stopped))
  }

  @Test("the ending of several chains is that of the whole, once each has ended")
  func whole() {
    #expect(ChainMachine.ending(of: [.finished, nil]) == nil)
    #expect(ChainMachine.ending(of: [.finished, .finished]) == .finished)
    #expect(ChainMachine.ending(of: [.finished, .died, .usedUp]) == .died)
    #expect(ChainMachine.ending(of: [.died, .stopped]) == .stopped)
  }
}
