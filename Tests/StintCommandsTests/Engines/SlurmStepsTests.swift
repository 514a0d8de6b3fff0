import StintRuntime
import Testing

@testable import StintCommands

@Suite("Steps of Slurm")
struct SlurmStepsTests {
  private static let text = """
    StepId=12_1.batch UserId=0 StartTime=x State=RUNNING SrunHost:Pid=(null):0
    StepId=12_1.0 UserId=0 Partition=all Name=a b SrunHost:Pid=n1:1263
    StepId=12_1.1 UserId=0 Name=StepId=9 SrunHost:Pid=n2.example.org:77
    StepId=13+1.0 UserId=0 SrunHost:Pid=n1:88
    StepId=$(x).0 UserId=0 SrunHost:Pid=n1:99
    SrunHost:Pid=n1:99

    StepId=14.0 UserId=0 SrunHost:Pid=n1:many
    No job steps in the system
    """

  @Test(
    "X8 a step is found by the host and the process of its srun",
    arguments: [
      ("n1", 1263, ["12_1.0"]), ("n2.example.org", 77, ["12_1.1"]), ("n1", 88, ["13+1.0"]),
      ("n1", 77, []), ("n1", 99, []), ("n1", 0, []),
    ] as [(String, Int32, [String])])
  func steps(host: String, process: Int32, expected: [String]) {
    #expect(Slurm.steps(in: Self.text) { $0 == host && $1 == process } == expected)
  }

  @Test(
    "X8 a launcher is known by its program's name",
    arguments: [
      ("srun", CommandLauncher.srun), ("/usr/bin/srun", .srun), ("mpirun", .mpi),
      ("/opt/mpi/bin/mpiexec.hydra", .mpi), ("mpiexec.openmpi", .mpi), ("orterun", .mpi),
      ("prterun", .mpi), ("python3", .none), ("srun.py", .none), ("mpirun.sh", .none),
      ("srun.mpich", .none), ("mysrun", .none), ("", .none),
      ("/", .none),
    ])
  func names(program: String, launcher: CommandLauncher) {
    #expect(CommandLauncher(program: program) == launcher)
  }
}
