/// What is the same for all numbers.
enum DoublingCost {
  /// The time of a product while another one runs, over its time alone: they share memory and its
  /// bandwidth.
  static let sharing = 1.1
}
