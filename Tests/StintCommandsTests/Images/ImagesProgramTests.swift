import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("From stint to stint-images")
struct ImagesProgramTests {
  @Test("the program is looked for beside this one, then in libexec of the same prefix")
  func places() {
    let places = ["/opt/bin/stint-images", "/opt/bin/../libexec/stint/stint-images"]
    #expect(HelperProgram.images.candidates(besides: "/opt/bin/stint") == places)
    #expect(HelperProgram.images.candidates(besides: nil) == [])
    #expect(HelperProgram.images.candidates(besides: "stint") == [])
    for (there, found) in [
      (places, places[0]), ([places[1]], places[1]), ([], nil),
    ] as [([String], String?)] {
      #expect(
        HelperProgram.images.path(besides: "/opt/bin/stint", isExecutable: { there.contains($0) })
          == found)
    }
  }

  @Test("a start that was handed over counts only between the start of the process and now")
  func launchTime() {
    let start = Instant(nanoseconds: 1000)
    let now = Instant(nanoseconds: 9000)
    func taken(_ text: String, _ processStart: Instant? = start) -> Instant? {
      LaunchTime.checked(text, now: now, processStart: processStart)
    }
    #expect(taken("5000") == Instant(nanoseconds: 5000))
    #expect(taken("1000") == start)
    #expect(taken("9000") == now)
    for text in ["999", "9001", "-1", "", "x", "5000 ", "5e3", "99999999999999999999"] {
      #expect(taken(text) == nil, "\(text)")
    }
    #expect(taken("5000", nil) == nil)
  }

  @Test("the start of a process is read whatever its name is")
  func processStart() throws {
    let fields = (4...30).map(String.init).joined(separator: " ")
    // Field 22 of the line is 22 here, in ticks of a hundredth of a second.
    let expected = Instant(nanoseconds: 220_000_000)
    #expect(LaunchTime.start(stat: "17 (stint) S \(fields)") == expected)
    #expect(LaunchTime.start(stat: "17 (a) b) (c) S \(fields)") == expected)
    for line in [
      "", "17 (stint", "17 (stint) S 4 5", "17 (stint) S " + fields.replacing("22", with: "x"),
    ] {
      #expect(LaunchTime.start(stat: line) == nil, "\(line)")
    }
    let own = try #require(KernelFile.text("/proc/self/stat").flatMap(LaunchTime.start))
    #expect(own > Instant(nanoseconds: 0))
  }
}
