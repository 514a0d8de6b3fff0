import Foundation
import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("Files of commands")
struct CommandFilesTests {
  private let scratch = ScratchDirectory()

  private func path(_ name: String) -> String { "\(scratch.path)/\(name)" }

  /// Writes a file as a program would: a new one, renamed.
  private func write(_ text: String, to name: String) throws {
    try FileManager.default.createDirectory(
      atPath: (path(name) as NSString).deletingLastPathComponent,
      withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)), options: .atomic)
  }

  private func watch(_ change: (inout CommandFiles) -> Void) -> CommandFileWatch {
    var files = CommandFiles()
    change(&files)
    return CommandFileWatch(files)
  }

  @Test("X4 new content of a file is news, and a new time stamp or a copy of the old is none")
  func content() throws {
    let watch = watch { $0.checkpoint = path("c") }
    #expect(watch.look(isLast: false) == CommandFiles.Look())
    // Many programs make an empty file before they have anything to write.
    try write("", to: "c")
    #expect(watch.look(isLast: false).news == 0)
    try write("1", to: "c")
    let first = watch.look(isLast: false)
    #expect(first.news == 1 && first.checkpointBytes == 1)
    #expect(watch.look(isLast: false).news == 1)
    try write("1", to: "c")
    #expect(utimes(path("c"), nil) == 0)
    #expect(watch.look(isLast: false).news == 1)
    try write("2", to: "c")
    #expect(watch.look(isLast: false).news == 2)
    // One that goes back and forth between two states comes no further.
    try write("1", to: "c")
    #expect(watch.look(isLast: false).news == 2)
    unlink(path("c"))
    #expect(watch.look(isLast: false).news == 2)
  }

  @Test("X4 what was there before is no news")
  func before() throws {
    try write("1", to: "c")
    let watch = watch { $0.checkpoint = path("c") }
    #expect(watch.look(isLast: false).news == 0)
    try write("2", to: "c")
    #expect(watch.look(isLast: false).news == 1)
  }

  @Test("X4 a folder counts with the files below it at any depth, links not followed")
  func folder() throws {
    try write("1", to: "f/a")
    try write("elsewhere", to: "other/x")
    try #require(symlink(path("other"), path("f/link")) == 0)
    let watch = watch { $0.checkpoint = path("f") }
    #expect(watch.look(isLast: false).checkpointBytes == 1)
    try write("22", to: "f/deep/er/b")
    let look = watch.look(isLast: false)
    #expect(look.news == 1 && look.checkpointBytes == 3)
    try write("more", to: "other/y")
    #expect(watch.look(isLast: false).news == 1)
    // The same bytes under another name are no new work.
    try write("22", to: "f/deep/copy")
    #expect(watch.look(isLast: false).news == 1)
  }

  @Test("X4 a pattern counts what it matches, and a file of that very name comes first")
  func pattern() throws {
    let watch = watch { $0.checkpoint = path("ckpt-*.pt") }
    #expect(watch.look(isLast: false).news == 0)
    try write("1", to: "ckpt-1.pt")
    #expect(watch.look(isLast: false).news == 1)
    try write("2", to: "ckpt-2.pt")
    try write("3", to: "other.pt")
    let look = watch.look(isLast: false)
    #expect(look.news == 2 && look.checkpointBytes == 2)
    try write("of that name", to: "ckpt-*.pt")
    #expect(watch.look(isLast: false).checkpointBytes == 12)
  }

  @Test("X4 names that are no text are looked at like others")
  func oddNames() throws {
    try write("1", to: "f/a")
    let watch = watch { $0.checkpoint = path("f") }
    _ = watch.look(isLast: false)
    let name = Array((path("f/") as String).utf8) + [0xFF, 0x0A, 0x2A, 0]
    let file = name.withUnsafeBufferPointer { pointer in
      pointer.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600) }
    }
    try #require(file >= 0)
    #expect(Glibc.write(file, "new", 3) == 3)
    close(file)
    #expect(watch.look(isLast: false).news == 1)
  }

  @Test("X4 a large file is read when it is no longer written, at the latest at the end")
  func large() throws {
    let watch = watch { $0.checkpoint = path("c") }
    _ = watch.look(isLast: false)
    let file = try #require(fopen(path("c"), "w"))
    defer { fclose(file) }
    #expect(ftruncate(fileno(file), 20 << 20) == 0)
    #expect(watch.look(isLast: false).news == 0)
    #expect(watch.look(isLast: false).news == 1)
    #expect(ftruncate(fileno(file), 21 << 20) == 0)
    #expect(watch.look(isLast: true).news == 2)
  }

  @Test("X2 a done file is one that was not there, or another, when the job began")
  func done() throws {
    let fresh = watch { $0.done = path("d") }
    #expect(!fresh.look(isLast: false).isDone)
    try write("done", to: "d")
    let look = fresh.look(isLast: false)
    #expect(look.isDone && look.news == 1)
    var files = CommandFiles(done: path("d"))
    files.beginJob()
    // As a later process reads it.
    let kept = files.beginning
    files = CommandFiles(done: path("d"))
    files.beginning = "a first line\n" + kept
    let old = CommandFileWatch(files)
    #expect(!old.look(isLast: false).isDone)
    try write("again", to: "d")
    #expect(old.look(isLast: false).isDone)
    files.beginning = "done 1 2\ndone x y z\n\nprogress 1"
    #expect(files.oldDone == nil && files.oldProgress == nil)
  }

  @Test("X4 a progress file from before the job does not count, and odd words are told")
  func progress() throws {
    try write("100 %", to: "p")
    var files = CommandFiles(progress: path("p"))
    files.beginJob()
    let watch = CommandFileWatch(files)
    #expect(watch.look(isLast: false).progress == nil)
    try write("42% sorting", to: "p")
    #expect(watch.look(isLast: false).progress == WorkProgress(fraction: 0.42, phase: "sorting"))
    try write("soon", to: "p")
    let odd = watch.look(isLast: false)
    #expect(odd.progress == nil && odd.unreadable == "soon")
  }

  @Test("a FIFO that nobody writes to is not waited for")
  func fifo() throws {
    try #require(mkfifo(path("f"), 0o600) == 0)
    let watch = watch {
      $0.checkpoint = path("f")
      $0.progress = path("f")
    }
    let look = watch.look(isLast: true)
    #expect(look.news == 0 && look.progress == nil)
  }
}
