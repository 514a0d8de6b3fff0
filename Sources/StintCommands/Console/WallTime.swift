package import StintCore

/// The wall clock at one moment, with the rules of the user's zone.
package struct WallTime: Sendable {
  package var nanosecondsSince1970: Int64
  package var calendar: WallCalendar
  /// The same moment by the boot-time clock.
  package var instant = Instant(nanoseconds: 0)
}
