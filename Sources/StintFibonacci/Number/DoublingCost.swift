/// What is the same for all numbers.
enum DoublingCost {
  /// Two products that run at the same time cost so many: they share memory and its bandwidth.
  static let sharing = 1.1
}
