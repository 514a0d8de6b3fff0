import Testing

@testable import StintRuntime

@Suite("The machine's power and heat")
struct MachinePowerTests {
  /// Reads files that a test made up.
  private static func power(_ files: [String: String]) -> MachinePower {
    MachinePower(
      read: { files[$0] },
      names: { folder in
        Set(
          files.keys.filter { $0.hasPrefix(folder) }
            .compactMap { $0.dropFirst(folder.count).split(separator: "/").first.map(String.init) }
        ).sorted()
      })
  }

  private static func supplies(_ values: [String: String]) -> MachinePower {
    var files: [String: String] = [:]
    for (name, value) in values { files["/sys/class/power_supply/" + name] = value + "\n" }
    return power(files)
  }

  @Test(
    "a battery that feeds the machine is no external power, and low at 20 percent",
    arguments: [
      ([:], true, false),
      (["AC/type": "Mains", "AC/online": "1"], true, false),
      (["AC/type": "Mains", "AC/online": "0"], true, false),
      (["B/type": "Battery", "B/status": "Discharging", "B/capacity": "21"], false, false),
      (["B/type": "Battery", "B/status": "Discharging", "B/capacity": "20"], false, true),
      (["B/type": "Battery", "B/status": "Discharging"], false, false),
      (["B/type": "Battery", "B/status": "Discharging", "B/capacity": "x"], false, false),
      (["B/type": "Battery", "B/status": "Full", "B/capacity": "5"], true, false),
      (
        [
          "AC/type": "USB", "AC/online": "1", "B/type": "Battery", "B/status": "Discharging",
          "B/capacity": "5",
        ], true, false
      ),
      (
        [
          "mouse/type": "Battery", "mouse/scope": "Device", "mouse/status": "Discharging",
          "mouse/capacity": "1",
        ], true, false
      ),
    ] as [([String: String], Bool, Bool)])
  func power(files: [String: String], isExternal: Bool, isLow: Bool) {
    let power = Self.supplies(files)
    #expect(power.hasExternalPower == isExternal)
    #expect(power.isLow == isLow)
  }

  @Test(
    "the hottest trip point that any thermal zone has reached counts",
    arguments: [
      (["thermal_zone0/temp": "90000"], .none),
      (zone(0, 49_999, [("active", 50_000)]), .none),
      (zone(0, 50_000, [("active", 50_000)]), .active),
      (zone(0, 80_000, [("passive", 70_000), ("active", 50_000)]), .passive),
      (zone(0, 80_000, [("passive", 0), ("hot", -274_000)]), .none),
      (zone(0, 95_000, [("hot", 90_000), ("critical", 100_000)]), .critical),
      (
        zone(0, 20_000, [("passive", 70_000)]).merging(zone(1, 99_000, [("critical", 99_000)])) {
          $1
        }, .critical
      ),
    ] as [([String: String], MachinePower.Heat)])
  func heat(files: [String: String], heat: MachinePower.Heat) {
    var whole: [String: String] = [:]
    for (name, value) in files { whole["/sys/class/thermal/" + name] = value + "\n" }
    #expect(Self.power(whole).heat == heat)
  }

  @Test("this machine's files can be read")
  func here() {
    let power = MachinePower()
    #expect(!(power.hasExternalPower && power.isLow))
    #expect(MachinePower.Heat.none <= power.heat)
  }

  private static func zone(
    _ number: Int, _ temperature: Int, _ points: [(String, Int)]
  ) -> [String: String] {
    let zone = "thermal_zone\(number)"
    var files = ["\(zone)/temp": "\(temperature)"]
    for (index, point) in points.enumerated() {
      files["\(zone)/trip_point_\(index)_type"] = point.0
      files["\(zone)/trip_point_\(index)_temp"] = "\(point.1)"
    }
    return files
  }
}
