import StintCommands
import StintCore
import StintRuntime

#if Images
import StintImages
#endif

/// The program `stint-images`: what `stint` becomes for work on images.
public enum StintImagesProgram {
  /// Reads the command line and carries it out; the process ends here.
  public static func main() -> Never {
    let launchedAt = BootClock.now
    // One pool for each thread would hold 20 MB more than is in use, because bands, tiles and
    // compressed pieces go from thread to thread.
    MemoryPools.share(2)
    // Each band's graph has its own buffers; giving them back in between would cost a tenth of the
    // time of a quick filter.
    MemoryPools.keep(freedBytes: 64 << 20)
    #if Images
    VipsLibrary.deferModules()
    #endif
    Program.main(since: launchedAt) {
      Program(
        kinds: KindTable.stint.with([
          Kind.image.done(by: imageRunner), Kind.imageSet.done(by: imageSetRunner),
        ])
      ) { VersionText.render("stint-images", libvips: libraryVersion, json: $0) }
    }
  }

  #if Images
  private static var libraryVersion: String? { VipsLibrary.version }

  private static var imageRunner: KindRunner {
    .here(
      words: { parsed, _ in
        if let list = try FilterList(parsed) { return list }
        return try ImageWork(parsed)
      },
      record: { record, _ in try ImageWork(record) })
  }

  private static var imageSetRunner: KindRunner {
    .here(
      words: { parsed, surroundings in
        if let list = try FilterList(parsed) { return list }
        return try ImageSetWork(parsed, in: surroundings)
      },
      record: { record, options in
        try ImageSetWork(record, jobsDirectory: options.jobsDirectory)
      })
  }
  #else
  private static var libraryVersion: String? { nil }

  private static var imageRunner: KindRunner { absent }
  private static var imageSetRunner: KindRunner { absent }

  private static var absent: KindRunner {
    let error = StintError(
      .unavailable,
      "This Stint was built without the trait Images, so it has no image filters; build it with "
        + "libvips-dev installed and the trait on.")
    return .here(words: { _, _ in throw error }, record: { _, _ in throw error })
  }
  #endif
}
