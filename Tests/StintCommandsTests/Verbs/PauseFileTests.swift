import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("The pause file, and a holder on another machine")
struct PauseFileTests {
  let fixture = VerbFixture()
  let elsewhere: StoreIdentity = {
    var identity = StoreIdentity.current()
    identity.host = "elsewhere"
    return identity
  }()

  /// A job that a worker on another machine holds and last said this of.
  func job(saying state: StatusReport.State) throws -> Job {
    let job = try fixture.job(1, identity: elsewhere)
    try job.materialize()
    let report = StatusReport(
      state: state, progress: WorkProgress(fraction: 0.5, phase: "p"), remaining: .unlimited)
    let stamp = JournalRecord.Stamp(elsewhere)
    try job.tellProgress(Array(ReportJSON.tick(report, stamp: stamp).utf8))
    return job
  }

  func pause(_ job: Job) throws -> VerbResult {
    try PauseCommand(context: fixture.context("pause", job.key), patience: .zero).run()
  }

  @Test("W7 a report that was made before the last one told says nothing any more")
  func olderReport() throws {
    let job = try fixture.job(1)
    try job.materialize()
    let teller = ProgressTeller(job)
    func told() throws -> StatusReport.State? {
      let bytes = try fixture.context("status", job.key).catalog.progressBytes(of: job.key)
      return bytes.flatMap(ProgressReading.init(json:))?.report.state
    }
    for (state, seconds) in [(StatusReport.State.running, 1), (.paused, 3), (.saving, 2)] {
      teller.tell(
        StatusReport(
          state: state, progress: WorkProgress(fraction: 0.5, phase: "p"), remaining: .unlimited,
          elapsed: .seconds(seconds)))
    }
    #expect(try told() == .paused)
  }

  @Test(
    "W7 pause asks by the file and believes the worker's word",
    arguments: [StatusReport.State.paused, .waiting])
  func pauses(state: StatusReport.State) throws {
    let job = try job(saying: state)
    let view = try fixture.context("pause", job.key).view(of: job.key)
    #expect(view.state == .running, "without the file it is no pause")
    let result = try pause(job)
    #expect(result.exitStatus == 0)
    #expect(result.output.contains("it is saved and waits, held by process"), "\(result.output)")
    #expect(result.output.contains("on elsewhere"))
    #expect(job.isSet(.pause))
    #expect(try pause(job).output.contains("paused already"))
  }

  @Test(
    "W7 a worker that has not said that it waits is not called paused",
    arguments: [StatusReport.State.running, .saving])
  func unanswered(state: StatusReport.State) throws {
    let job = try job(saying: state)
    expectError(.unavailable, saying: "on elsewhere", "has not said so") { try pause(job) }
    #expect(job.isSet(.pause), "it may still obey")
    let context = try fixture.context("status", job.key)
    #expect(context.view(of: job.key).state == .running)
    let page = try StatusCommand(context: context).run().output
    #expect(page.contains("pause, until stint resume"), "\(page)")
  }

  @Test("W7 resume takes the file away, whether a worker waits for that or nobody is there")
  func resumes() throws {
    let key: String
    do {
      let job = try job(saying: .paused)
      _ = try pause(job)
      let step = try ResumeCommand(context: fixture.context("resume", job.key)).next()
      guard case .done(let result) = step else {
        Issue.record("it would run a job that is held")
        return
      }
      #expect(result.output.contains("on elsewhere"), "\(result.output)")
      #expect(!job.isSet(.pause))
      expectError(.unavailable, comment: "it is not paused, and no signal reaches it") {
        try ResumeCommand(context: fixture.context("resume", job.key)).next()
      }
      _ = try pause(job)
      key = job.key
    }
    let context = try fixture.context("resume", key)
    #expect(context.view(of: key).state == .waiting)
    #expect(context.view(of: key).summary.markers == [.pause])
    guard case .run = try ResumeCommand(context: context).next() else {
      Issue.record("nobody works on it, and it is not run")
      return
    }
    #expect(context.view(of: key).summary.markers == [])
  }

  @Test("W11 stop ends a pause too: the stop file is there before the pause file goes")
  func stops() throws {
    let job = try job(saying: .paused)
    _ = try pause(job)
    let result = try StopCommand(context: fixture.context("stop", job.key)).run()
    #expect(result.output.contains("it is saved"), "\(result.output)")
    #expect(job.isSet(.stop))
    #expect(!job.isSet(.pause))
  }
}
