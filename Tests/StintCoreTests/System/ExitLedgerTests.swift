import StintCore
import Testing

@Suite("Exit ledger")
struct ExitLedgerTests {
  private let now = Instant(nanoseconds: 100_000_000_000)

  private func ledger(_ state: LifeState = .background) -> ExitLedger {
    ExitLedger(bootID: "boot", lifeState: state)
  }

  private func cause(_ ledger: ExitLedger) -> ExitLedger.Inference {
    ledger.inference(bootID: "boot", now: now)
  }

  @Test("L8 what a killed run announced explains its end")
  func announced() {
    var ledger = ledger()
    ledger.announcement = .init(deadline: now, openTasks: ["upload"])
    #expect(cause(ledger) == .terminated(.handlersOverran))
    ledger.announcement?.handlersReturned = true
    #expect(cause(ledger) == .terminated(.leakedTask(name: "upload")))
    ledger.announcement?.openTasks = []
    #expect(cause(ledger) == .terminated(.overrun))
    ledger.announcement?.deadline = now.advanced(by: .seconds(1))
    #expect(cause(ledger) == .terminated(.signal(9)), "gone before its deadline")
  }

  @Test("L8 a recorded cause, an orderly end and a suspension need no guess")
  func recorded() {
    var ledger = ledger(.suspended)
    #expect(cause(ledger) == .terminated(.killedWhileSuspended))
    ledger.recordedCause = .enterBackgroundOverran
    #expect(cause(ledger) == .terminated(.enterBackgroundOverran))
    ledger.endedInOrder = true
    #expect(cause(ledger) == .inOrder)
  }

  @Test("L8 the parent's wait status tells crashes and signals apart")
  func statuses() {
    var ledger = ledger()
    ledger.waitStatus = .signaled(11)
    #expect(cause(ledger) == .terminated(.crash))
    ledger.waitStatus = .signaled(15)
    #expect(cause(ledger) == .terminated(.signal(15)))
    ledger.waitStatus = .signaled(9)
    #expect(cause(ledger) == .terminated(.signal(9)))
    ledger.waitStatus = .exited(0)
    #expect(cause(ledger) == .inOrder)
  }

  @Test("L8 instants of another boot are not compared")
  func otherBoot() {
    var ledger = ledger()
    ledger.announcement = .init(deadline: now, openTasks: ["upload"])
    #expect(ledger.inference(bootID: "other", now: now) == .machineRestarted)
  }

  @Test("L8 the cause is reported once")
  func once() {
    var ledger = ledger(.suspended)
    #expect(ledger.causeToReport(bootID: "boot", now: now) == .killedWhileSuspended)
    #expect(ledger.causeToReport(bootID: "boot", now: now) == nil)
  }
}
