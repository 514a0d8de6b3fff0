#if Images
import StintCore
import StintTesting

@testable import StintImages

/// About 300 small files of kinds that people have: colours, depths, codings, orders of rows, and
/// some that are cut off or damaged.
struct OddImages: Sendable {
  let folder: ImageFolder
  /// The names of those that are whole.
  private(set) var whole: [String] = []
  /// The names of those of which nothing is to be made.
  private(set) var broken: [String] = []

  private struct Colour {
    let name: String
    let bands: Int
    let format: SampleFormat
    let space: ColourSpace
  }

  private static let colours: [Colour] = [
    .init(name: "grey", bands: 1, format: .uint8, space: .grey),
    .init(name: "grey-alpha", bands: 2, format: .uint8, space: .grey),
    .init(name: "rgb", bands: 3, format: .uint8, space: .srgb),
    .init(name: "rgb-alpha", bands: 4, format: .uint8, space: .srgb),
    .init(name: "cmyk", bands: 4, format: .uint8, space: .cmyk),
    .init(name: "grey16", bands: 1, format: .uint16, space: .grey16),
    .init(name: "grey16-alpha", bands: 2, format: .uint16, space: .grey16),
    .init(name: "rgb16", bands: 3, format: .uint16, space: .rgb16),
    .init(name: "rgb16-alpha", bands: 4, format: .uint16, space: .rgb16),
  ]

  init() throws {
    folder = try ImageFolder()
    try makePNG()
    try makeJPEG()
    try makeTIFF()
    try makeOthers()
    try makeOrientations()
    try makeBroken()
  }

  private mutating func save(
    _ image: VipsImage, _ name: String, _ saver: String, _ options: [String: VipsArgument] = [:]
  ) throws {
    try folder.save(image, name, saver, options)
    whole.append(name)
  }

  private func image(_ colour: Colour, _ width: Int = 37, _ height: Int = 29) throws -> VipsImage {
    try TestImage.image(
      TestImage.shape(
        width, height, bands: colour.bands, format: colour.format, colourSpace: colour.space),
      seed: UInt64(colour.bands + height))
  }

  private mutating func makePNG() throws {
    for colour in Self.colours where colour.space != .cmyk {
      for isInterlaced in [false, true] {
        for level in [0, 6] {
          try save(
            image(colour), "\(colour.name)-\(isInterlaced)-\(level).png", "pngsave",
            ["interlace": .flag(isInterlaced), "compression": .integer(level)])
        }
      }
    }
    for bits in [1, 2, 4, 8] {
      for colour in Self.colours.prefix(4) {
        for isInterlaced in [false, true] {
          try save(
            image(colour), "palette-\(bits)-\(colour.name)-\(isInterlaced).png", "pngsave",
            [
              "bitdepth": .integer(bits), "palette": .flag(true), "interlace": .flag(isInterlaced),
            ])
        }
      }
    }
  }

  private mutating func makeJPEG() throws {
    for colour in Self.colours where [.grey, .srgb, .cmyk].contains(colour.space) {
      guard colour.bands != 2, colour.bands != 4 || colour.space == .cmyk else { continue }
      for isProgressive in [false, true] {
        for subsampling in ["on", "off"] {
          for optimizes in [false, true] {
            try save(
              image(colour),
              "\(colour.name)-\(isProgressive)-\(subsampling)-\(optimizes).jpg", "jpegsave",
              [
                "interlace": .flag(isProgressive), "subsample-mode": .word(subsampling),
                "optimize-coding": .flag(optimizes), "Q": .integer(optimizes ? 40 : 90),
              ])
          }
        }
      }
    }
    for (width, height) in [
      (1, 1), (1, 40), (40, 1), (8, 8), (17, 16), (9, 7), (2, 3), (64, 5), (5, 64), (33, 31),
      (16, 16),
      (15, 17), (3, 1), (1, 3), (7, 7), (31, 2), (2, 31), (48, 48),
    ] {
      try save(image(Self.colours[2], width, height), "\(width)x\(height).jpg", "jpegsave")
    }
  }

