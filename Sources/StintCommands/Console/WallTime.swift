/// The wall clock at one moment, with the rules of the user's zone.
package struct WallTime: Sendable {
  package var nanosecondsSince1970: Int64
  package var calendar: WallCalendar

  package init(nanosecondsSince1970: Int64, calendar: WallCalendar) {
    self.nanosecondsSince1970 = nanosecondsSince1970
    self.calendar = calendar
  }
}
