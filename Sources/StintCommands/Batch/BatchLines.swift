import StintCore
import StintRuntime

/// The lines of a batch, in little memory: of each its words, its number, and what it is known by.
///
/// A batch may have a million lines. What else there is to know of a line is read from its words
/// again when it is started.
struct BatchLines: Sendable {
  private let reader: LineReader
  private var words = PackedTexts()
  private var numbers: [UInt32] = []
  /// The number of the key of each line, and the kind in it.
  private var keyNumbers: [UInt64] = []
  private var kinds: [UInt8] = []
  private var keys = LineKeys()
  /// The positions of lines by the numbers of their keys.
  private var positions: [UInt64: UInt32] = [:]
  /// The values that a template was filled with; nil without a template.
  var values: BatchValues?

  init(reader: LineReader) { self.reader = reader }

  var count: Int { numbers.count }
  var indices: Range<Int> { 0..<count }
  /// The bytes of all words.
  var byteCount: Int { words.byteCount }

  /// Adds a line that was read.
  mutating func append(_ job: BatchJob) {
    words.append(job.asRead.joined(separator: "\0"))
    note(job.key, job.number)
  }

  private mutating func note(_ key: String, _ number: Int) {
    guard let (kind, keyNumber) = keys.number(adding: key) else {
      preconditionFailure("A line is known by a key.")
    }
    positions[keyNumber] = UInt32(count)
    numbers.append(UInt32(number))
    keyNumbers.append(keyNumber)
    kinds.append(kind)
  }

  /// The number of a line in its file, from 1.
  func number(of index: Int) -> Int { Int(numbers[index]) }

  /// What a line is known by.
  func key(of index: Int) -> String { keys.key(kinds[index], keyNumbers[index]) }

  /// Which line has a key; nil if none has.
  func index(of key: String) -> Int? {
    keys.number(of: key).flatMap { positions[$0.number] }.map(Int.init)
  }

  /// Takes the keys by which a log knows the lines: a batch that was begun otherwise, as by another
  /// version, goes on.
  mutating func takeKeys(of entries: BatchEntries) {
    guard entries.contains(where: { index(of: $0.key) == nil }) else { return }
    for index in indices where entries[key(of: index)] == nil {
      guard let others = try? reader.otherKeys(of: read(index)),
        let key = others.first(where: { entries[$0] != nil }),
        let (kind, number) = keys.number(adding: key)
      else { continue }
      positions[keyNumbers[index]] = nil
      positions[number] = UInt32(index)
      (keyNumbers[index], kinds[index]) = (number, kind)
    }
  }

  /// What a line asks for.
  ///
  /// - Throws: ``StintError`` if something that it needs is not there any more.
  func job(of index: Int) throws(StintError) -> BatchJob {
    var job = try read(index)
    // That of a line that is there twice is its own.
    job.key = key(of: index)
    return job
  }

  private func read(_ index: Int) throws(StintError) -> BatchJob {
    do {
      var job = try reader.job(
        asRead: words[index].split(separator: "\0", omittingEmptySubsequences: false).map(
          String.init))
      job.number = number(of: index)
      return job
    } catch {
      throw StintError(wrapping: error, while: "reading the line")
    }
  }

  /// A line for people.
  func title(of index: Int) -> String {
    let words = words[index].split(separator: "\0", omittingEmptySubsequences: false)
    return words.drop { $0.isEmpty }.map { ShellWord.quoted(String($0)) }.joined(separator: " ")
  }

  /// What `--tag` writes before each line of its output.
  func tag(of index: Int) -> String {
    values.map { $0[number(of: index) - 1].joined(separator: " ") } ?? title(of: index)
  }

  /// The lines of one part.
  func part(_ shard: Shard) -> BatchLines {
    var part = BatchLines(reader: reader)
    part.values = values
    for index in stride(from: shard.number - 1, to: count, by: shard.count) {
      part.words.append(words[index])
      part.note(key(of: index), number(of: index))
    }
    return part
  }
}
