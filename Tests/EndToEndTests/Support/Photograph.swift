import Foundation
import Testing

/// A photograph with everything that cameras and programs hide in one: small images of the source
/// in three places, where it was taken, and notes that only their maker can read.
enum Photograph {
  static let note = "MAKER-NOTE-0123"
  static let title = "A title of the photograph"
  /// What shows the source.
  static let thumbnails = ["EXIF-THUMBNAIL", "PHOTOSHOP-THUMBNAIL", "XMP-THUMBNAIL"]
  /// What says where it was taken.
  static let places = ["GPS-PLACE", "GPSLatitude", "GpsAltitude", "48,30.5N"]

  /// Makes a JPEG that is to be turned by a quarter.
  static func write(to name: String, in scratch: Scratch, width: Int, height: Int) async throws {
    try Picture.write(to: "plain.tif", in: scratch, width: width, height: height)
    try await scratch.image(["plain.tif", "plain.jpg", "--force", "--quiet"]).requireExit(0)
    let plain = [UInt8](try scratch.bytes("plain.jpg"))
    // Of what the program wrote, all but its own EXIF data.
    var (rest, place) = ([UInt8](), 2)
    while plain[place + 1] != 0xDB {
      let end = place + 2 + Int(plain[place + 2]) << 8 + Int(plain[place + 3])
      if plain[place + 1] != 0xE1 { rest += plain[place..<end] }
      place = end
    }
    let segments =
      segment(0xE1, Array("Exif\0\0".utf8) + exif(width: width, height: height))
      + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8))
      + segment(0xED, photoshop)
    try Data([0xFF, 0xD8] + rest + segments + plain[place...])
      .write(to: URL(fileURLWithPath: scratch(name)))
  }

  private static func segment(_ marker: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    let length = bytes.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + bytes
  }

  /// Numbers begin with their least significant byte, as in all EXIF data here.
  private static func number(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func exif(width: Int, height: Int) -> [UInt8] {
    func directory(_ entries: [(tag: Int, kind: Int, count: Int, value: Int)], next: Int = 0)
      -> [UInt8]
    {
      number(entries.count, 2)
        + entries.flatMap {
          number($0.tag, 2) + number($0.kind, 2) + number($0.count, 4) + number($0.value, 4)
        } + number(next, 4)
    }
    let note = Array(Self.note.utf8)
    let latitude = [48, 1, 0x4D3C_2B1A, 7, 0, 1].flatMap { number($0, 4) }
    let method = Array("ASCII\0\0\0GPS-PLACE".utf8)
    let thumbnail = [0xFF, 0xD8] + Array("EXIF-THUMBNAIL".utf8) + [0xFF, 0xD9]
    // Directories one behind the other, then the values that do not fit into an entry.
    let (first, second, exif, gps, values) = (8, 62, 104, 146, 176)
    let places = [note, latitude, method].reduce(into: [values]) { $0.append($0.last! + $1.count) }
    return Array("II".utf8) + number(42, 2) + number(first, 4)
      + directory(
        [(271, 2, 4, 0x006D_6143), (274, 3, 1, 6), (34665, 4, 1, exif), (34853, 4, 1, gps)],
        next: second)
      + directory([(259, 3, 1, 6), (513, 4, 1, places[3]), (514, 4, 1, thumbnail.count)])
      + directory([
        (37500, 7, note.count, places[0]), (40962, 4, 1, width), (40963, 4, 1, height),
      ]) + directory([(2, 5, 3, places[1]), (27, 7, method.count, places[2])])
      + note + latitude + method + thumbnail
  }

  private static let xmp = """
    <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
     xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
     xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
     xmlns:xmpGImg="http://ns.adobe.com/xap/1.0/g/img/" xmlns:drone="http://www.dji.com/drone-dji/1.0/"
     tiff:Orientation="6" tiff:ImageWidth='9999' drone:GpsAltitude="+12" exif:GPSLatitude="48,30.5N">
     <exif:PixelXDimension>9999</exif:PixelXDimension>
     <exif:GPSLatitude><!-- > --><a b="/>">48,30.5N</a></exif:GPSLatitude>
     <xmp:Thumbnails><rdf:Alt><rdf:li xmpGImg:image="XMP-THUMBNAIL"/></rdf:Alt></xmp:Thumbnails>
     <dc:title>A title of the photograph</dc:title></rdf:Description></rdf:RDF></x:xmpmeta>
    <?xpacket end="w"?>
    """

  private static let photoshop: [UInt8] =
    Array("Photoshop 3.0\0".utf8)
    + [(1036, "PHOTOSHOP-THUMBNAIL"), (1028, "\u{1C}\u{2}\u{69}\0\u{8}Headline")].flatMap {
      (id, text) -> [UInt8] in
      let data = Array(text.utf8)
      return Array("8BIM".utf8) + [UInt8(id >> 8), UInt8(id & 0xFF), 0, 0]
        + number(data.count, 4).reversed() + data + [UInt8](repeating: 0, count: data.count % 2)
    }

  /// The whole numbers that the EXIF data in a file says, by their tags.
  static func numbers(inExifOf file: Data) -> [Int: Int] {
    guard let block = file.range(of: Data([0x49, 0x49, 42, 0])) else { return [:] }
    let bytes = [UInt8](file[block.lowerBound...])
    func number(_ place: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
    var numbers: [Int: Int] = [:]
    func read(_ directory: Int) {
      for index in 0..<number(directory, 2) {
        let entry = directory + 2 + 12 * index
        let (tag, kind) = (number(entry, 2), number(entry + 2, 2))
        guard kind == 3 || kind == 4, number(entry + 4, 4) == 1 else { continue }
        numbers[tag] = number(entry + 8, kind == 3 ? 2 : 4)
        if tag == 34665 { read(numbers[tag] ?? 0) }
      }
      numbers[0, default: 0] += number(directory + 2 + 12 * number(directory, 2), 4)
    }
    read(number(4, 4))
    return numbers
  }
}
