import StintCore
package import StintRuntime

/// The ledger of a set of images, as far as programs read it that do not load the library of images
/// (`docs/formats/image-files.md`).
package struct SetLedger {
  /// Its name among the partial files.
  static let fileName = "set"

  /// What it says of inputs, by their places.
  private(set) var items: [Int: LedgerItem] = [:]
  /// The newest list of inputs.
  private(set) var list: JSONObject?
  private(set) var lineCount = 0
  /// Where lines begin that cannot be read.
  private(set) var damagedLines: [Int] = []
  /// Lines that were damaged once, of which a run has made good what they said.
  private(set) var blankCount = 0
  /// Whether it ends with half a line.
  private(set) var isTorn = false
  /// What it came to before the lines after the last result, and at its end.
  private var sums: [Sum] = []

  /// The length of all results, and the checksum of their checksums.
  private struct Sum: Equatable {
    var sizeBytes: Int
    var checksum: String
  }

  package init(_ bytes: [UInt8]) {
    let newline = UInt8(ascii: "\n")
    var (start, before): (Int, Sum?) = (0, nil)
    while let end = bytes[start...].firstIndex(of: newline) {
      let line = bytes[start..<end]
      lineCount += 1
      if let object = SealedLine.object(line) {
        let isOfResults = ["done", "same", "failed"].contains(object["event"]?.text)
        if isOfResults { before = nil } else if before == nil { before = sum }
        take(object)
      } else if line.allSatisfy({ $0 == UInt8(ascii: " ") }) {
        blankCount += 1
      } else {
        damagedLines.append(start)
      }
      start = end + 1
    }
    if start < bytes.count {
      isTorn = true
      // The newline itself may be another byte now.
      if SealedLine.object(bytes[start..<(bytes.count - 1)]) != nil { damagedLines.append(start) }
    }
    sums = [before, sum].compactMap { $0 }
  }

  private mutating func take(_ line: JSONObject) {
    switch line["event"]?.text {
    case "list": list = line
    case "set": break
    case _:
      guard let place: Int = line["place"]?.integer(), place >= 0 else { return }
      _ = try? items[place, default: LedgerItem()].take(line)
    }
  }

  /// The places of the inputs that the set has, in order.
  var places: [Int] { Self.numbers(list?["places"]?.text, below: (items.keys.max() ?? -1) + 1) }

  private var sum: Sum {
    var (sizeBytes, checksums): (Int, [UInt8]) = (0, [])
    for item in places.compactMap({ items[$0] }) {
      for (_, made) in item.made.sorted(by: { $0.key < $1.key }) {
        // The sizes in a damaged ledger may overflow: the sum only has to differ then.
        sizeBytes &+= made.sizeBytes
        checksums += Checksum128(hex: made.checksum)?.bytes ?? []
      }
    }
    return Sum(sizeBytes: sizeBytes, checksum: XXH3Checksum.digest(checksums).description)
  }

  /// Whether a finished set had results of which nothing is said.
  ///
  /// The next run may have begun, and have written down what the set has then.
  ///
  /// - Parameter finish: What the journal says of the end.
  /// - Returns: False also if lines are known to be lost.
  package func lacks(_ finish: JournalSummary.Finish?) -> Bool {
    guard let finish, finish.hasResult, damagedLines.isEmpty, blankCount == 0 else { return false }
    return !sums.contains(Sum(sizeBytes: finish.sizeBytes, checksum: finish.checksum))
  }

  /// Reads runs of numbers such as `0-7,9`, each below a limit; what is damaged has none.
  static func numbers(_ text: String?, below limit: Int) -> [Int] {
    var numbers: [Int] = []
    for run in (text ?? "").split(separator: ",") {
      let ends = run.split(separator: "-").compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, 0 <= first, first <= last, last < limit,
        numbers.count + last - first < limit
      else { return [] }
      numbers += first...last
    }
    return numbers
  }
}

/// What a ledger says of an input.
struct LedgerItem {
  /// A result.
  struct Made {
    var sizeBytes: Int
    var checksum: String
  }

  var path = ""
  var identity: [JSONValue?] = []
  var frames: Int?
  /// The results, by their frames.
  var made: [Int: Made] = [:]
  /// The same of the file before, which counts again if the bytes are the same.
  var former: (frames: Int?, made: [Int: Made]) = (nil, [:])
  var failure: String?

  /// Takes a line in; false if it says nothing of what becomes of the input.
  mutating func take(_ line: JSONObject) throws(JSONFault) -> Bool {
    switch try line.text("event") {
    case "input":
      let now = Self.identity(line)
      // Another file begins anew; what was made of the same one stays.
      if now != identity {
        if !made.isEmpty { former = (frames, made) }
        (frames, made) = (nil, [:])
      }
      (path, identity, failure) = (try line.text("path"), now, nil)
    case "same":
      // Of the same format, which the line leaves out.
      identity = Array(Self.identity(line).dropLast()) + identity.suffix(1)
      if made.isEmpty { (frames, made) = former }
    case "done":
      made[try line.integer("frame")] = Made(
        sizeBytes: try line.integer("sizeBytes"), checksum: try line.text("checksum"))
      frames = try line.integer("frames")
    case "failed":
      failure = try line.text("message")
    case _: return false
    }
    return true
  }

  private static func identity(_ line: JSONObject) -> [JSONValue?] {
    [
      "device", "inode", "sizeBytes", "modifiedNanoseconds", "changedNanoseconds", "format",
    ].map { line[$0] }
  }
}
