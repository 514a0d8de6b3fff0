#if Images
package import StintCore

/// Filters that are applied one after another.
package struct FilterPipeline: Sendable {
  /// The filters in their order.
  package let steps: [FilterStep]

  init(_ steps: [FilterStep]) {
    self.steps = steps
  }

  /// The pipeline in the one form that stands for it in a job's key.
  ///
  /// Equal pipelines have equal texts, however they were written, and the text can be parsed again.
  package var canonicalText: String {
    steps.map(\.canonicalText).joined(separator: "+")
  }

  /// The indices of the steps before which a pass over the whole image collects statistics, in
  /// order.
  package var statisticsSteps: [Int] {
    steps.indices.filter { steps[$0].specification.needsStatistics }
  }

  /// The reduction that the source makes; nil for none.
  package var thumbnail: Thumbnail? { steps.first?.filter as? Thumbnail }

  /// Whether the result is turned by a quarter, so that rows have become columns.
  var turnsByQuarter: Bool {
    !steps.count { ($0.filter as? Rotate).map { $0.degrees != 180 } ?? false }.isMultiple(of: 2)
  }

  /// Checks that every step can be applied to what the one before puts out.
  ///
  /// - Returns: What the pipeline makes of an image of that shape.
  /// - Throws: `usage` with the limit.
  package func outputShape(of shape: ImageShape) throws(StintError) -> ImageShape {
    try shapes(of: shape)[steps.count]
  }

  /// The shape before each step, and after the last.
  ///
  /// - Throws: `usage` with the limit.
  package func shapes(of shape: ImageShape) throws(StintError) -> [ImageShape] {
    var shapes = [shape]
    for step in steps {
      try step.check(for: shapes[shapes.count - 1])
      shapes.append(step.filter.outputShape(of: shapes[shapes.count - 1]))
    }
    return shapes
  }

  /// About how many nanoseconds of one thread some steps take for the whole of an image, all rows
  /// together.
  ///
  /// - Parameters:
  ///   - shape: The shape of the pipeline's input.
  ///   - range: The steps; nil for all.
  /// - Returns: The sum over the steps, of what each puts out times its weight.
  /// - Throws: `usage` if a step cannot be applied.
  package func cost(of shape: ImageShape, steps range: Range<Int>? = nil) throws(StintError)
    -> Double
  {
    let shapes = try shapes(of: shape)
    return (range ?? steps.indices).reduce(0) { sum, index in
      let output = shapes[index + 1]
      let samples = Double(output.width) * Double(output.height) * Double(output.bands)
      return sum + samples * steps[index].filter.weight(in: shapes[index])
    }
  }

  /// How many rows of the input lie above and below a band that its rows depend on, where every
  /// step keeps the rows' places.
  ///
  /// - Throws: `usage` if a step cannot be applied.
  package func reach(in shape: ImageShape) throws(StintError) -> Int {
    let shapes = try shapes(of: shape)
    return steps.indices.reduce(0) { $0 + steps[$1].filter.reach(in: shapes[$1]) }
  }

  /// Builds the graph of the first steps.
  ///
  /// - Parameters:
  ///   - image: The input; any rows of it may be asked for, in any order.
  ///   - statistics: What the passes found, in the order of ``statisticsSteps``.
  ///   - count: How many steps to apply; nil for all. The graph up to a step that needs statistics,
  ///     which its pass looks at, has as many steps as that step's index.
  /// - Returns: The result; nothing is computed yet.
  /// - Throws: `usage` if a step cannot be applied; `checkFailed` if statistics are missing or of
  ///   another image.
  package func graph(
    over image: VipsImage, statistics: [FilterStatistics] = [], steps count: Int? = nil
  ) throws(StintError) -> VipsImage {
    var image = image
    var unused = statistics[...]
    var table: LookupTable?
    for step in steps.prefix(count ?? steps.count) {
      let pending = table.map { image.shape.withDepth($0.format) } ?? image.shape
      try step.check(for: pending)
      let found = step.specification.needsStatistics ? unused.popFirst() : nil
      if step.specification.needsStatistics, found == nil {
        throw StintError(
          .checkFailed, "The filter \(step.specification.name) has no statistics to go by.")
      }
      if let filter = step.filter as? any TableFilter {
        let next = try filter.table(for: pending, statistics: found)
        table = table.map { $0.followed(by: next) } ?? next
        continue
      }
      if let table { image = try table.apply(to: image) }
      table = nil
      image = try step.filter.apply(to: image)
    }
    return try table?.apply(to: image) ?? image
  }
}

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
