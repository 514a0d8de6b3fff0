import StintCore
import StintRuntime

/// The script of a chain with lines of `--setup` in the queue of this machine.
///
/// Lines that fail would use up one slice after another: the script pauses the request, and says
/// why.
struct LocalScript {
  private let chain: ChainHandOver

  init(_ chain: ChainHandOver) { self.chain = chain }

  private var lines: [Substring] {
    (chain.record.setup ?? "").split(separator: "\n", omittingEmptySubsequences: false)
  }

  private var shell: Substring {
    guard let first = lines.first, first.hasPrefix("#!") else { return "/bin/bash" }
    return first.dropFirst(2)
  }

  /// The command that runs it.
  var command: [String] {
    shell.split(separator: " ").map(String.init) + ["\(chain.path)/\(ChainJob.script)"]
  }

  var text: String {
    let own = lines.first?.hasPrefix("#!") ?? false ? lines.dropFirst() : lines[...]
    return """
      #!\(shell)
      # Each run of this request is one slice of the chain \(chain.key).
      stint_hold() {
        set +e
        trap - EXIT
        echo "stint: $1; the slices that wait are held. See: stint status \(chain.key)" >&2
        folder=\(ShellWord.quoted(chain.jobsPath))/\(QueueStore.folder)/$STINT_REQUEST
        printf %s "$1" >"$folder/held" && mv "$folder/held" "$folder/\(QueueStore.Marker.pause.rawValue)"
        exit \(ExitStatus.unavailable)
      }
      trap 'stint_hold "the lines of --setup ended with status $?"' EXIT
      \(own.joined(separator: "\n"))
      trap - EXIT
      exec \(chain.link.map(ShellWord.quoted).joined(separator: " "))

      """
  }
}
