/// What the kernel says of the machine's power and heat.
///
/// The files are those of `Documentation/ABI/testing/sysfs-class-power` and
/// `Documentation/driver-api/thermal/sysfs-api.rst`. A machine without any, as most servers and
/// virtual machines are, has external power and is cool.
package struct MachinePower: Sendable {
  /// How hot the machine is, by the hottest trip point that a thermal zone has reached.
  package enum Heat: Int, Sendable, Comparable {
    /// No trip point is reached.
    case none
    /// An active one: the machine cools itself.
    case active
    /// A passive one: the kernel slows the machine down.
    case passive
    /// A hot or a critical one: the machine is about to stop.
    case critical

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
  }

  /// The charge up to which a discharging battery is low, in percent.
  static let lowCharge = 20
  /// More trip points than any thermal zone has.
  private static let mostTripPoints = 64

  private let read: @Sendable (String) -> String?
  private let names: @Sendable (String) -> [String]

  /// Looks at this machine.
  package init() {
    self.init(read: { KernelFile.text($0) }, names: { KernelFile.names(in: $0) })
  }

  /// Looks through readers.
  ///
  /// - Parameters:
  ///   - read: The text of a file; nil if there is none.
  ///   - names: The names in a folder.
  init(
    read: @escaping @Sendable (String) -> String?,
    names: @escaping @Sendable (String) -> [String]
  ) {
    self.read = read
    self.names = names
  }

  /// Whether the machine is fed from outside: a supply is connected, or no battery is discharged.
  package var hasExternalPower: Bool { hasConnectedSupply || dischargedBatteries.isEmpty }

  /// Whether batteries feed the machine, and one of them is nearly empty.
  package var isLow: Bool {
    !hasConnectedSupply
      && dischargedBatteries.contains { battery in
        number("capacity", of: battery).map { $0 <= Self.lowCharge } ?? false
      }
  }

  private var hasConnectedSupply: Bool {
    supplies.contains { supply in
      word("type", of: supply) != "Battery" && (number("online", of: supply) ?? 0) > 0
    }
  }

  /// The batteries that feed the machine now.
  ///
  /// A battery with the scope `Device` feeds something else, such as a mouse.
  private var dischargedBatteries: [String] {
    supplies.filter { supply in
      word("type", of: supply) == "Battery" && word("status", of: supply) == "Discharging"
        && word("scope", of: supply) != "Device"
    }
  }

  /// How hot the machine is.
  package var heat: Heat {
    let folder = "/sys/class/thermal/"
    return names(folder).filter { $0.hasPrefix("thermal_zone") }
      .map { heat(ofZone: folder + $0) }.max() ?? .none
  }

  private func heat(ofZone zone: String) -> Heat {
    guard let temperature = number("temp", of: zone) else { return .none }
    var heat = Heat.none
    for point in 0..<Self.mostTripPoints {
      guard let limit = number("trip_point_\(point)_temp", of: zone) else { break }
      // A driver that does not use a trip point sets it to 0 or less.
      guard limit > 0, temperature >= limit else { continue }
      switch word("trip_point_\(point)_type", of: zone) {
      case "active": heat = max(heat, .active)
      case "passive": heat = max(heat, .passive)
      case "hot", "critical": heat = .critical
      case _: break
      }
    }
    return heat
  }

  private var supplies: [String] {
    let folder = "/sys/class/power_supply/"
    return names(folder).map { folder + $0 }
  }

  private func word(_ name: String, of folder: String) -> Substring? {
    read("\(folder)/\(name)")?.split(whereSeparator: \.isNewline).first
  }

  private func number(_ name: String, of folder: String) -> Int? {
    word(name, of: folder).flatMap { Int($0) }
  }
}
