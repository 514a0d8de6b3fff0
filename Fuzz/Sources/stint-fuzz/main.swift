import CFuzz
import Glibc

@testable import FuzzTargets

// stint-fuzz TARGET [libFuzzer's options and corpus folders]
// stint-fuzz --list          the targets, one a line
// stint-fuzz --seeds DIR     writes DIR/TARGET/*, the first inputs of every target

switch CommandLine.arguments.dropFirst().first {
case "--list":
  for target in FuzzTarget.allCases { print("\(target.rawValue) \(target.largestInputBytes)") }
  exit(0)
case "--seeds" where CommandLine.argc == 3:
  do {
    try Seeds.write(to: CommandLine.arguments[2])
    exit(0)
  } catch {
    tell("stint-fuzz: the seeds cannot be written: \(error)")
    exit(70)
  }
case let name?:
  guard FuzzTarget(rawValue: name) != nil else { fallthrough }
  Allowance.meter = (
    begin: stint_allocation_begin,
    end: {
      let taken = stint_allocation_end()
      return Allowance.Taken(peakBytes: taken.peak_bytes, totalBytes: taken.total_bytes)
    }
  )
  // libFuzzer sees a command line without the target's name.
  var vector = CommandLine.unsafeArgv
  vector[1] = vector[0]
  vector += 1
  var words = CommandLine.argc - 1
  let callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 = { data, size in
    FuzzTarget.chosen.examine(UnsafeBufferPointer(start: data, count: size))
    return 0
  }
  var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = vector
  exit(LLVMFuzzerRunDriver(&words, &start, callback))
case nil:
  tell("stint-fuzz: name a target, --list or --seeds DIR")
  exit(64)
}
