import Foundation

/// A piece of music: the samples of a WAV file, uncompressed.
struct WaveFile {
  /// Why a file is none.
  struct Fault: Error, CustomStringConvertible {
    var description: String
  }

  /// How the samples are written.
  struct Format: Equatable {
    var channels: Int
    var rate: Int
    var bits: Int

    /// The bytes of so many milliseconds, in whole samples.
    func bytes(milliseconds: Int) -> Int { rate * milliseconds / 1000 * channels * bits / 8 }
  }

  var name: String
  var format: Format
  var samples: Data

  /// Reads a file; sizes in it are not trusted.
  init(_ data: Data, name: String) throws {
    self.name = name
    func fault(_ words: String) -> Fault { Fault(description: "\(name) \(words).") }
    func number(_ offset: Int, bytes: Int) -> Int {
      (0..<bytes).reversed().reduce(0) { $0 << 8 | Int(data[data.startIndex + offset + $1]) }
    }
    func tag(_ offset: Int) -> String {
      String(decoding: data.dropFirst(offset).prefix(4), as: UTF8.self)
    }
    guard data.count >= 12, tag(0) == "RIFF", tag(8) == "WAVE" else {
      throw fault("is not a WAV file")
    }
    var (offset, format) = (12, Format?.none)
    while offset + 8 <= data.count {
      let (size, body) = (number(offset + 4, bytes: 4), offset + 8)
      if tag(offset) == "fmt ", size >= 16, body + 16 <= data.count {
        guard number(body, bytes: 2) == 1 else { throw fault("is compressed") }
        format = Format(
          channels: number(body + 2, bytes: 2), rate: number(body + 4, bytes: 4),
          bits: number(body + 14, bytes: 2))
      }
      if tag(offset) == "data" {
        guard let format, (1...8).contains(format.channels), [8, 16, 24, 32].contains(format.bits),
          (1_000...192_000).contains(format.rate)
        else { throw fault("says nothing sensible of its samples") }
        guard body + size <= data.count else { throw fault("is cut off") }
        self.format = format
        samples = data.dropFirst(body).prefix(size)
        return
      }
      // Chunks begin at even places.
      offset = body + size + size % 2
    }
    throw fault("has no samples")
  }

  /// A tone, as a file.
  static func tone(hertz: Double, milliseconds: Int) -> Data {
    let format = Format(channels: 1, rate: 8_000, bits: 16)
    let count = format.rate * milliseconds / 1000
    func little(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var data = Data("RIFF".utf8) + little(36 + 2 * count, 4) + Data("WAVEfmt ".utf8)
    data += little(16, 4) + little(1, 2) + little(1, 2) + little(format.rate, 4)
    data += little(format.rate * 2, 4) + little(2, 2) + little(16, 2)
    data += Data("data".utf8) + little(2 * count, 4)
    for sample in 0..<count {
      let phase = 2 * Double.pi * hertz * Double(sample) / Double(format.rate)
      data += little(Int(8_000 * sin(phase)), 2)
    }
    return data
  }
}
