/// Where a true figure lies with 95 % probability, in the figure's unit; without an end that so few
/// measurements cannot give.
struct Interval: Hashable, Encodable {
  var low: Double?
  var high: Double?
}
