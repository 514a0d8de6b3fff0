import StintCore
import Testing

@testable import StintCommands

@Suite("Queue of Slurm")
struct SlurmQueueTests {
  @Test("an array that waits, runs, is held, can never begin, or is gone is told apart")
  func standing() {
    let waits = EngineStanding(squeue: "PD|JobArrayTaskLimit|(null)\nR|None|(null)\n")
    #expect(waits.isQueued && waits.isRunning && !waits.isHeld && waits.comment == nil)
    // The task that holds the others is marked, too, and goes on.
    let held = EngineStanding(squeue: "PD|JobHeldUser|stint: /a|b cannot be reached (node n1)\n")
    #expect(held.isHeld && held.isQueued)
    #expect(held.comment == "/a|b cannot be reached (node n1)")
    #expect(!EngineStanding(squeue: "R|JobHeldUser|(null)\n").isHeld)
    let never = EngineStanding(squeue: "PD|DependencyNeverSatisfied|mine\n")
    #expect(never.canNeverBegin && !never.isQueued && never.comment == nil)
    #expect(!EngineStanding(squeue: "").isQueued)
    #expect(!EngineStanding(squeue: "nonsense\n\n").isQueued)
  }

  private static func job(_ state: String, _ reason: String = "None", _ more: String = "")
    -> SlurmJob?
  {
    SlurmJob(
      "JobId=140 ArrayJobId=138 ArrayTaskId=2 JobState=\(state) Reason=\(reason) ExitCode=0:0 "
        + "\(more) ReqNodeList=(null) NodeList=n1 BatchHost=n1")
  }

  @Test(
    "why a job ended is read from its state, and from when Slurm took it back",
    arguments: [
      ("COMPLETING", "TimeLimit", "PreemptTime=None", SliceEnd.timedOut),
      ("TIMEOUT", "TimeLimit", "PreemptTime=None", .timedOut),
      ("COMPLETING", "None", "PreemptTime=2026-11-28T22:04:22", .preempted),
      ("PREEMPTED", "None", "", .preempted), ("COMPLETING", "None", "PreemptTime=None", .cancelled),
      ("CANCELLED", "None", "PreemptTime=None", .cancelled),
      ("COMPLETED", "None", "PreemptTime=2026-11-28T22:04:22", .preempted),
      ("NODE_FAIL", "NodeDown", "", .nodeLost), ("OUT_OF_MEMORY", "OutOfMemory", "", .outOfMemory),
      ("RUNNING", "None", "PreemptTime=None", nil), ("FAILED", "NonZeroExitCode", "", nil),
    ] as [(String, String, String, SliceEnd?)])
  func ends(state: String, reason: String, more: String, end: SliceEnd?) throws {
    let job = try #require(Self.job(state, reason, more))
    #expect(SliceEnd(job) == end)
    #expect(job.task == "138_2" && job.node == "n1")
  }

  @Test("a script that never began is told from one that failed")
  func output() throws {
    let lost = try #require(
      SlurmJob("JobState=FAILED Reason=JobLaunchFailure ExitCode=0:53 NodeList=n1"))
    #expect(lost.lacksOutput && lost.task == nil)
    let failed = try #require(SlurmJob("JobState=FAILED ExitCode=1:0 NodeList=n1"))
    #expect(!failed.lacksOutput)
    #expect(SlurmJob("slurm_load_jobs error: Invalid job id specified") == nil)
  }
}
