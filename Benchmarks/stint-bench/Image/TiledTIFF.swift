/// Where everything of an uncompressed tiled TIFF lies (TIFF 6.0; BigTIFF where 32 bits do not
/// reach).
///
/// All tiles have one length, so that the whole front of the file is known before the first pixel,
/// and tiles can be written in any order.
struct TiledTIFF {
  /// Columns and rows of a tile.
  static let tileSide = 256

  private let image: ImageGeneration
  /// What stands before the tiles: the header, one directory, the values that do not fit into it.
  private(set) var front: [UInt8] = []

  init(_ image: ImageGeneration) {
    self.image = image
    // The same number of bytes, whatever the offsets are: the first pass only measures.
    front = front(firstTile: front(firstTile: 0).count)
  }

  /// Tiles side by side.
  var across: Int { (image.width + Self.tileSide - 1) / Self.tileSide }
  var tileCount: Int { across * ((image.height + Self.tileSide - 1) / Self.tileSide) }
  var tileBytes: Int { Self.tileSide * Self.tileSide * image.channels * image.depth / 8 }
  private var isBig: Bool { tileCount * (tileBytes + 16) + 4096 > Int(UInt32.max) }
  var sizeBytes: Int { front.count + tileCount * tileBytes }

  /// Where a tile begins; they are counted row after row.
  func offset(ofTile number: Int) -> Int { front.count + number * tileBytes }

  /// A field of the directory; numbers of 1 << `power` bytes.
  private struct Field {
    var tag: Int
    var type: Int
    var power: Int
    var values: [Int]

    static func shorts(_ tag: Int, _ values: [Int]) -> Field {
      Field(tag: tag, type: 3, power: 1, values: values)
    }

    static func long(_ tag: Int, _ value: Int) -> Field {
      Field(tag: tag, type: 4, power: 2, values: [value])
    }

    var sizeBytes: Int { values.count << power }
  }

  private func fields(firstTile: Int) -> [Field] {
    let (tileBytes, tileCount, channels) = (tileBytes, tileCount, image.channels)
    // Offsets and lengths: as wide as the file needs them.
    func places(_ tag: Int, _ values: [Int]) -> Field {
      Field(tag: tag, type: isBig ? 16 : 4, power: isBig ? 3 : 2, values: values)
    }
    let fields: [Field] = [
      .long(256, image.width), .long(257, image.height),
      .shorts(258, Array(repeating: image.depth, count: channels)),
      // No compression, RGB, samples of a pixel side by side.
      .shorts(259, [1]), .shorts(262, [2]), .shorts(277, [channels]), .shorts(284, [1]),
      .long(322, Self.tileSide), .long(323, Self.tileSide),
      places(324, (0..<tileCount).map { firstTile + $0 * tileBytes }),
      places(325, Array(repeating: tileBytes, count: tileCount)),
    ]
    // Colours are not multiplied by the alpha.
    return image.hasAlpha ? fields + [.shorts(338, [2])] : fields
  }

  private func front(firstTile: Int) -> [UInt8] {
    let fields = fields(firstTile: firstTile)
    let isBig = isBig
    let word = isBig ? 3 : 2
    var output: [UInt8] = []
    func append(_ number: Int, power: Int) {
      for byte in 0..<(1 << power) {
        output.append(UInt8(truncatingIfNeeded: number >> (8 * byte)))
      }
    }
    output += Array("II".utf8)
    append(isBig ? 43 : 42, power: 1)
    if isBig {
      append(8, power: 1)
      append(0, power: 1)
    }
    append(isBig ? 16 : 8, power: word)
    append(fields.count, power: isBig ? 3 : 1)
    let entryBytes = isBig ? 20 : 12
    var values = output.count + fields.count * entryBytes + 1 << word
    for field in fields {
      append(field.tag, power: 1)
      append(field.type, power: 1)
      append(field.values.count, power: word)
      if field.sizeBytes <= 1 << word {
        for value in field.values { append(value, power: field.power) }
        output += [UInt8](repeating: 0, count: 1 << word - field.sizeBytes)
      } else {
        append(values, power: word)
        values += (field.sizeBytes + 7) / 8 * 8
      }
    }
    append(0, power: word)
    for field in fields where field.sizeBytes > 1 << word {
      for value in field.values { append(value, power: field.power) }
      output += [UInt8](repeating: 0, count: (8 - field.sizeBytes % 8) % 8)
    }
    return output
  }
}
