/// The options of `stint run image`.
enum ImageOptionTable {
  static let work = [filter, listFilters, page, frames, keepOrientation]
  static let output = [
    file, folder, suffix, format, background, quality, compression, tile,
  ]

  static let filter = OptionSpecification(
    "filter", argument: "FILTER", group: .work, isRepeatable: true,
    help: "A filter such as gaussian-blur:3; given more than once they work in order")
  static let listFilters = OptionSpecification(
    "list-filters", group: .work, help: "Show all filters with their parameters")
  static let page = OptionSpecification(
    "page", argument: "NUMBER", group: .work,
    help: "Which page or frame of the input, from 0 (default 0)")
  static let frames = OptionSpecification(
    "frames", group: .work,
    help: "Make a file of each page or frame, NAME-000 and so on, with --output-dir")
  static let keepOrientation = OptionSpecification(
    "keep-orientation", group: .work,
    help: "Leave the pixels as they are stored, although the input says how to turn them")

  static let file = OptionSpecification(
    "output", letter: "o", argument: "FILE", group: .output,
    help: "Where the image goes, in place of OUT")
  static let folder = OptionSpecification(
    "output-dir", argument: "DIR", group: .output,
    help: "The folder for the results of any number of inputs, each under its input's name")
  static let suffix = OptionSpecification(
    "suffix", argument: "TEXT", group: .output,
    help: "Put before the ending of each name in --output-dir, such as -small")
  static let format = OptionSpecification(
    "format", argument: "FORMAT", group: .output,
    help: "The format of the output, such as png or tiff (default: by the suffix of OUT, or of IN)")
  static let background = OptionSpecification(
    "background", argument: "COLOUR", group: .output,
    help: "Lay the result on a colour such as white or #102030, in place of its alpha")
  static let quality = OptionSpecification(
    "quality", argument: "NUMBER", group: .output,
    help: "Quality of JPEG, WebP and their like, 1 to 100")
  static let compression = OptionSpecification(
    "compression", argument: "HOW", group: .output,
    help: "PNG: 0 to 9; TIFF: none, lzw, deflate, deflate-1 to deflate-9; WebP and others: lossless"
  )
  static let tile = OptionSpecification(
    "tile", argument: "SIZE", group: .output,
    help: "TIFF in tiles of that width and height, a multiple of 16, such as 256")
}
