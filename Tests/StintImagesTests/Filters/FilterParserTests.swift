#if Images
import StintCore
import StintImages
import Testing

@Suite("How filters are written")
struct FilterParserTests {
  static func canonical(_ texts: String...) throws -> String {
    try FilterPipeline(parsing: texts).canonicalText
  }

  @Test(
    "equal pipelines have one canonical text",
    arguments: [
      ("gaussian-blur:3", "gaussian-blur:sigma=3,cutoff=0.2"),
      ("Gaussian_Blur:cutoff=0.20,sigma=3.0px", "gaussian-blur:sigma=3,cutoff=0.2"),
      ("blur:+3e0", "gaussian-blur:sigma=3,cutoff=0.2"),
      ("brightness:15%", "brightness-contrast:brightness=15,contrast=0"),
      ("contrast:-0", "brightness-contrast:brightness=0,contrast=0"),
      ("posterize", "posterise:levels=4"), ("equalize", "equalise"),
      ("rotate:90deg", "rotate:angle=90"),
      ("crop:300x200+10+20", "crop:left=10,top=20,width=300,height=200"),
      ("crop:width=1,height=2", "crop:left=0,top=0,width=1,height=2"),
      ("crop:5x6", "crop:left=0,top=0,width=5,height=6"),
      ("resize:50%", "resize:scale=50,kernel=lanczos3"),
      ("resize:scale=50", "resize:scale=50,kernel=lanczos3"),
      ("resize:800x600,kernel=cubic", "resize:width=800,height=600,kernel=cubic"),
      ("resize:800", "resize:width=800,kernel=lanczos3"),
      ("resize:x600", "resize:height=600,kernel=lanczos3"),
      ("thumbnail:400", "thumbnail:width=400,size=both"),
      ("thumb:400x300>", "thumbnail:width=400,height=300,size=down"),
      ("thumbnail:400!", "thumbnail:width=400,size=force"),
      ("thumbnail:x300<", "thumbnail:width=10000000,height=300,size=up"),
      ("thumbnail:400x", "thumbnail:width=400,height=10000000,size=both"),
      ("convolve:0,-1,0/-1,5,-1/0,-1,-0", "convolve:matrix=0,-1,0/-1,5,-1/0,-1,0,offset=0"),
      ("conv:1,2.50,scale=2", "convolve:matrix=1,2.5,scale=2,offset=0"),
      ("flip:Horizontal", "flip:direction=horizontal"),
      ("grayscale+threshold:60", "grayscale:weights=rec709+threshold:level=60"),
      ("crop:3x3+1+1+invert", "crop:left=1,top=1,width=3,height=3+invert"),
      ("sharpen:1e+1", "sharpen:sigma=10,amount=1,threshold=0"),
      ("gamma:0.1", "gamma:gamma=0.1"),
      ("flatten", "flatten:background=ffffff"), ("flatten:#1aF", "flatten:background=11aaff"),
      ("remove-alpha:background=Navy", "flatten:background=000080"),
      ("gamma:1.0000000000000002", "gamma:gamma=1.0000000000000002"),
    ])
  func canonicalText(text: String, expected: String) throws {
    #expect(try Self.canonical(text) == expected)
    #expect(try Self.canonical(expected) == expected)
  }

