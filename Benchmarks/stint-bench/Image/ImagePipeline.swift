/// The pipelines that are compared, under the names that `--only` knows.
enum ImagePipeline: String, CaseIterable {
  case blurSharpen = "blur-sharpen"
  case denoise
  case edges
  case tone
  case scale
  case clahe

  /// The filters of `stint run image`; the C program computes exactly the same.
  var filters: [String] {
    switch self {
    case .blurSharpen: ["gaussian-blur:2", "sharpen:sigma=1.5,amount=0.8"]
    case .denoise: ["median:3"]
    case .edges: ["canny:sigma=1.4"]
    case .tone: ["gamma:1.8", "brightness-contrast:brightness=5,contrast=15", "equalise"]
    case .scale: ["resize:50%", "sharpen:sigma=1,amount=1"]
    case .clahe: ["clahe:size=65,slope=3"]
    }
  }

  /// The nearest that ImageMagick has; its pixels are its own.
  var magick: [String] {
    switch self {
    case .blurSharpen: ["-gaussian-blur", "0x2", "-unsharp", "0x1.5+0.8+0"]
    case .denoise: ["-statistic", "Median", "3x3"]
    case .edges: ["-canny", "0x1.4+10%+30%"]
    case .tone: ["-gamma", "1.8", "-brightness-contrast", "5x15", "-equalize"]
    case .scale: ["-filter", "Lanczos", "-resize", "50%", "-unsharp", "0x1+1+0"]
    case .clahe: ["-clahe", "65x65+256+3"]
    }
  }

  /// The nearest that GraphicsMagick has; nil where it has nothing of the kind.
  var graphicsMagick: [String]? {
    switch self {
    case .blurSharpen: ["-gaussian", "0x2", "-unsharp", "0x1.5+0.8+0"]
    case .denoise: ["-median", "1"]
    case .tone: ["-gamma", "1.8", "-equalize"]
    case .scale: ["-filter", "Lanczos", "-resize", "50%", "-unsharp", "0x1+1+0"]
    case .edges, .clahe: nil
    }
  }
}

/// The file formats that are read and written.
enum ImageFormat: String {
  case tiff, png, jpeg

  var suffix: String {
    switch self {
    case .tiff: "tif"
    case .png: "png"
    case .jpeg: "jpg"
    }
  }

  /// The name for people.
  var word: String { rawValue.uppercased() }
}

/// A pipeline from one format into another.
struct ImageCase: Hashable {
  var pipeline: ImagePipeline
  var input: ImageFormat
  var output: ImageFormat

  /// Each pipeline from tiled TIFF to tiled TIFF, without compression, so that nothing but the
  /// pixels counts; and one of them with the other formats.
  static let all: [ImageCase] =
    ImagePipeline.allCases.map { ImageCase(pipeline: $0, input: .tiff, output: .tiff) } + [
      ImageCase(pipeline: .blurSharpen, input: .tiff, output: .png),
      ImageCase(pipeline: .blurSharpen, input: .png, output: .tiff),
      ImageCase(pipeline: .blurSharpen, input: .jpeg, output: .tiff),
    ]

  /// The beginning of the names of its figures.
  var name: String {
    let words =
      pipeline.rawValue.split(separator: "-").map(String.init)
      + [input.rawValue, "to", output.rawValue]
    return "image" + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The name for people.
  var what: String { "\(pipeline.rawValue), \(input.word) to \(output.word)" }
}
