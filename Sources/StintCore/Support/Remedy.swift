/// Something that people can do about a failure.
///
/// A library does not know how its user is to be asked, so it says in plain words what helps. A
/// program that recognizes a remedy can offer it instead, as a button or as what to type.
public struct Remedy: Hashable, Sendable, CustomStringConvertible {
  /// What to do, as a clause such as "start over".
  public var description: String

  /// Creates a remedy.
  ///
  /// - Parameter description: What to do, as a clause without a capital and a full stop.
  public init(_ description: String) {
    self.description = description
  }

  /// Forget the work that is stored and begin anew.
  public static let startOver = Remedy("start over")
  /// Begin anew where the files of the job cannot be read.
  public static let removeJob = Remedy("remove the job's files and start over")
  /// Keep jobs in another directory.
  public static let anotherJobsDirectory = Remedy("choose another directory for jobs")
  /// Keep the job and its output where there is more room.
  public static let moreRoom = Remedy("choose another place for the job and for the output")
  /// Let the result replace the file that has its name.
  public static let replaceOutput = Remedy("replace it")
  /// Call the job something else.
  package static let anotherName = Remedy("give it another name")
  /// Give each task of an array a job of its own.
  package static let keyOfEachTask = Remedy(
    "if each task has work of its own, make its number a part of the key")
  /// Name a file for the output.
  package static let nameOutput = Remedy("name a file for the output")
  /// Use fewer threads.
  package static let fewerThreads = Remedy("use fewer threads")
  /// Take another page of a file of many.
  package static let anotherPage = Remedy("another one can be chosen")
  /// Lay an image on a colour.
  package static let background = Remedy("lay it on a background")
  /// Let the format keep all detail.
  package static let withoutQuality = Remedy("leave the quality out")
  /// Keep an image in one piece.
  package static let withoutTiles = Remedy("leave the tiles out")
  /// Say the format of an image.
  package static let nameFormat = Remedy("name one of them")
  /// Remove results that no input has any more.
  package static let removeOrphans = Remedy("remove what no input has any more")
  /// Take what can be decoded of a damaged file.
  package static let acceptDamage = Remedy("take what can be decoded")
  /// Number results that would have the same name.
  package static let numberResults = Remedy("number them")
  /// Trust a format that is read with unsafe code, or any size.
  package static func trust(_ format: String) -> Remedy { Remedy("trust the format \(format)") }
  /// Look at what filters there are.
  package static let listFilters = Remedy("choose one of the list of filters")

  /// A message that ends with what can be done.
  package static func text(
    _ message: String, _ remedies: [Remedy], _ words: (Remedy) -> String
  ) -> String {
    if remedies.isEmpty { return message }
    let advice = remedies.map(words).joined(separator: ", or ")
    if message.hasSuffix("?") {
      return "\(message) \(advice.prefix(1).uppercased())\(advice.dropFirst())."
    }
    return message.hasSuffix(".") ? "\(message.dropLast()); \(advice)." : "\(message); \(advice)"
  }
}

extension Remedy: ExpressibleByStringInterpolation {
  /// Creates a remedy from its words.
  public init(stringLiteral words: String) {
    self.init(words)
  }
}

/// Something that people should know of work that goes on, and what they can do about it.
package struct Notice: Hashable, Sendable {
  /// What there is to know.
  package var message: String
  /// What can be done about it.
  package var remedies: [Remedy]

  /// Creates a notice.
  package init(_ message: String, remedies: [Remedy] = []) {
    self.message = message
    self.remedies = remedies
  }
}

extension Notice: ExpressibleByStringInterpolation {
  package init(stringLiteral message: String) {
    self.init(message)
  }
}
