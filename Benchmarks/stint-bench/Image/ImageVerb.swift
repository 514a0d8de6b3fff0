import StintCommands

extension BenchVerb {
  static let image = BenchVerb(
    specification: .measuring(
      "image", "Image pipelines beside a C program on libvips, ImageMagick and GraphicsMagick",
      usage: ["image [OPTIONS]", "image --generate WIDTHxHEIGHT OUT [OPTIONS]"], operands: .own,
      options: [
        BenchOptions.directory,
        OptionSpecification(
          "only", argument: "PIPELINES", group: .work,
          help: "Only these, with commas: "
            + ImagePipeline.allCases.map(\.rawValue).joined(separator: ", ")),
        OptionSpecification(
          "megapixels", argument: "COUNT", group: .work,
          help: "Millions of pixels of the images (default 36, with --quick 1)"),
        OptionSpecification(
          "generate", argument: "SIZE", group: .work,
          help:
            "Only write a test image of that width and height, such as 20000x15000, as tiled TIFF"
        ),
        OptionSpecification(
          "depth", argument: "BITS", group: .work, help: "Bits of its samples, 8 (default) or 16"),
        OptionSpecification("alpha", group: .work, help: "With alpha"),
        OptionSpecification(
          "seed", argument: "NUMBER", group: .work, help: "Another picture (default 1)"),
      ],
      examples: [
        .init(
          command: "stint-bench image --generate 20000x15000 scan.tif",
          meaning: "300 megapixels with structure, for a trial")
      ])
  ) { parsed in
    let options = try ImageOptions(parsed)
    if let generation = options.generation {
      try TestImages.generate(generation)
      return 0
    }
    return try options.bench.measure("image") { machine in
      try ImageBenchmark(options: options, machine: machine).figures()
    }
  }
}
