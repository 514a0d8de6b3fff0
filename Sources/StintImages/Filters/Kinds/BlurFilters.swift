#if Images
import Glibc
import StintCore

/// A blur by a bell curve.
struct GaussianBlur: Filter {
  /// The standard deviation, in pixels.
  let sigma: Double
  /// Where the curve is cut off, as a part of its height.
  let cutoff: Double

  /// The half width of the mask that libvips makes.
  func reach(in shape: ImageShape) -> Int {
    sigma < 0.2 ? 0 : Int((sigma * sqrt(-2 * log(cutoff))).rounded(.up)) + 1
  }

  func weight(in shape: ImageShape) -> Double {
    let taps = Double(4 * reach(in: shape) + 2)
    return shape.hasAlpha ? 12 + taps * 1.5 : shape.format == .uint8 ? 2 + taps * 0.4 : 2 + taps
  }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    try image.weightedByAlpha { image throws(StintError) in try blurred(image) }
  }

  /// The blur of all bands; whole samples are summed up in whole numbers.
  func blurred(_ image: VipsImage) throws(StintError) -> VipsImage {
    let isWhole = image.format == .uint8 || image.format == .uint16
    return try image.applying(
      "gaussblur",
      [
        "sigma": .number(sigma), "min-ampl": .number(cutoff),
        "precision": .word(isWhole ? "integer" : "float"),
      ])
  }
}

/// A blur by the mean of a square.
struct BoxBlur: Filter {
  /// Pixels on each side of the one in the middle.
  let radius: Int

  func reach(in shape: ImageShape) -> Int { radius }

  func weight(in shape: ImageShape) -> Double {
    shape.hasAlpha ? 12 + Double(radius) * 4 : 8
  }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    let side = 2 * radius + 1
    return try image.weightedByAlpha { image throws(StintError) in
      let ones = [[Double](repeating: 1, count: side)]
      let mask = try VipsImage.matrix(ones, scale: Double(side))
      switch image.format {
      case .uint8, .uint16:
        // A running sum: the time does not depend on the radius. One layer is the box itself.
        return try image.applying(
          "convsep",
          ["mask": .image(mask), "precision": .word("approximate"), "layers": .integer(1)])
      case .int8, .int16, .uint32, .int32, .float, .double, .complex, .doubleComplex:
        // A running sum of floating-point numbers would depend on where it began.
        return try image.applying(
          "convsep", ["mask": .image(mask), "precision": .word("float")])
      }
    }
  }
}

/// The middle value of a square.
struct Median: Filter {
  /// The side of the square, odd.
  let size: Int

  func reach(in shape: ImageShape) -> Int { size / 2 }

  func weight(in shape: ImageShape) -> Double {
    let area = Double(size * size)
    switch shape.format {
    case .uint8 where !shape.hasAlpha && size == 3: return 20
    case _: return 10 + area * 4
    }
  }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    try image.weightedByAlpha { image throws(StintError) in
      // With 8 bits and more than 10 pixels, libvips keeps a histogram, to which 8.14 adds a wrong
      // column at every step ("rank: fix an off-by-one error" and "expand input by one column" in
      // its later changes); with 16 bits it selects.
      let input = size > 3 && image.format == .uint8 ? try image.cast(.uint16) : image
      return try input.atLeast(size, size) { image throws(StintError) in
        try image.applying(
          "rank",
          ["width": .integer(size), "height": .integer(size), "index": .integer(size * size / 2)])
      }.cast(image.format)
    }
  }
}

extension VipsImage {
  /// Filters an image that libvips would call too small for a window, as part of a larger one whose
  /// edge pixels go on.
  func atLeast(
    _ windowWidth: Int, _ windowHeight: Int,
    _ body: (VipsImage) throws(StintError) -> VipsImage
  ) throws(StintError) -> VipsImage {
    guard width < windowWidth || height < windowHeight else { return try body(self) }
    let (left, top) = (windowWidth / 2, windowHeight / 2)
    let larger = try applying(
      "embed",
      [
        "x": .integer(left), "y": .integer(top), "width": .integer(width + windowWidth),
        "height": .integer(height + windowHeight), "extend": .word("copy"),
      ])
    return try body(larger).area(left: left, top: top, width: width, height: height)
  }
}

/// An unsharp mask: what a blur takes away is added once more.
struct Sharpen: Filter {
  let blur: GaussianBlur
  /// How much of the difference from the blur is added; 1 is all of it.
  let amount: Double
  /// Percent of full strength below which a difference is left alone.
  let threshold: Double

  func reach(in shape: ImageShape) -> Int { blur.reach(in: shape) }
  func weight(in shape: ImageShape) -> Double { blur.weight(in: shape) + 6 }

  func apply(to image: VipsImage) throws(StintError) -> VipsImage {
    let shape = image.shape
    let colour = try image.colour()
    let blurred = try blur.apply(to: image).colour()
    let least = threshold / 100 * shape.highestSample
    let added = try colour.differences(from: blurred) { difference in
      abs(difference) < least ? 0 : (amount * difference).rounded(.toNearestOrEven)
    }
    return try colour.plus(added).cast(shape.format).relabelled(shape.colourSpace)
      .withAlpha(of: image)
  }
}

