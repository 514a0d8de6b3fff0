import StintCore

/// The options of `stint run image`.
enum ImageOptionTable {
  static let work = [
    filter, listFilters, recursive, exclude, filesFrom, page, frames, keepOrientation, damaged,
    trust,
    OptionTable.shard,
  ]
  static let output = [
    file, folder, deleteOrphans, suffix, onCollision, format, background, quality, compression,
    tile, strip,
  ]

  static let filter = OptionSpecification(
    "filter", argument: "FILTER", group: .work, isRepeatable: true,
    help: "Filter to apply, such as gaussian-blur:3; repeat it to apply several in order")
  static let listFilters = OptionSpecification(
    "list-filters", group: .work, help: "Show all filters with their parameters")
  static let recursive = OptionSpecification(
    "recursive", group: .work,
    help: "With --output-dir: take all images in folders, and keep their tree below DIR")
  static let exclude = OptionSpecification(
    "exclude", argument: "PATTERN", group: .work, isRepeatable: true,
    help: "With --recursive: leave out files and folders, such as '*-old.*' or '2023/raw'")
  static let filesFrom = OptionSpecification(
    "files-from", argument: "LIST", group: .work,
    help: "With --output-dir: more inputs, one per line or separated by NUL; - for standard input")
  static let page = OptionSpecification(
    "page", argument: "NUMBER", group: .work,
    help: "Which page or frame of the input, from 0 (default 0)")
  static let frames = OptionSpecification(
    "frames", group: .work,
    help: "With --output-dir: write each page or frame to its own file, NAME-000 and so on")
  static let keepOrientation = OptionSpecification(
    "keep-orientation", group: .work,
    help: "Do not turn the image upright; keep its pixels and its orientation tag as they are")
  static let damaged = OptionSpecification(
    "damaged", argument: "HOW", group: .work,
    help: "A damaged file: refuse it (default), or take what is decoded, with warn or accept")
  static let trust = OptionSpecification(
    "trust", argument: "WHAT", group: .work, isRepeatable: true,
    help: "Allow a format whose decoder is not made for unsafe files: jxl, jp2, ppm; "
      + "or size: more pixels than the file can hold")

  static let file = OptionSpecification(
    "output", letter: "o", argument: "FILE", group: .output,
    help: "Output file, instead of OUT")
  static let folder = OptionSpecification(
    "output-dir", argument: "DIR", group: .output,
    help: "Folder for the results of several inputs; each keeps the name of its input")
  static let deleteOrphans = OptionSpecification(
    "delete-orphans", group: .output,
    help: "Remove this job's results in --output-dir whose inputs are gone; not kept for resume")
  static let suffix = OptionSpecification(
    "suffix", argument: "TEXT", group: .output,
    help: "Added to each file name in --output-dir, before its extension, such as -small")
  static let onCollision = OptionSpecification(
    "on-collision", argument: "HOW", group: .output,
    help: "Results that would have the same name: refuse them (default), or number all but one")
  static let format = OptionSpecification(
    "format", argument: "FORMAT", group: .output,
    help: "The format of the output, such as png or tiff (default: by the suffix of OUT, or of IN)")
  static let background = OptionSpecification(
    "background", argument: "COLOUR", group: .output,
    help: "Replace transparency by a colour such as white or #102030")
  static let quality = OptionSpecification(
    "quality", argument: "NUMBER", group: .output,
    help: "Quality of JPEG, WebP and their like, 1 to 100")
  static let compression = OptionSpecification(
    "compression", argument: "HOW", group: .output,
    help: "PNG: 0 to 9; TIFF: none, lzw, deflate, deflate-1 to deflate-9; WebP and others: lossless"
  )
  static let tile = OptionSpecification(
    "tile", argument: "SIZE", group: .output,
    help: "Write TIFF in square tiles of this size, a multiple of 16, such as 256")
  static let strip = OptionSpecification(
    "strip", argument: "WHAT", group: .output,
    help: "Leave metadata out: all, gps for where it was taken, or none (default none)")

  /// Refuses a list from standard input where the work does not have that of the user.
  static func refuseStandardInput(_ parsed: ParsedOptions) throws(StintError) {
    guard parsed.text(filesFrom.name) == "-" else { return }
    throw StintError(
      .usage,
      "--\(filesFrom.name) - reads standard input, which is not there when this runs; write the list "
        + "into a file.")
  }
}
