import Glibc

/// What names this machine for good, whatever it is called (machine-id(5)).
package enum MachineIdentity {
  /// The machine's identity; its name where it has none.
  package static func current() -> String {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let text = KernelFile.text(path)?.prefix(while: { !$0.isNewline }), text.count == 32,
        text.allSatisfy(\.isHexDigit)
      else { continue }
      return String(text)
    }
    return StoreIdentity.current().host
  }
}