extension VipsImage {
  /// A whole number for each difference between the samples of two images of equal format, of 8 or
  /// 16 bits.
  ///
  /// With 8 bits it is looked up, which is several times faster than computing it in floating
  /// point.
  func differences(from other: VipsImage, _ function: (Double) -> Double) throws(StintError)
    -> VipsImage
  {
    let highest = Int(shape.highestSample)
    guard highest == 255 else { return try wideDifferences(from: other, function) }
    // The sum of a sample and another's complement is their difference plus the highest sample: an
    // index.
    let index = try plus(other.applying("invert"))
    let entries = (-highest...highest).map { Int32(clamping: Int(function(Double($0)))) }
    var shape = ImageShape(
      width: entries.count, height: 1, bands: 1, format: .int32, colourSpace: .histogram)
    // Sums of 16 bits are enough where the table's numbers are small.
    let isSmall = entries.allSatisfy { abs($0) <= 32_767 - 255 }
    if isSmall { shape.format = .int16 }
    let table =
      isSmall
      ? try VipsImage(samples: entries.map { Int16($0) }, shape: shape)
      : try VipsImage(samples: entries, shape: shape)
    return try index.applying("maplut", ["lut": .image(table)])
  }

  /// A table for 16 bits would have more entries than libvips' tables may, so it is two, for the
  /// two signs.
  private func wideDifferences(from other: VipsImage, _ function: (Double) -> Double)
    throws(StintError) -> VipsImage
  {
    let highest = Int(shape.highestSample)
    let signed = try applying("subtract", ["right": .image(other)], input: "left")
    let up = try signed.cast(.uint16)
    let down = try other.applying("subtract", ["right": .image(self)], input: "left").cast(.uint16)
    let list = ImageShape(
      width: highest + 1, height: 1, bands: 1, format: .int32, colourSpace: .histogram)
    let above = (0...highest).map { Int32(clamping: Int(function(Double($0)))) }
    let below = (0...highest).map { Int32(clamping: Int(function(-Double($0)))) }
    let zero = Int32(clamping: Int(function(0)))
    let raised = try up.applying(
      "maplut", ["lut": .image(VipsImage(samples: above.map { $0 - zero }, shape: list))])
    let lowered = try down.applying(
      "maplut", ["lut": .image(VipsImage(samples: below, shape: list))])
    return try raised.plus(lowered)
  }

  /// The sums of the samples of two images.
  func plus(_ other: VipsImage) throws(StintError) -> VipsImage {
    try applying("add", ["right": .image(other)], input: "left")
  }
}

extension FilterCatalogue {
  static let sigma = FilterParameter(
    "sigma", .number(0.2...500), .pixels, .required,
    "standard deviation of the bell curve")

  static let blurs: [FilterSpecification] = [
    FilterSpecification(
      "gaussian-blur", aliases: ["gaussian", "gaussblur", "blur"], "Gaussian blur",
      [
        sigma,
        .number(
          "cutoff", 0.001...0.5, .none, 0.2,
          "height at which the bell curve is cut off, as a fraction of its peak"),
      ],
      images: .any, alpha: .weighted,
      neighbourhood: "about 1.8 sigma in each direction (3.7 with a cutoff of 0.001)",
      result: "as gaussblur of libvips: a row and a column of whole numbers for 8 and 16 bits "
        + "without alpha, of floating-point ones else, then rounded to nearest, halves to even",
      example: "gaussian-blur:3"
    ) { arguments throws(StintError) in
      GaussianBlur(sigma: arguments.number("sigma"), cutoff: arguments.number("cutoff"))
    },
    FilterSpecification(
      "box-blur", aliases: ["box", "mean"], "Blur by the mean of a square",
      [
        FilterParameter(
          "radius", .whole(1...500), .pixels, .required,
          "pixels on each side of the one in the middle")
      ],
      images: .any, alpha: .weighted, neighbourhood: "a square of 2 radius + 1 pixels",
      result: "as convsep of libvips with ones in one layer: the mean of a row, then of a column, "
        + "each (sum + radius + 1) / (2 radius + 1) without its fraction for 8 and 16 bits "
        + "without alpha; floating point else, then rounded to nearest, halves to even",
      example: "box-blur:4"
    ) { arguments throws(StintError) in BoxBlur(radius: arguments.whole("radius")) },
    FilterSpecification(
      "median", aliases: ["despeckle"], "Median of a square: removes specks",
      [
        FilterParameter(
          "size", .odd(3...31), .pixels, .standard(.whole(3)), "side of the square")
      ],
      images: .any, alpha: .weighted, neighbourhood: "a square of size x size pixels",
      result: "as rank of libvips: one of the samples of the square",
      example: "median:5"
    ) { arguments throws(StintError) in Median(size: arguments.whole("size")) },
    FilterSpecification(
      "sharpen", aliases: ["unsharp", "unsharp-mask"],
      "Sharpen by an unsharp mask: add the difference from a blurred copy",
      [
        .number("sigma", 0.2...500, .pixels, 1, "standard deviation of the blur"),
        .number("amount", 0...10, .none, 1, "how much of the difference is added"),
        .number(
          "threshold", 0...100, .percent, 0,
          "smallest difference that counts, in percent of full strength"),
      ],
      images: .whole, alpha: .weighing, neighbourhood: "that of its gaussian-blur",
      result: "sample + amount x (sample - blur), the product rounded to nearest, halves to even, "
        + "the sum clipped; the blur is gaussian-blur's",
      example: "sharpen:sigma=1.5,amount=0.8"
    ) { arguments throws(StintError) in
      Sharpen(
        blur: GaussianBlur(sigma: arguments.number("sigma"), cutoff: 0.2),
        amount: arguments.number("amount"), threshold: arguments.number("threshold"))
    },
  ]
}
#endif
