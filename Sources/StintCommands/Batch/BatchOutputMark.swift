import Glibc
import StintCore
import StintRuntime

/// What a result's file was when its line finished: enough to see, without reading it, that it is
/// still that file.
struct BatchOutputMark: Hashable, Sendable {
  var path: FilePath
  /// The path from the folder in which the jobs directory lies, if the two belong together: then
  /// it counts, because both may have been moved.
  var relativePath: FilePath?
  var sizeBytes: Int
  var inode: UInt64
  /// When its contents were last changed, in nanoseconds since 1970.
  var modifiedUnixNanoseconds: Int64

  /// Looks at a file; nil if there is no regular file of that name.
  init?(path: FilePath) {
    var status = stat()
    guard stat(path.text, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.path = path
    sizeBytes = Int(status.st_size)
    inode = UInt64(status.st_ino)
    modifiedUnixNanoseconds =
      Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }

  init(_ object: JSONObject) throws(JSONFault) {
    path = FilePath(try object.text("path"))
    relativePath = try object.optionalText("relativePath").map { FilePath($0) }
    sizeBytes = try object.integer("sizeBytes")
    inode = try object.integer("inode")
    modifiedUnixNanoseconds = try object.integer("modifiedUnixNanoseconds")
  }

  var json: JSONLine {
    var json = JSONLine()
    json.add("path", path.text)
    json.add("relativePath", relativePath?.text)
    json.add("sizeBytes", sizeBytes)
    json.add("inode", inode)
    json.add("modifiedUnixNanoseconds", modifiedUnixNanoseconds)
    return json
  }

  /// Where the file is now.
  func place(_ base: JobsBase?) -> FilePath {
    relativePath.flatMap { base?.absolute($0) } ?? path
  }

  /// Whether the file is still there as it was.
  func holds(_ base: JobsBase?) -> Bool {
    guard var now = Self(path: place(base)) else { return false }
    (now.path, now.relativePath) = (path, relativePath)
    return now == self
  }
}
