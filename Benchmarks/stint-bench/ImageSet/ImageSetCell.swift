/// What is done with each image of a set.
enum ImageSetFilter: String, CaseIterable {
  case thumbnail, resize, blur, sharpen

  /// The filter of `stint run image`.
  var words: String {
    switch self {
    case .thumbnail: "thumbnail:400"
    case .resize: "resize:25%"
    case .blur: "gaussian-blur:2"
    case .sharpen: "sharpen:sigma=1,amount=1"
    }
  }

  /// The operation of the `vips` command and what follows the result's name; nil where another
  /// command does it.
  ///
  /// Its sharpening works in another colour space and is the nearest that it has.
  var vips: (operation: String, rest: [String])? {
    switch self {
    case .thumbnail: nil
    case .resize: ("resize", ["0.25"])
    case .blur: ("gaussblur", ["2"])
    case .sharpen: ("sharpen", [])
    }
  }

  /// The nearest that ImageMagick has; its pixels are its own.
  var magick: [String] {
    switch self {
    case .thumbnail: ["-thumbnail", "400x400"]
    case .resize: ["-filter", "Lanczos", "-resize", "25%"]
    case .blur: ["-gaussian-blur", "0x2"]
    case .sharpen: ["-unsharp", "0x1+1+0"]
    }
  }
}

/// A set of equally large JPEGs that goes through a filter.
struct ImageSetCell: Hashable {
  var filter: ImageSetFilter
  var megapixels: Int
  var count: Int
  /// Whether an EXIF tag says that each image must be turned by a quarter.
  var isTurned = false

  /// Those that a release must pass, in a few minutes.
  static let brief = [
    ImageSetCell(filter: .thumbnail, megapixels: 2, count: 200),
    ImageSetCell(filter: .thumbnail, megapixels: 2, count: 200, isTurned: true),
    ImageSetCell(filter: .thumbnail, megapixels: 24, count: 60),
    ImageSetCell(filter: .resize, megapixels: 2, count: 200, isTurned: true),
    ImageSetCell(filter: .blur, megapixels: 2, count: 60),
    ImageSetCell(filter: .sharpen, megapixels: 2, count: 60),
  ]

  /// Every filter with small and large images, few and many, turned or not.
  static let all = ImageSetFilter.allCases.flatMap { filter in
    [false, true].flatMap { isTurned in
      [(2, 20), (2, 200), (2, 2_000), (24, 60)].map { megapixels, count in
        ImageSetCell(
          filter: filter, megapixels: megapixels, count: count, isTurned: isTurned)
      }
    }
  }

  /// The name that `--only` knows, and that its figures begin with.
  var name: String {
    "\(filter.rawValue)\(megapixels)Megapixels" + (isTurned ? "Turned" : "") + "\(count)"
  }

  /// The name for people.
  var what: String {
    "\(filter.words), \(count) JPEGs of \(megapixels) megapixels" + (isTurned ? ", turned" : "")
  }
}
