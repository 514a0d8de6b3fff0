import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("Jobs by name, and jobs that are moved")
struct JobFormsTests {
  private static let jobsPath = "/data/x/jobs"

  private static func job(
    _ disk: FaultyFileSystem, _ terms: JobTerms, kind: String = "test",
    parameters: JobParameters = ["n": "5"], output: String? = "/data/x/out",
    startsOver: Bool = false,
    command: [[UInt8]]? = nil, jobsPath: String = jobsPath
  ) throws -> Job {
    var options = Job.Options()
    options.jobsDirectory = jobsPath
    options.outputPath = output
    options.startsOver = startsOver
    options.terms = terms
    options.command = command
    return try Job(
      kind: kind, parameters: parameters, stateVersion: 1, options: options, fileSystem: disk,
      identity: StoreFixture.identity())
  }

  private static func terms(
    name: String? = nil, environment: [String: String] = [:], isRelative: Bool = false
  ) -> JobTerms {
    var terms = JobTerms()
    terms.name = name
    terms.environment = environment
    if isRelative { terms.workingDirectory = "/data/x" }
    terms.isOutputRelative = isRelative
    terms.paths = ["directory": isRelative]
    return terms
  }

  /// Makes the directory of a job, and gives the job up.
  @discardableResult
  private static func made(
    _ disk: FaultyFileSystem, _ terms: JobTerms, kind: String = "test",
    parameters: JobParameters = ["n": "5"], output: String? = "/data/x/out",
    startsOver: Bool = false
  ) throws -> String {
    let job = try job(
      disk, terms, kind: kind, parameters: parameters, output: output, startsOver: startsOver)
    try job.materialize()
    job.close()
    return job.key
  }

  private static func record(_ key: String, _ disk: FaultyFileSystem) throws -> JobRecord? {
    try JobCatalog(jobsDirectory: jobsPath, fileSystem: disk, identity: StoreFixture.identity())
      .record(of: key)
  }

  // MARK: Paths

  @Test(
    "a path belongs to the folder of the jobs directory, or to the folder that holds it and the caller",
    arguments: [
      ("/data/x/out", nil, "out"), ("/data/x/a/b", nil, "a/b"), ("/data/x", nil, "."),
      ("/data/y/out", nil, nil), ("/data/out", nil, nil), ("/other", nil, nil),
      ("/data/out", "/data", "../out"), ("/data/y/out", "/data/y", "../y/out"),
      ("/data/x/out", "/data/x/sub", "out"), ("/data/y/out", "/data/x", nil),
      ("/other", "/", nil), ("/data/xy", "/data/x", nil),
    ] as [(String, String?, String?)])
  func relative(path: String, from folder: String?, expected: String?) {
    let base = JobsBase(folder: "/data/x")
    let found = base.relative(FilePath(path), from: folder.map { FilePath($0) })
    #expect(found?.text == expected)
    if let found { #expect(base.absolute(found) == FilePath(path)) }
  }

  @Test("a relative path in a job cannot lead above the root")
  func aboveRoot() {
    #expect(JobsBase(folder: "/data/x").absolute("../../../../y/./z") == "/y/z")
    #expect(JobsBase(folder: "/data/x").absolute("/y") == "/y")
  }

  @Test("a job whose jobs directory was given by a relative path is found when both are moved")
  func moved() throws {
    let disk = FaultyFileSystem()
    let key = try Self.made(
      disk, Self.terms(isRelative: true), parameters: ["directory": "/data/x"])
    let record = try #require(try Self.record(key, disk))
    #expect(record.storedOutput == "out")
    #expect(record.outputPath == "/data/x/out")
    #expect(record.parameters["directory"] == ".")
    #expect(record.formatVersion == 2)
    var terms = Self.terms(isRelative: true)
    terms.workingDirectory = "/elsewhere/y"
    let forms = JobForms(
      kind: "test", parameters: ["directory": "/elsewhere/y"], outputPath: "/elsewhere/y/out",
      terms: terms, jobsPath: "/elsewhere/y/jobs")
    #expect(forms.fresh.key.description == key)
  }

  @Test("however the jobs directory is spelled, the job that is there is found")
  func spelled() throws {
    for (first, second) in [(true, false), (false, true)] {
      let disk = FaultyFileSystem()
      let parameters: JobParameters = ["directory": "/data/x"]
      let begun = try Self.made(disk, Self.terms(isRelative: first), parameters: parameters)
      let again = try Self.made(disk, Self.terms(isRelative: second), parameters: parameters)
      #expect(begun == again)
      // Each is what a new job would be, so they differ where nothing was begun.
      let other = FaultyFileSystem()
      #expect(
        try Self.made(other, Self.terms(isRelative: second), parameters: parameters) != begun)
    }
  }

