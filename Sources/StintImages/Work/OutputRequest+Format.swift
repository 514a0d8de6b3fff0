#if Images
import StintCore

extension OutputRequest {
  /// The format that a name or the suffix of a path means.
  static func format(named name: String?, path: String?) throws(StintError) -> OutputFormat {
    let list = OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")
    if let name {
      if let format = OutputFormat(named: name) { return format }
      let names = OutputFormat.allCases.flatMap { [$0.rawValue] + $0.pathExtensions }
      let advice =
        NearestName.find(name.lowercased(), among: names).map { " Did you mean \($0)?" } ?? ""
      throw StintError(
        .usage, "The format \"\(name.prefix(60))\" is unknown.\(advice) Write one of \(list).")
    }
    guard let path else {
      throw StintError(
        .usage, "Standard output has no extension that names a format; the formats are \(list).",
        remedies: [.nameFormat])
    }
    return try OutputFormat(path: path)
  }
}

extension OutputFormat {
  /// Whether the format is lossy, by as much as a quality says.
  var losesDetail: Bool {
    switch self {
    case .jpeg, .webp, .avif, .heic, .jxl, .jp2: true
    case .png, .tiff, .gif, .pnm: false
    }
  }
}
#endif
