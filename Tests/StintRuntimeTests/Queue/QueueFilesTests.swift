import CStint
import Foundation
import Glibc
import StintCore
import Testing

@testable import StintRuntime

/// What only a real disk and the kernel can show.
@Suite("The requests of a queue, on a real disk")
struct QueueFilesTests {
  private let scratch = ScratchDirectory()

  private var store: QueueStore { QueueStore(jobsPath: scratch.path) }

  private static func terms(_ name: String = "a") -> RequestTerms {
    RequestTerms(
      launch: LaunchRecord(words: ["/bin/true", name], directory: "/"),
      submitted: WallInstant(nanoseconds: 7), machine: "here")
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: store.path + path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test("C8 the folders and files of requests are private")
  func modes() throws {
    let request = try store.submit(Self.terms())
    try store.set(.pause, to: true, for: request.id)
    let lock = try #require(try store.take(request.id))
    close(try lock.openOutput().descriptor)
    #expect(try mode("") == 0o700 && mode("/1") == 0o700 && mode("/news") == 0o700)
    for name in ["request.json", "lock", "output", "pause"] {
      #expect(try mode("/1/" + name) == 0o600, "\(name)")
    }
  }

  @Test("C8 links in the place of anything are refused and not followed")
  func links() throws {
    let elsewhere = ScratchDirectory()
    let other = QueueStore(jobsPath: elsewhere.path)
    _ = try other.submit(Self.terms("other"))
    _ = try store.submit(Self.terms())
    // A folder.
    #expect(symlink(other.path(of: "1"), store.path(of: "2")) == 0)
    #expect(throws: StintError.self) { try store.entry("2") }
    #expect(throws: StintError.self) { try store.take("2") }
    #expect(throws: StintError.self) { try store.set(.stop, to: true, for: "2") }
    #expect(!other.isSet(.stop, for: "1"))
    #expect(throws: StintError.self) { try store.remove("2") }
    #expect(try other.read("1") != nil)
    #expect(try store.submit(Self.terms()).id == "3")
    // A record, a lock, a marker, the output.
    for (name, id) in [("request.json", "4"), ("lock", "5"), ("pause", "6"), ("output", "7")] {
      #expect(try store.submit(Self.terms()).id == id)
      let file = store.path(of: id) + "/" + name
      unlink(file)
      #expect(symlink(other.path(of: "1") + "/request.json", file) == 0)
      if name == "output" {
        let lock = try #require(try store.take(id))
        #expect(throws: StintError.self) { try lock.openOutput() }
      } else {
        #expect(throws: StintError.self) { try store.entry(id) }
      }
      // What comes under that name takes the link away, and nothing behind it.
      if name == "pause" {
        try store.set(.pause, to: true, with: "x", for: id)
        #expect(try store.entry(id)?.pause?.reason == "x")
      }
    }
    #expect(try other.read("1")?.terms.launch.words == ["/bin/true", "other"])
  }

  @Test("C2 no size and no content of a record is trusted")
  func sizes() throws {
    _ = try store.submit(Self.terms())
    let file = store.path(of: "1") + "/request.json"
    let whole = try Data(contentsOf: URL(filePath: file))
    func put(_ data: Data) throws { try data.write(to: URL(filePath: file)) }
    // Without its last byte, the end of the line, it is whole.
    for length in 0..<whole.count - 1 {
      try put(whole.prefix(length))
      expectError(.damaged) { try store.entry("1") }
      expectError(.damaged) { try store.take("1") }
    }
    // A terabyte of nothing is not read.
    #expect(truncate(file, 1 << 40) == 0)
    expectError(.damaged) { try store.read("1") }
    try put(Data(String(decoding: whole, as: UTF8.self).replacing("\"1\"", with: "\"2\"").utf8))
    expectError(.damaged, saying: "another request") { try store.read("1") }
    try put(Data(String(decoding: whole, as: UTF8.self).replacing("n\":1", with: "n\":2").utf8))
    expectError(.damaged, saying: "format 2") { try store.read("1") }
    unlink(file)
    #expect(mkfifo(file, 0o600) == 0)
    #expect(throws: StintError.self) { try store.read("1") }
    unlink(file)
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    #expect(throws: StintError.self) { try store.read("1") }
    // What cannot be read hinders no other.
    #expect(try store.submit(Self.terms()).id == "2")
    #expect(try store.entry("2") != nil && store.ids() == ["1", "2"])
  }

  @Test("C8 a folder of another user's is told, not read, and never taken")
  func otherUser() throws {
    _ = try store.submit(Self.terms())
    // This user, seen by a store that is another one's.
    let foreign = QueueStore(jobsPath: scratch.path, userID: geteuid() + 1)
    expectError(.unavailable, saying: "another user") { try foreign.entry("1") }
    expectError(.unavailable, saying: "another user") { try foreign.take("1") }
    expectError(.unavailable, saying: "another user") { try foreign.set(.stop, to: true, for: "1") }
    #expect(!store.isSet(.stop, for: "1"))
  }

  @Test("Q6 odd names among the requests are passed over")
  func oddNames() throws {
    _ = try store.submit(Self.terms())
    for name in ["news", "1.tmp", "01", "x", "request.json", " 2", "２"] {
      mkdir(store.path + "/" + name, 0o700)
    }
    _ = FileManager.default.createFile(atPath: store.path + "/3", contents: nil)
    #expect(try store.ids() == ["1", "3"])
    #expect(throws: StintError.self) { try store.entry("3") }
    mkdir(store.path + "/8", 0o700)
    #expect(try store.entry("8") == nil)
    #expect(try store.submit(Self.terms()).id == "9")
  }

  @Test("Q6 however many submit at once, each gets a number of its own")
  func concurrent() async throws {
    let path = scratch.path
    try await withThrowingTaskGroup(of: [String].self) { group in
      for worker in 0..<4 {
        group.addTask {
          // A store has no state of its own: each is as good as a process.
          let store = QueueStore(jobsPath: path)
          return try (0..<25).map { try store.submit(Self.terms("\(worker)-\($0)")).id }
        }
      }
      var ids: [String] = []
      for try await some in group { ids += some }
      #expect(Set(ids).count == 100)
    }
    let words = try store.ids().compactMap { try store.read($0)?.terms.launch.words[1] }
    #expect(Set(words).count == 100)
  }

  @Test("Q6 processes that submit at once, and are killed, share no number")
  func processes() async throws {
    let path = scratch.path
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = QueueStore(jobsPath: path)
            for _ in 0..<20 { _ = try store.submit(QueueFilesTests.terms()) }
            kill(getpid(), SIGKILL)
          }
        }
      }
    }
    #expect(try store.ids().count == 40)
    #expect(try store.submit(Self.terms()).id == "41")
  }

  @Test("Q6 a lock is shared with a child, and given back for it, too")
  func child() throws {
    _ = try store.submit(Self.terms())
    // A descriptor of the same description, as a child inherits it.
    var lock = try store.take("1")
    let left = dup(try #require(lock).descriptor)
    #expect(try store.take("1") == nil)
    lock?.giveBack()
    #expect(try store.entry("1")?.isLocked == false)
    lock = nil
    close(left)
    // A process that is killed gives nothing back: its child keeps the lock.
    let file = open(store.path(of: "1") + "/lock", O_RDWR | O_CLOEXEC)
    #expect(PosixFileSystem().lockOfTest(file))
    let inherited = dup(file)
    close(file)
    #expect(try store.entry("1")?.isLocked == true && store.take("1") == nil)
    close(inherited)
    #expect(try store.entry("1")?.isLocked == false)
    #expect(try store.take("1") != nil)
  }

  // MARK: News

  @Test("Q6 each change is told to those who watch, with its name")
  func news() throws {
    let watch = try store.watch()
    try #require(watch >= 0)
    defer { close(watch) }
    #expect(store.takeNews(from: watch) == [])
    let request = try store.submit(Self.terms())
    #expect(store.takeNews(from: watch) == ["1"])
    try store.set(.pause, to: true, for: request.id)
    #expect(store.takeNews(from: watch) == ["1"])
    try #require(try store.take("1")).update { $0.standing.workBegan(now: $0.terms.submitted) }
    #expect(store.takeNews(from: watch) == ["1"])
    _ = try store.submit(Self.terms())
    #expect(try store.remove("1"))
    #expect(store.takeNews(from: watch) == ["1", "2"])
    _ = FileManager.default.createFile(atPath: store.path + "/news/odd", contents: nil)
    #expect(store.takeNews(from: watch) == [])
    #expect(store.takeNews(from: watch) == [])
  }

  @Test("Q6 news that overflow, and a folder of news that is gone, ask for a look at everything")
  func overflow() throws {
    let limit = try #require(
      Int(
        String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
          .trimmingCharacters(in: .whitespacesAndNewlines)))
    let watch = try store.watch()
    try #require(watch >= 0)
    defer { close(watch) }
    if limit <= 100_000 {
      // Two events that differ are not folded into one. A file that cannot be opened tells nothing,
      // so there are more than enough.
      for index in 0..<2 * limit { store.tell(index.isMultiple(of: 2) ? "1" : "2") }
      #expect(store.takeNews(from: watch) == nil)
      #expect(store.takeNews(from: watch) == [])
    }
    try FileManager.default.removeItem(atPath: store.path + "/news")
    #expect(store.takeNews(from: watch) == nil)
    // The folder is made again by the next change, and the look every 30 s finds it.
    #expect(try store.submit(Self.terms()).number > 0)
  }

  // MARK: Serving

  @Test("Q7 whether somebody serves the queue can be seen, also with several")
  func served() throws {
    #expect(!store.isServed)
    let one = try store.beginServing()
    let two = try store.beginServing()
    #expect(store.isServed)
    store.endServing(one)
    #expect(store.isServed)
    store.endServing(two)
    #expect(!store.isServed)
  }
}

extension PosixFileSystem {
  /// Takes the lock on an open file.
  fileprivate func lockOfTest(_ descriptor: Int32) -> Bool {
    (try? lock(OpenFile(descriptor: descriptor, path: "lock"))) ?? false
  }
}
