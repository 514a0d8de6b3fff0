/// Who takes a set of images through a filter.
enum ImageSetSubject: String, CaseIterable {
  /// `stint run image`, whose results are on disk when it says so; nobody else waits for that.
  case stint
  /// The C program on libvips, one image for each processor at a time.
  case reference
  /// `vipsthumbnail`, or the `vips` command under GNU parallel.
  case vips
  /// ImageMagick, which makes its own pixels.
  case mogrify

  /// The name for people.
  var words: String {
    switch self {
    case .stint: "Stint"
    case .reference: "C program"
    case .vips: "vips"
    case .mogrify: "mogrify"
    }
  }

  /// What must be installed for it.
  private var programs: [String] {
    switch self {
    case .stint, .reference: []
    case .vips: ["vips", "vipsthumbnail", "parallel"]
    case .mogrify: ["mogrify"]
    }
  }

  /// Those who take part; says who does not.
  static func present() -> [ImageSetSubject] {
    allCases.filter { subject in
      guard let missing = subject.programs.first(where: { ChildProcess.installed([$0]) == nil })
      else { return true }
      Console.say("\(subject.words) is left out: \(missing) is not installed.")
      return false
    }
  }
}

/// The programs that take part, and how each is told to do its work.
struct ImageSetTools {
  let reference: ReferencePrograms
  let stint: String
  let threads: Int

  /// How a subject is told to take images through a filter, into an empty folder, in which the
  /// results keep their names.
  func command(
    _ subject: ImageSetSubject, _ filter: ImageSetFilter, _ images: [String],
    into folder: String, jobs: String
  ) -> ProgramCommand {
    switch subject {
    case .stint:
      ProgramCommand(
        program: stint,
        arguments: ["run", "image"] + images + [
          "--output-dir", folder, "--filter", filter.words, "--quality", "75",
          "--threads", "\(threads)", "--jobs-dir", jobs, "--quiet",
        ])
    case .reference:
      reference.set(filter.rawValue, images, into: folder, threads: threads)
    case .vips:
      vips(filter, images, into: folder)
    case .mogrify:
      ProgramCommand(
        program: "mogrify",
        arguments: ["-path", folder, "-auto-orient"] + filter.magick + images,
        variables: ["MAGICK_THREAD_LIMIT": "\(threads)"])
    }
  }

  private func vips(
    _ filter: ImageSetFilter, _ images: [String], into folder: String
  ) -> ProgramCommand {
    guard let (operation, rest) = filter.vips else {
      return ProgramCommand(
        program: "vipsthumbnail",
        arguments: ["--size", "400", "--output", "\(folder)/%s.jpg"] + images)
    }
    return ProgramCommand(
      program: "parallel",
      arguments: [
        "--will-cite", "-j\(threads)", "vips", operation, "{}[autorotate]", "\(folder)/{/}",
      ] + rest + [":::"] + images)
  }
}