  @Test("several options and one option with plus signs are the same")
  func joined() throws {
    #expect(
      try Self.canonical("grayscale", "gaussian-blur:2", "invert")
        == Self.canonical("grayscale+gaussian-blur:2+invert"))
    #expect(try FilterPipeline(parsing: []).canonicalText == "")
  }

  @Test(
    "what is wrong is said with what would be right",
    arguments: [
      (
        "gausian-blur:3",
        #"There is no filter "gausian-blur". Did you mean gaussian-blur? Choose one of the list of filters."#
      ),
      ("frobnicate", #"There is no filter "frobnicate"; choose one of the list of filters."#),
      ("", "A filter is empty; write its name, for example gaussian-blur:3."),
      ("invert+", "A filter is empty; write its name, for example gaussian-blur:3."),
      ("invert++invert", "A filter is empty; write its name, for example gaussian-blur:3."),
      (
        "gaussian-blur",
        "The filter gaussian-blur needs its sigma (0.2 to 500 px), for example gaussian-blur:3."
      ),
      (
        "gaussian-blur:sgima=3",
        #"The filter gaussian-blur has no parameter "sgima". Did you mean sigma?"#
      ),
      (
        "gaussian-blur:depth=3",
        #"The filter gaussian-blur has no parameter "depth". It has sigma, cutoff."#
      ),
      ("gaussian-blur:3,sigma=4", "The filter gaussian-blur is given its sigma twice."),
      ("gaussian-blur:3,", "The filter gaussian-blur has a comma with no parameter after it."),
      (
        "gaussian-blur:3,4",
        #"The filter gaussian-blur cannot tell what "4" is for; only its first value may do without a key, as in gaussian-blur:3."#
      ),
      (
        "gaussian-blur:nan",
        #"The filter gaussian-blur takes as its sigma 0.2 to 500 px, not "nan"."#
      ),
      (
        "gaussian-blur:-3", #"The filter gaussian-blur takes as its sigma 0.2 to 500 px, not "-3"."#
      ),
      (
        "gaussian-blur:1e999",
        #"The filter gaussian-blur takes as its sigma 0.2 to 500 px, not "1e999"."#
      ),
      ("gaussian-blur:", #"The filter gaussian-blur takes as its sigma 0.2 to 500 px, not ""."#),
      (
        "gaussian-blur:0x1p3",
        #"The filter gaussian-blur takes as its sigma 0.2 to 500 px, not "0x1p3"."#
      ),
      ("median:4", #"The filter median takes as its size odd, 3 to 31 px, not "4"."#),
      ("median:3.5", #"The filter median takes as its size odd, 3 to 31 px, not "3.5"."#),
      (
        "flip:horizontl",
        #"The filter flip takes as its direction horizontal or vertical, not "horizontl". Did you mean horizontal?"#
      ),
      ("rotate:45", #"The filter rotate takes as its angle 90, 180 or 270, not "45"."#),
      ("invert:3", #"The filter invert has no parameters; "3" is too much."#),
      ("invert:", #"The filter invert has no parameters; "" is too much."#),
      (
        "resize:kernel=cubic",
        "The filter resize needs a width, a height or a scale, for example resize:800x600."
      ),
      (
        "resize:width=3,scale=4",
        "The filter resize takes a width and a height, or a scale, and not both."
      ),
      (
        "invert+thumbnail:9",
        "The filter thumbnail reads the file itself, so it is the first one; resize changes the size later."
      ),
      (
        "thumbnail:9+thumbnail:9",
        "The filter thumbnail reads the file itself, so it is the first one; resize changes the size later."
      ),
      (
        "convolve:1,scale=0",
        "The filter convolve cannot divide by a scale of 0; leave it out for the sum."
      ),
      (
        "convolve:1,2/3",
        #"The filter convolve takes as its matrix rows separated by /, numbers by commas; 1 x 1 to 63 x 63, not "1,2/3"."#
      ),
      (
        "convolve:1,,2",
        #"The filter convolve takes as its matrix rows separated by /, numbers by commas; 1 x 1 to 63 x 63, not "1,,2"."#
      ),
      ("crop:0x5", #"The filter crop takes as its width 1 to 10000000 px, not "0"."#),
      (
        "in\u{1b}[31mvert", #"There is no filter "in?[31mvert"; choose one of the list of filters."#
      ),
    ])
  func errors(text: String, message: String) {
    let error = #expect(throws: StintError.self) { try FilterPipeline(parsing: [text]) }
    #expect(error?.description == message)
    #expect(error?.code == .usage)
  }

  @Test("sizes that an image does not allow are refused with the image's size")
  func shapes() throws {
    let shape = TestImage.shape(100, 50, bands: 3)
    for (text, message) in [
      (
        "crop:50x50+60+0",
        "The filter crop asks for columns 60 to 109 and rows 0 to 49; the image has 100 columns and 50 rows there."
      ),
      (
        "resize:200000x10",
        "The filter resize would make the width 200000 px of 100 px; a side changes by a factor of 1000 at most. Do it in two steps."
      ),
      (
        "resize:10000000",
        "The filter resize would make the width 10000000 px of 100 px; a side changes by a factor of 1000 at most. Do it in two steps."
      ),
    ] {
      let error = #expect(throws: StintError.self) {
        try FilterPipeline(parsing: [text]).outputShape(of: shape)
      }
      #expect(error?.description == message)
    }
    #expect(try FilterPipeline(parsing: ["resize:1%"]).outputShape(of: shape).height == 1)
  }

  @Test("too much text and too many filters are refused")
  func limits() throws {
    let most = FilterPipeline.mostSteps
    #expect(
      try FilterPipeline(parsing: [String](repeating: "invert", count: most)).steps.count == most)
    #expect(throws: StintError.self) {
      try FilterPipeline(parsing: [String](repeating: "invert", count: most + 1))
    }
    #expect(throws: StintError.self) {
      try FilterPipeline(parsing: [String(repeating: "+invert", count: 100_000)])
    }
    let row = [String](repeating: "1", count: 64).joined(separator: ",")
    #expect(throws: StintError.self) { try FilterPipeline(parsing: ["convolve:" + row]) }
  }

  @Test(
    "any text is read or refused, and what is read has a stable text", arguments: UInt64(0)..<400)
  func anything(seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    let pieces =
      FilterCatalogue.names + FilterVariants.all
      + [
        ":", ",", "=", "+", "/", "x", "-", "%", "1", "3", "0.5", "1e9", "-1", "nan", "sigma",
        "width", "é", "\0",
      ]
    let text = (0..<Int.random(in: 1...6, using: &numbers)).map { _ in
      pieces.randomElement(using: &numbers) ?? ""
    }.joined(separator: seed % 2 == 0 ? "" : "+")
    do throws(StintError) {
      let canonical = try FilterPipeline(parsing: [text]).canonicalText
      #expect(try FilterPipeline(parsing: [canonical]).canonicalText == canonical, "\(text)")
    } catch {
      #expect(
        error.code == .usage && error.message.hasSuffix(".") || error.message.hasSuffix("?"),
        "\(text)")
    }
  }
}
#endif
