#if Images
import CVips
import Glibc
import StintRuntime

/// Where libvips finds the bytes of an image file.
package enum VipsFile: Sendable {
  /// In a file; `/proc/self/fd/N` opens a descriptor's file.
  case path(String)
  /// In an open file that is read call by call.
  ///
  /// Some loaders map a file otherwise. One that is cut meanwhile would then end the process.
  case stream(any StreamedFile)
  /// In memory, where all of it is.
  case memory(PixelMemory)

  /// What messages call it.
  var shown: String {
    switch self {
    case .path(let path): path
    case .stream(let file): file.shownPath
    case .memory: "a file in memory"
    }
  }

  /// The argument of a loader that says where the bytes are.
  var argument: (name: String, value: VipsArgument) {
    switch self {
    case .path(let path): ("filename", .text(path))
    case .stream(let file): ("source", .source(file))
    case .memory(let memory): ("buffer", .memory(memory))
    }
  }

  /// The operation that would load the file, such as `VipsForeignLoadTiffFile`; nil if none does.
  package var loader: String? {
    let found = find()
    guard found == nil, VipsLibrary.loadsModule else { return found }
    vips_error_clear()
    return find()
  }

  private func find() -> String? {
    let found =
      switch self {
      case .path(let path): vips_foreign_find_load(path)
      case .stream(let file): vips_foreign_find_load(file.descriptorPath)
      case .memory(let memory):
        vips_foreign_find_load_buffer(memory.buffer.baseAddress, memory.buffer.count)
      }
    return found.map { String(cString: $0) }
  }
}

/// Paths that open the very file of a descriptor again, whatever its name means by now.
enum DescriptorPath {
  /// The folder in which the kernel shows what is open.
  static let folder = "/proc/self/fd/"

  static func path(of descriptor: Int32) -> String { "\(folder)\(descriptor)" }

  /// What the file of a descriptor is called; nil if it has no name any more.
  static func name(of descriptor: Int32) -> String? {
    let name = String(decoding: KernelFile.link(path(of: descriptor)) ?? [], as: UTF8.self)
    // Where /proc is missing, or the file was removed meanwhile, the link says something else.
    return access(name, F_OK) == 0 ? name : nil
  }
}
#endif
