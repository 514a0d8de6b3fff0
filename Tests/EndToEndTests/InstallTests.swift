import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("What make install leaves")
  struct InstallTests {
    @Test(
      "DESTDIR and PREFIX are kept to, and the installed stint finds stint-images from anywhere, with next to no PATH"
    )
    func installed() async throws {
      let scratch = try Scratch()
      let bin = (try Programs.stint() as NSString).deletingLastPathComponent
      // As it stands in the Makefile, but for the build before it.
      try await StintProcess(
        [
          "/usr/bin/make", "-C", Programs.root, "--no-print-directory", "-o", "build", "install",
          "BIN=\(bin)", "DESTDIR=\(scratch("a stage"))", "PREFIX=/opt/stint",
        ], in: scratch
      ).wait().requireExit(0)
      let tree = FileManager.default.enumerator(atPath: scratch("a stage"))
      let files = (tree?.allObjects as? [String] ?? []).filter {
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(
          atPath: scratch("a stage/\($0)"), isDirectory: &isFolder)
        return !isFolder.boolValue
      }
      #expect(
        files.sorted() == [
          "opt/stint/bin/.debug/stint.debug", "opt/stint/bin/stint",
          "opt/stint/lib/systemd/user/stint-serve.service",
          "opt/stint/lib/systemd/user/stint-wake.service",
          "opt/stint/lib/systemd/user/stint-wake.timer",
          "opt/stint/libexec/stint/.debug/stint-images.debug",
          "opt/stint/libexec/stint/stint-images",
          "opt/stint/share/doc/stint/LICENSE",
          "opt/stint/share/doc/stint/LICENSES/GPL-3.txt",
          "opt/stint/share/doc/stint/LICENSES/LGPL-2.1.txt",
          "opt/stint/share/doc/stint/LICENSES/LGPL-3.txt",
          "opt/stint/share/doc/stint/NOTICE",
        ])
      let unit = try String(
        contentsOfFile: scratch("a stage/opt/stint/lib/systemd/user/stint-serve.service"),
        encoding: .utf8)
      #expect(unit.contains("\nExecStart=/opt/stint/bin/stint serve"))
      let symbols = try await StintProcess(
        ["/usr/bin/nm", scratch("a stage/opt/stint/bin/stint")], in: scratch
      ).wait()
      #expect(symbols.text.isEmpty, "it is stripped")
      try Picture.write(to: "in.tif", in: scratch, width: 70, height: 90)
      let stint = scratch("a stage/opt/stint/bin/stint")
      let link = scratch("stint")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: stint)
      for (program, output) in [(stint, "a.png"), (link, "b.png")] {
        try await StintProcess(
          [
            "/usr/bin/env", "-i", "-C", "/", "PATH=/nowhere", "HOME=\(scratch.path)", program,
            "run", "image", scratch("in.tif"), scratch(output), "--filter", "invert",
          ], in: scratch
        ).wait().expectExit(0)
        #expect(scratch.exists(output))
      }
      let doctor = try await StintProcess([stint, "doctor"], in: scratch).wait()
      #expect(
        doctor.text.contains("libexec/stint/stint-images")
          && !doctor.text.contains("another version"),
        "\(doctor.text)")
    }
  }
}
