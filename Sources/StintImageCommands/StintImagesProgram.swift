import Glibc
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
    // One for each thread held 20 MB more than was in use: bands, tiles and compressed pieces go from thread to thread.
    MemoryPools.share(2)
    // Each band's graph has buffers of its own: given back in between, they cost a tenth of the time of a quick filter.
    MemoryPools.keep(freedBytes: 64 << 20)
    #if Images
    VipsLibrary.deferModules()
    #endif
    Launch.perform(since: launchedAt) { request, launch in try carryOut(request, launch) }
  }

  private static func carryOut(_ request: CommandLineRequest, _ launch: Launch) throws {
    switch request {
    case .help(let verb):
      try StintProgram.show(helpOf: verb, launch)
    case .version(let json):
      try StandardOutput().write(ImagesVersion.text(json: json))
    case .verb(let verb, let parsed):
      switch verb.name {
      case VerbTable.runImage.name:
        try run(parsed, launch)
      case VerbTable.resume.name:
        try resume(VerbContext(parsed, in: launch.surroundings), launch)
      case _:
        throw StintError(
          .usage, "\(ImagesProgram.name) works on images alone; write stint \(verb.name).")
      }
    }
  }

  #if Images
  private static func run(_ parsed: ParsedOptions, _ launch: Launch) throws {
    switch try ImageRequest(parsed, in: launch.surroundings) {
    case .listFilters(let json):
      try StandardOutput().write(FilterList.render(json: json, launch))
    case .work(let work):
      try ImageRun(work: work, launch: launch, options: RunOptions(parsed, in: launch.surroundings))
        .run()
    case .set(let work):
      try ImageSetRun(
        work: work, launch: launch, options: RunOptions(parsed, in: launch.surroundings)
      ).run()
    }
  }

  private static func resume(_ context: VerbContext, _ launch: Launch) throws -> Never {
    switch try ResumeCommand(context: context).next() {
    case .done(let result):
      SignalWatch.restoreDefaults()
      try StintProgram.end(with: result)
    case .run(let record, let options) where record.kind == ImageSetComputation.kind:
      let work = try ImageSetWork(record, jobsDirectory: options.jobsDirectory)
      try ImageSetRun(work: work, launch: launch, options: options).run()
    case .run(let record, let options):
      try ImageRun(work: ImageWork(record), launch: launch, options: options).run()
    }
  }
  #else
  private static func run(_ parsed: ParsedOptions, _ launch: Launch) throws -> Never {
    throw absent
  }

  private static func resume(_ context: VerbContext, _ launch: Launch) throws -> Never {
    throw absent
  }

  private static var absent: StintError {
    StintError(
      .unavailable,
      "This Stint was built without its trait Images, so it has no image filters; build it with "
        + "libvips-dev installed and the trait on.")
  }
  #endif
}
