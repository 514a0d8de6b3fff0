#if Images
extension FilterStatistics {
  /// Whether they can be of an image of that shape.
  func isOf(_ shape: ImageShape) -> Bool {
    counts.count == shape.colourBands
      && counts.first?.count == Int(shape.highestSample) + 1
  }
}
#endif
