#if Images
import StintRuntime
package import StintCore

/// A line of the file `set`: what one input was, or what became of it
/// (`docs/formats/image-files.md`).
enum ImageSetLine: Hashable, Sendable {
  /// The first line: which work it is.
  case head(work: String)
  /// What an input was when the work on it was decided; a later one for the same input begins it
  /// anew.
  case input(Int, ImageSetPlan.Item, SourceFile.Identity?)
  /// Which inputs the set has now, in order.
  case list(ImageSetPlaces)
  /// An input is another file than it was, with the same bytes: what was made of it stands.
  case same(Int, SourceFile.Identity)
  /// A result that is complete and durable, under its final name or about to get it.
  case done(ImageSetPlan.Unit, ImageSetResult)
  /// An input that failed.
  case failed(Int, StintError)
  /// Half an image whose partial files are about to be removed: what checkpoints say of it is over.
  case dropped(ImageSetPlan.Unit)

  private static let version = 2

  /// The bytes, with a newline.
  var encoded: [UInt8] {
    var json = JSONLine()
    switch self {
    case .head(let work):
      json.add("event", "set")
      json.add("version", Self.version)
      json.add("work", work)
    case .list(let list):
      json.add("event", "list")
      json.add("places", ImageSetPlaces.text(list.places))
      json.add("wholeCount", list.wholeCount)
      json.add("numbers", list.numbers.map(ImageSetPlaces.text))
      json.add("trust", UntrustedFormat.text(list.trusted))
      json.add("damaged", list.damaged.stored)
      if !list.refused.isEmpty {
        json.add(
          "refused",
          objects: list.refused.map { refused in
            var object = JSONLine()
            object.add("name", refused.name)
            object.add("path", refused.path?.text)
            refused.error.add(to: &object)
            return object
          })
      }
    case .input(let index, let item, let identity):
      json.add("event", "input")
      json.add("place", index)
      identity?.add(to: &json)
      json.add("format", item.request.canonicalText)
      json.add("stem", item.stem.text)
      json.add("ending", item.ending)
      json.add("path", item.path.text)
    case .same(let index, let identity):
      json.add("event", "same")
      json.add("place", index)
      identity.add(to: &json)
    case .done(let unit, let result):
      json.add("event", "done")
      json.add("place", unit.item)
      json.add("frame", unit.frame)
      json.add("frames", result.frames)
      json.add("sizeBytes", result.sizeBytes)
      json.add("checksum", result.checksum.description)
      json.add("inode", result.inode)
      json.add("modifiedNanoseconds", result.modified)
      json.add("source", result.source.description)
    case .failed(let index, let error):
      json.add("event", "failed")
      json.add("place", index)
      error.add(to: &json)
    case .dropped(let unit):
      json.add("event", "dropped")
      json.add("place", unit.item)
      json.add("frame", unit.frame)
    }
    return SealedLine.sealed(json)
  }

  /// Reads a line without its newline; nil if it is not valid.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard let object = SealedLine.object(bytes), let line = try? Self.line(object) else {
      return nil
    }
    self = line
  }

  private static func line(_ object: JSONObject) throws(JSONFault) -> ImageSetLine? {
    let event = try object.text("event")
    if event == "set" {
      return try object.integer("version") == Self.version
        ? .head(work: try object.text("work")) : nil
    }
    if event == "list" { return try ImageSetPlaces(object).map { .list($0) } }
    let index: Int = try object.integer("place")
    switch event {
    case "input":
      guard let request = try? OutputRequest(canonicalText: try object.text("format")) else {
        return nil
      }
      let item = ImageSetPlan.Item(
        path: FilePath(try object.text("path")), stem: FilePath(try object.text("stem")),
        ending: try object.text("ending"), request: request)
      return .input(index, item, try SourceFile.Identity(object))
    case "same":
      return try SourceFile.Identity(object).map { .same(index, $0) }
    case "done":
      let (frame, frames): (Int, Int) = try (object.integer("frame"), object.integer("frames"))
      guard let checksum = Checksum128(hex: try object.text("checksum")),
        let source = Checksum128(hex: try object.text("source")), frame >= 0, frame < frames
      else { return nil }
      return .done(
        .init(item: index, frame: frame),
        ImageSetResult(
          frames: frames, sizeBytes: try object.integer("sizeBytes"), checksum: checksum,
          inode: try object.integer("inode"),
          modified: try object.integer("modifiedNanoseconds"), source: source))
    case "failed":
      return .failed(index, try StintError(object))
    case "dropped":
      let frame: Int = try object.integer("frame")
      return frame >= 0 ? .dropped(.init(item: index, frame: frame)) : nil
    case _:
      return nil
    }
  }
}

extension StintError {
  fileprivate func add(to json: inout JSONLine) {
    json.add("code", code.description)
    json.add("errno", errno)
    json.add("message", message)
    json.add("remedies", remedies.map(\.description))
  }

  init(_ object: JSONObject) throws(JSONFault) {
    self.init(
      Code(description: try object.text("code")), try object.text("message"),
      remedies: (try object.optionalTexts("remedies") ?? []).map { Remedy($0) },
      errno: try object.integer("errno"))
  }
}

extension SourceFile.Identity {
  fileprivate func add(to json: inout JSONLine) {
    json.add("device", device)
    json.add("inode", inode)
    json.add("sizeBytes", sizeBytes)
    json.add("modifiedNanoseconds", modified)
    json.add("changedNanoseconds", changed)
  }

  /// Nil if the line tells of no file.
  fileprivate init?(_ object: JSONObject) throws(JSONFault) {
    guard object["device"] != nil else { return nil }
    self.init(
      device: try object.integer("device"), inode: try object.integer("inode"),
      sizeBytes: try object.integer("sizeBytes"),
      modified: try object.integer("modifiedNanoseconds"),
      changed: try object.integer("changedNanoseconds"))
  }
}

/// A result that is complete and durable.
package struct ImageSetResult: Hashable, Sendable {
  /// How many frames of its input become files.
  package var frames: Int
  /// The length of the file.
  package var sizeBytes: Int
  /// Its checksum.
  package var checksum: Checksum128
  /// The file's number, which renaming does not change.
  package var inode: UInt64
  /// When it was written, in nanoseconds since 1970; nor this.
  package var modified: Int64
  /// The checksum of the input.
  package var source: Checksum128

  /// What the folder holds where it stands.
  var found: OutputFolder.Found {
    .init(inode: inode, sizeBytes: sizeBytes, modified: modified)
  }
}
#endif