  private mutating func makeTIFF() throws {
    for colour in Self.colours {
      for coding in ["none", "lzw", "deflate", "packbits"] {
        for isTiled in [false, true] {
          var options: [String: VipsArgument] = [
            "compression": .word(coding), "tile": .flag(isTiled), "tile-width": .integer(16),
            "tile-height": .integer(16),
          ]
          if ["lzw", "deflate"].contains(coding) { options["predictor"] = .word("horizontal") }
          try save(image(colour), "\(colour.name)-\(coding)-\(isTiled).tif", "tiffsave", options)
        }
      }
    }
    for colour in Self.colours where [.grey, .srgb].contains(colour.space) {
      guard colour.bands % 2 == 1 else { continue }
      for isTiled in [false, true] {
        try save(
          image(colour), "jpeg-\(colour.name)-\(isTiled).tif", "tiffsave",
          [
            "compression": .word("jpeg"), "tile": .flag(isTiled), "tile-width": .integer(16),
            "tile-height": .integer(16),
          ])
      }
    }
    for bits in [1, 2, 4] {
      for isWhite in [false, true] {
        for coding in bits == 1 ? ["none", "ccittfax4"] : ["none"] {
          try save(
            image(Self.colours[0]), "bits-\(bits)-\(isWhite)-\(coding).tif", "tiffsave",
            [
              "bitdepth": .integer(bits), "miniswhite": .flag(isWhite),
              "compression": .word(coding),
            ])
        }
      }
    }
    for bands in [1, 3] {
      let float = try image(Self.colours[bands - 1]).applying(
        "linear", ["a": .numbers([1 / 255.0]), "b": .numbers([0])])
      try save(float, "float-\(bands).tif", "tiffsave")
      try save(float, "float-\(bands)-lzw.tif", "tiffsave", ["compression": .word("lzw")])
    }
    let pages = try image(Self.colours[2], 20, 60).editing([.integer("page-height", 20)])
    try save(pages, "pages.tif", "tiffsave")
    try save(image(Self.colours[2]), "big.tif", "tiffsave", ["bigtiff": .flag(true)])
    try save(
      image(Self.colours[2], 80, 70), "pyramid.tif", "tiffsave",
      [
        "tile": .flag(true), "tile-width": .integer(16), "tile-height": .integer(16),
        "pyramid": .flag(true),
      ])
  }

  private mutating func makeOthers() throws {
    for colour in Self.colours.prefix(4) {
      for isLossless in [false, true] {
        try save(
          image(colour), "\(colour.name)-\(isLossless).webp", "webpsave",
          ["lossless": .flag(isLossless)])
      }
      for isInterlaced in [false, true] {
        try save(
          image(colour), "\(colour.name)-\(isInterlaced).gif", "gifsave",
          ["interlace": .flag(isInterlaced)])
      }
      try save(
        image(colour, 64, 64), "\(colour.name).avif", "heifsave", ["compression": .word("av1")])
    }
    let frames = try image(Self.colours[2], 20, 60).editing([.integer("page-height", 20)])
    try save(frames, "frames.gif", "gifsave")
    try save(frames, "frames.webp", "webpsave")
  }

  private mutating func makeOrientations() throws {
    for orientation in 1...8 {
      for (saver, ending) in [("jpegsave", "jpg"), ("tiffsave", "tif"), ("pngsave", "png")] {
        let turned = try image(Self.colours[2]).editing([.integer("orientation", orientation)])
        try save(turned, "turned-\(orientation).\(ending)", saver)
      }
    }
    let profile = try image(Self.colours[2]).applying(
      "icc_export", ["output-profile": .text("srgb")])
    for (saver, ending) in [
      ("jpegsave", "jpg"), ("tiffsave", "tif"), ("pngsave", "png"), ("webpsave", "webp"),
    ] {
      try save(profile, "profile.\(ending)", saver)
    }
  }

  /// Files that are cut in the middle, and files with other bytes where a checksum, or the sense of
  /// a code, tells.
  private mutating func makeBroken() throws {
    for kind in FileKind.all {
      let bytes = try kind.bytes(in: folder)
      try folder.write(Array(bytes.prefix(bytes.count / 2)), "cut-\(kind.name)")
      broken.append("cut-\(kind.name)")
      whole.append(kind.name)
      guard kind.name.hasSuffix("png") || kind.name.hasPrefix("deflate") else { continue }
      var spoilt = bytes
      spoilt[bytes.count / 2] ^= 0x10
      try folder.write(spoilt, "flipped-\(kind.name)")
      broken.append("flipped-\(kind.name)")
    }
  }
}
#endif
