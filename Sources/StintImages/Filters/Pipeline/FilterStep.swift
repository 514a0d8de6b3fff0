#if Images
package import StintCore

/// One filter of a pipeline.
package struct FilterStep: Sendable {
  /// The filter's row in the catalogue.
  package let specification: FilterSpecification
  package let arguments: FilterArguments
  package let filter: any Filter

  init(_ specification: FilterSpecification, _ arguments: FilterArguments) throws(StintError) {
    filter = try specification.make(arguments)
    if let other = specification.standsFor?(arguments),
      let otherSpecification = FilterCatalogue.byName[other.name]
    {
      (self.specification, self.arguments) = (otherSpecification, other.arguments)
    } else {
      (self.specification, self.arguments) = (specification, arguments)
    }
  }

  /// The step in the one form that stands for it in a job's key: every parameter by name, in the
  /// catalogue's order.
  package var canonicalText: String {
    let pairs = specification.parameters.compactMap { parameter in
      arguments[parameter.name].map { "\(parameter.name)=\($0.canonicalText)" }
    }
    return pairs.isEmpty
      ? specification.name : specification.name + ":" + pairs.joined(separator: ",")
  }

  /// Refuses an image that the step cannot be applied to.
  ///
  /// - Throws: `usage` with the limit.
  package func check(for shape: ImageShape) throws(StintError) {
    guard !filter.passesOn(shape) else { return }
    let name = specification.name
    switch specification.images {
    case .any:
      try require(
        shape.format != .complex && shape.format != .doubleComplex,
        "The filter \(name) takes no complex samples; this image has \(shape.phrase).")
    case .whole, .greyOrRGB:
      try require(
        shape.format == .uint8 || shape.format == .uint16,
        "The filter \(name) takes 8 and 16-bit samples; this image has \(shape.phrase). "
          + "Convert it first, for example with vips colourspace or vips cast.")
    }
    if specification.images == .greyOrRGB {
      try require(
        [.grey, .grey16, .srgb, .rgb, .rgb16, .multiband].contains(shape.colourSpace),
        "The filter \(name) takes grayscale and RGB; this image has \(shape.phrase). "
          + "Convert it first, for example with vips icc_transform or vips colourspace.")
    }
    if specification.alpha == .weighted || specification.alpha == .weighing {
      try require(
        shape.bands - shape.colourBands <= 1,
        "The filter \(name) takes one band of alpha; this image has "
          + "\(shape.bands - shape.colourBands) bands beyond its colour.")
    }
    try filter.check(for: shape)
  }

  private func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(StintError) {
    if !condition { throw StintError(.usage, message()) }
  }
}
#endif