  @Test("an absolute output stays absolute, and its record is that of version 1")
  func absolute() throws {
    let disk = FaultyFileSystem()
    var terms = Self.terms(isRelative: true)
    terms.isOutputRelative = false
    let key = try Self.made(disk, terms)
    #expect(
      key == JobKey(kind: "test", parameters: ["n": "5"], outputPath: "/data/x/out").description)
    #expect(try Self.record(key, disk)?.formatVersion == 1)
  }

  // MARK: Names

  @Test(
    "what can be a name",
    arguments: [
      ("night", true), ("a", true), ("7", true), ("run_7.b-2", true), ("..", true),
      ("", false), ("-x", false), ("a b", false), ("a/b", false), ("é", false), ("a\n", false),
      ("fibonacci-1f0c5a93b2d4e687", false), (String(repeating: "x", count: 64), true),
      (String(repeating: "x", count: 65), false),
    ])
  func names(text: String, isName: Bool) {
    #expect(JobKey.isName(text) == isName)
  }

  @Test("the key of a named job is made of its name, its variables and its shard alone")
  func namedKey() throws {
    func key(
      _ parameters: JobParameters, _ output: FilePath?, _ environment: [String: String] = [:]
    ) -> String {
      JobKey(
        kind: "test", parameters: parameters, outputPath: output, name: "night",
        environment: environment
      ).description
    }
    let plain = key(["n": "1"], "/a")
    #expect(key(["n": "2"], nil) == plain)
    #expect(key([:], nil, ["TASK": "1"]) != plain)
    #expect(key([:], nil, ["TASK": "1"]) != key([:], nil, ["TASK": "2"]))
    let shard = try #require(Shard(1, of: 2))
    #expect(key(shard.parameters(["n": "1"], of: plain), nil) != plain)
  }

  @Test("variables are a part of a key, and nothing else of the environment is")
  func variables() throws {
    let disk = FaultyFileSystem()
    let keys = try ["1", "2", "1"].map { value in
      try Self.made(disk, Self.terms(environment: ["TASK": value]))
    }
    #expect(keys[0] == keys[2] && keys[0] != keys[1])
    #expect(try Self.made(disk, Self.terms()) != keys[0])
    #expect(try Self.record(keys[1], disk)?.environment == ["TASK": "2"])
  }

  @Test("other parameters under the same name are refused with both values, until it starts over")
  func otherParameters() throws {
    let disk = FaultyFileSystem()
    let terms = Self.terms(name: "night")
    let key = try Self.made(disk, terms, parameters: ["n": "1000"])
    expectError(.usage, saying: "the job night has the n \"1000\"", "says \"2000\"") {
      try Self.made(disk, terms, parameters: ["n": "2000"])
    }
    expectError(.usage, saying: "the m none", "says \"1\"") {
      try Self.made(disk, terms, parameters: ["n": "1000", "m": "1"])
    }
    expectError(.usage, saying: "the output \"/data/x/out\"", "says \"/data/x/b\"") {
      try Self.made(disk, terms, parameters: ["n": "1000"], output: "/data/x/b")
    }
    #expect(try Self.record(key, disk)?.parameters == ["n": "1000"])
    #expect(try Self.made(disk, terms, parameters: ["n": "1000"]) == key)
    let again = try Self.made(disk, terms, parameters: ["n": "2000"], startsOver: true)
    #expect(again == key)
    #expect(try Self.record(key, disk)?.parameters == ["n": "2000"])
  }

  @Test("a name that starts over does not take another job's result for its own")
  func resultOfBefore() throws {
    let disk = FaultyFileSystem()
    let terms = Self.terms(name: "night")
    let job = try Self.job(disk, terms)
    try job.materialize()
    job.record(.finished(sizeBytes: 5, checksum: "c", workTime: .zero), durably: true)
    job.close()
    let same = try Self.job(disk, terms, startsOver: true)
    #expect(same.summary.publishing != nil)
    same.close()
    let other = try Self.job(disk, terms, output: "/data/x/b", startsOver: true)
    #expect(other.summary.publishing == nil)
  }

  @Test("a changed file of a batch is taken into its record")
  func changeable() throws {
    let disk = FaultyFileSystem()
    var terms = Self.terms(name: "night")
    terms.changeable = ["file"]
    let key = try Self.made(disk, terms, parameters: ["file": "/a", "directory": "/d"])
    try Self.made(disk, terms, parameters: ["file": "/b", "directory": "/d"])
    #expect(try Self.record(key, disk)?.parameters["file"] == "/b")
    expectError(.usage, saying: "the directory \"/d\"", "\"/e\"") {
      try Self.made(disk, terms, parameters: ["file": "/b", "directory": "/e"])
    }
  }

  @Test("one name is one job, whatever its kind")
  func otherKind() throws {
    let disk = FaultyFileSystem()
    let key = try Self.made(disk, Self.terms(name: "night"))
    for startsOver in [false, true] {
      expectError(.usage, saying: "belongs to \(key), a job of the kind test") {
        try Self.made(disk, Self.terms(name: "night"), kind: "other", startsOver: startsOver)
      }
    }
    #expect(try Self.made(disk, Self.terms(name: "day"), kind: "other").hasPrefix("other-"))
  }

  @Test("two kinds that take a name at the same moment do not both get it")
  func otherKindMeanwhile() throws {
    let disk = FaultyFileSystem()
    let first = try Self.job(disk, Self.terms(name: "night"))
    let second = try Self.job(disk, Self.terms(name: "night"), kind: "other")
    try first.materialize()
    expectError(.usage, saying: "belongs to \(first.key)") { try second.materialize() }
    let catalog = try JobCatalog(
      jobsDirectory: Self.jobsPath, fileSystem: disk, identity: StoreFixture.identity())
    #expect(try catalog.keys() == [first.key])
  }

  @Test("a directory that was half made under another kind holds no name")
  func halfMade() throws {
    let disk = FaultyFileSystem()
    let job = try Self.job(disk, Self.terms(name: "night"))
    try job.reserve()
    let other = try Self.made(disk, Self.terms(name: "night"), kind: "other")
    #expect(other.hasPrefix("other-"))
  }

  @Test("a batch that an older version named goes on under its key")
  func earlierName() throws {
    let disk = FaultyFileSystem()
    let values: JobParameters = ["file": "/f", "directory": "/d"]
    let old: JobParameters = ["file": "/f", "directory": "/d", "name": "night"]
    let begun = try Self.made(disk, Self.terms(), kind: "batch", parameters: old, output: nil)
    var terms = Self.terms(name: "night")
    terms.earlier = [old]
    let again = try Self.made(disk, terms, kind: "batch", parameters: values, output: nil)
    #expect(again == begun)
    #expect(try Self.record(begun, disk)?.givenName == "night")
  }

  // MARK: Files

  @Test("a record with a name comes back as it was written, and a wrong name is damage")
  func record() throws {
    let disk = FaultyFileSystem()
    let key = try Self.made(disk, Self.terms(name: "night", environment: ["A": "=\n%"]))
    let record = try #require(try Self.record(key, disk))
    var again = try JobRecord(contents: record.contents)
    again.base = record.base
    #expect(again == record)
    var wrong = record
    wrong.name = "a b"
    #expect(throws: JSONFault.self) { try JobRecord(contents: wrong.contents) }
  }

  @Test(
    "the words of a process come back as they were, and no others",
    arguments: [[[]], [Array("exec".utf8), [0xff, 0x0a], []], [Array(repeating: 7, count: 5000)]]
      as [[[UInt8]]])
  func command(words: [[UInt8]]) throws {
    let contents = try #require(RecordedCommand.contents(words))
    #expect(RecordedCommand.words(contents) == words)
    for count in contents.indices.prefix(16) {
      #expect(RecordedCommand.words(Array(contents.prefix(count))) == nil)
    }
    #expect(RecordedCommand.words(contents + [65]) == nil)
  }

  @Test("words that no kernel takes are not kept")
  func longCommand() {
    #expect(RecordedCommand.contents([]) == nil)
    #expect(RecordedCommand.contents([[65, 0, 66]]) == nil)
    let long = Array(repeating: UInt8(65), count: RecordedCommand.largestBytes)
    #expect(RecordedCommand.contents([long]) == nil)
  }

  @Test("each process writes its words, and removing the job removes them")
  func commandOfProcess() throws {
    let disk = FaultyFileSystem()
    let catalog = try JobCatalog(
      jobsDirectory: Self.jobsPath, fileSystem: disk, identity: StoreFixture.identity())
    for words in [[Array("a".utf8)], [Array("b".utf8), [0xc3]]] {
      let job = try Self.job(disk, Self.terms(), command: words)
      try job.materialize()
      #expect(try catalog.command(of: job.key) == words)
      job.close()
    }
    let key = try #require(try catalog.keys().first)
    try catalog.remove(key)
    #expect(try catalog.keys() == [])
  }

  @Test(
    "only the holder that is another task of the same array is told of",
    arguments: [
      ("7_1", "7_2", true), ("7_1", "7_1", false), ("7_1", "8_2", false), ("7", "7", false),
      ("7_1", "7", false),
    ])
  func otherTask(holder: String, own: String, isOther: Bool) throws {
    let disk = FaultyFileSystem()
    func job(_ number: String) throws -> Job {
      var options = Job.Options()
      options.jobsDirectory = Self.jobsPath
      var identity = StoreFixture.identity()
      identity.engineJob = EngineJob(engine: EngineJob.slurm, job: number, node: "")
      return try Job(
        kind: "test", parameters: [:], stateVersion: 1, options: options, fileSystem: disk,
        identity: identity)
    }
    let first = try job(holder)
    try first.materialize()
    let error = expectError(.busy) { try job(own) }
    #expect(error?.remedies.contains(.keyOfEachTask) == isOther)
  }
}
