#if Images
import StintCore
import StintImages
import Testing

/// Pipelines of one filter each that tests go through: every filter, with the arguments that make a
/// difference.
enum FilterVariants {
  static let all = [
    "gaussian-blur:0.7", "gaussian-blur:3", "gaussian-blur:sigma=2.5,cutoff=0.01", "box-blur:1",
    "box-blur:6", "median", "median:5", "median:11", "sharpen", "sharpen:2,amount=1.7,threshold=3",
    "sobel", "canny", "canny:sigma=0.8,threshold=20", "laplacian", "laplacian:8,offset=50",
    "emboss", "emboss:e", "convolve:0,-1,0/-1,5,-1/0,-1,0", "convolve:1,2,1",
    "convolve:0.5/-0.25/-0.25,offset=30", "convolve:1,1/1,1,scale=3.5", "invert", "gamma:2.2",
    "brightness-contrast:brightness=10,contrast=25", "brightness:-30", "contrast:-100",
    "posterise:3", "depth:8", "depth:16", "grayscale", "grayscale:rec601", "sepia", "sepia:40",
    "threshold:45", "rotate:90", "rotate:180", "rotate:270", "flip:horizontal", "flip:vertical",
    "crop:1x1+0+0", "resize:50%", "resize:37%", "resize:12%", "resize:250%", "resize:14x31",
    "resize:70x3,kernel=cubic", "resize:33%,kernel=nearest", "resize:8x90,kernel=nearest",
    "equalise", "contrast-stretch", "contrast-stretch:black=10,white=20", "clahe",
    "clahe:size=9,slope=0", "flatten", "flatten:gray", "thumbnail:40",
  ]

  /// The step's graph over an image, with statistics collected from bands whose cuts a seed draws.
  static func graph(_ text: String, over image: VipsImage, seed: UInt64 = 1) throws -> VipsImage {
    try graph(FilterPipeline(parsing: [text]), over: image, seed: seed)
  }

  static func graph(
    _ pipeline: FilterPipeline, over image: VipsImage, seed: UInt64 = 1
  ) throws -> VipsImage {
    try pipeline.graph(
      over: image, statistics: statistics(of: pipeline, over: image, seed: seed))
  }

  static func statistics(
    of pipeline: FilterPipeline, over image: VipsImage, seed: UInt64
  ) throws -> [FilterStatistics] {
    var found: [FilterStatistics] = []
    for step in pipeline.statisticsSteps {
      let input = try pipeline.graph(over: image, statistics: found, steps: step)
      var sum = try FilterStatistics(for: input.shape)
      for rows in TestImage.cuts(height: input.height, seed: seed &+ UInt64(step)) {
        sum = try FilterStatistics(decoding: sum.encoded)
        try sum.collect(from: input, rows: rows)
      }
      found.append(sum)
    }
    return found
  }

  /// The result of one filter over samples, as samples.
  static func samples(_ text: String, over image: VipsImage) throws -> [Int] {
    let result = try graph(text, over: image)
    return try TestImage.samples(result.pixels(), format: result.format)
  }

  /// Odd sizes; each number of bands and each depth at least three times.
  static let shapes =
    [
      (1, 1, 1), (1, 9, 3), (9, 1, 4), (7, 5, 2), (65, 33, 1), (65, 33, 2), (65, 33, 3),
      (65, 33, 4),
    ]
    .map { TestImage.shape($0, $1, bands: $2) }
    + [(1, 1, 4), (1, 9, 2), (7, 5, 3), (65, 33, 1), (65, 33, 4)]
    .map { TestImage.shape($0, $1, bands: $2, format: .uint16) }
}
#endif
