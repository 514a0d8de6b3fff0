import Foundation
import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("Names on the real disk")
struct RealNameTests {
  private let scratch = ScratchDirectory()
  private let files = PosixFileSystem()

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: scratch.path + "/" + name, atomically: false, encoding: .utf8)
  }

  private func read(_ name: String) throws -> String {
    try String(contentsOfFile: scratch.path + "/" + name, encoding: .utf8)
  }

  @Test("a name that cannot be given is told with both names and the errno, and nothing changes")
  func refusedNames() throws {
    let root = try files.openDirectory(at: scratch.path)
    defer { files.close(root) }
    try write("old", to: "old")
    try write("new", to: "new")
    mkdir(scratch.path + "/folder", 0o700)
    let nameless = try files.openNameless(in: root)
    defer { files.close(nameless) }
    let (old, new) = (scratch.path + "/old", scratch.path + "/new")
    let missing = scratch.path + "/missing"
    let attempts: [(message: String, errno: Int32, attempt: () throws -> Void)] = [
      (
        "cannot rename \(missing) to \(new)", ENOENT,
        { try files.rename("missing", in: root, to: "new", in: root) }
      ),
      (
        "cannot rename \(old) to \(new)", EEXIST,
        { try files.renameExclusively("old", in: root, to: "new", in: root) }
      ),
      (
        "cannot rename \(old) to \(scratch.path)/folder", EISDIR,
        { try files.rename("old", in: root, to: "folder", in: root) }
      ),
      (
        "cannot link \(old) to \(new)", EEXIST,
        { try files.link("old", in: root, to: "new", in: root) }
      ),
      (
        "cannot give a file the name \(new)", EEXIST,
        { try files.giveName("new", in: root, to: nameless) }
      ),
    ]
    for (message, code, attempt) in attempts {
      let error = expectError(.io, errno: code, comment: "\(message)") { try attempt() }
      #expect(error?.message == "\(message): \(String(cString: strerror(code)))")
    }
    #expect(try read("old") == "old")
    #expect(try read("new") == "new")
    #expect(try files.list(root).sorted() == ["folder", "new", "old"])
  }

  @Test("a temporary name is the same at every run, and its file of before is removed")
  func freeName() throws {
    let root = try files.openDirectory(at: scratch.path)
    defer { files.close(root) }
    #expect(try files.freeName(beside: "f.txt", in: root, mark: "m") == ".f.txt.m.stint")
    try write("of a killed run", to: ".f.txt.m.stint")
    #expect(try files.freeName(beside: "f.txt", in: root, mark: "m") == ".f.txt.m.stint")
    #expect(try files.list(root) == [])
  }

  @Test("where the temporary name cannot be had, another one is taken that nobody can foresee")
  func takenName() throws {
    let root = try files.openDirectory(at: scratch.path)
    defer { files.close(root) }
    // A folder is not removed as a file is, whoever the user is.
    mkdir(scratch.path + "/.f.txt.m.stint", 0o700)
    let names = try (1...2).map { _ in
      try files.freeName(beside: "f.txt", in: root, mark: "m")
    }
    for name in names {
      let middle = name.dropFirst(".f.txt.m.".utf8.count).dropLast(".stint".utf8.count)
      #expect(name == ".f.txt.m.\(middle).stint")
      #expect(UInt64(middle, radix: 16) != nil)
      #expect(try !files.exists(name, in: root))
    }
    #expect(names[0] != names[1])
    #expect(try files.list(root) == [".f.txt.m.stint"])
    // The same of a file of another user in a sticky folder.
    let sticky = HookedFileSystem()
    sticky.setHook { (call, name) throws(StintError) in
      if call == "remove" { throw fileError("cannot remove", name, EPERM) }
    }
    #expect(try sticky.freeName("part", in: root).hasPrefix("part."))
    // Any other error is one.
    sticky.setHook { (call, name) throws(StintError) in
      if call == "remove" { throw fileError("cannot remove", name, EIO) }
    }
    expectError(errno: EIO) { try sticky.freeName("part", in: root) }
  }

  @Test("a path is resolved through links, and one behind a name that is no text is refused")
  func resolved() throws {
    // The folder of temporary files may itself be behind a link.
    let root = try FilePath(scratch.path).resolved()
    mkdir(scratch.path + "/real", 0o700)
    #expect(symlink("real", scratch.path + "/link") == 0)
    #expect(try FilePath(scratch.path + "/link").resolved() == root.appending("real"))
    expectError(.io, errno: ENOENT) { try FilePath(scratch.path + "/none").resolved() }

    let strange = Array(scratch.path.utf8CString.dropLast()) + [0x2F, -1, 0]
    #expect(mkdir(strange, 0o700) == 0)
    defer { rmdir(strange) }
    let link = scratch.path + "/to-strange"
    #expect(symlink([-1, 0], link) == 0)
    let error = expectError(.usage) { try FilePath(link).resolved() }
    #expect(
      error?.message
        == "\(link) is in a folder whose name is not UTF-8; Stint needs names in UTF-8, so use "
        + "another folder")
  }

  @Test("C8 an ancestor of the jobs about which this user may not ask is passed over")
  func ancestor() throws {
    let disk = HookedFileSystem()
    disk.setHook { (call, name) throws(StintError) in
      if call == "makeDirectory", name == "tmp" || name == "closed" {
        throw fileError("cannot make the directory", name, EACCES)
      }
    }
    mkdir(scratch.path + "/closed", 0o700)
    let path = scratch.path + "/closed/jobs"
    disk.close(try JobsDirectory.openOrMake(path, fileSystem: disk))
    #expect(access(path, F_OK) == 0)
    // The last one tells.
    expectError(errno: EACCES) {
      try JobsDirectory.openOrMake(scratch.path + "/new/closed", fileSystem: disk)
    }
    #expect(disk.open.isEmpty)
  }
}
