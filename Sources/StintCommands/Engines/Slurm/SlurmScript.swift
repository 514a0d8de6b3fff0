import StintCore

/// What Slurm is given of a chain: a script, and the command that hands it over.
///
/// The words that the user has for `sbatch` come last on that command, and count where they say
/// something else than a chain does: its name, its folder, a warning signal. A chain says itself
/// which tasks it has, that they are not requeued, and where they write;
/// ``SbatchWords/check(_:of:)`` refuses words on these.
struct SlurmScript: Hashable, Sendable {
  private let chain: ChainHandOver

  init(_ chain: ChainHandOver) { self.chain = chain }

  /// The script that each task of the array runs.
  ///
  /// A node that reaches neither the program nor the chain would use up one slice after another,
  /// and so would lines of the user that fail: the script holds the tasks that wait, and says why
  /// in the comment of the job, which Slurm keeps.
  var text: String {
    // In a comment a line break would begin a command.
    let title = String(chain.record.launch.text.map { $0.isNewline ? " " : $0 })
    let setup = chain.record.setup.map(Self.lines)
    return """
      \(setup?.shell ?? "#!/bin/sh")
      # stint \(title)
      # Each task of this array is one slice of the chain \(chain.key): it continues where the one before ended.
      \(setup?.directives ?? "")stint_hold() {
        # scontrol ends with 1 as soon as a task of the array has ended.
        set +e
        trap - EXIT
        echo "stint: $1; the slices that wait are held. See: stint status \(chain.key)" >&2
        scontrol update "JobId=$SLURM_ARRAY_JOB_ID" "Comment=\(Self.mark)$1 (node $SLURMD_NODENAME)" >/dev/null 2>&1
        scontrol hold "$SLURM_ARRAY_JOB_ID" >/dev/null 2>&1
        exit \(ExitStatus.unavailable)
      }
      [ -x \(ShellWord.quoted(chain.program)) ] || stint_hold \(Self.unreachable(chain.program))
      [ -d \(ShellWord.quoted(chain.path)) ] || stint_hold \(Self.unreachable(chain.path))
      \(setup.map { Self.guarded($0.lines) } ?? "")exec \(chain.link.map(ShellWord.quoted).joined(separator: " "))

      """
  }

  /// How a comment begins that a chain writes.
  static let mark = "stint: "

  private static func unreachable(_ path: String) -> String {
    // The comment is one line, and Slurm shows it in a table.
    let shown = String(path.map { $0.isNewline ? "?" : $0 })
    return ShellWord.quoted("\(shown) cannot be reached")
  }

  /// The user's lines, and what is said if one of them ends the script.
  private static func guarded(_ lines: String) -> String {
    """
    trap 'stint_hold "the lines of --setup ended with status $?"' EXIT
    \(lines)
    trap - EXIT

    """
  }

  /// The user's lines: which shell runs them, what they say to `sbatch`, and the rest.
  private static func lines(_ text: String) -> (shell: String, directives: String, lines: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    // Functions such as `module` come with this one.
    var shell = "#!/bin/bash"
    if let first = lines.first, first.hasPrefix("#!") {
      shell = String(first)
      lines.removeFirst()
    }
    // sbatch reads them before the first command only.
    let directives = lines.filter { $0.hasPrefix("#SBATCH") }.map { $0 + "\n" }.joined()
    return (shell, directives, lines.filter { !$0.hasPrefix("#SBATCH") }.joined(separator: "\n"))
  }

  /// The command that submits the script from the chain's directory.
  ///
  /// One task more than there are slices: where the last one is killed, it judges that.
  var command: [String] {
    [
      "sbatch", "--parsable", "--job-name=\(chain.key)", "--array=1-\(chain.record.tasks)%1",
      "--no-requeue", "--open-mode=append", "--chdir=\(chain.record.launch.directory)",
      // In this one, sbatch replaces what follows a per cent sign.
      "--output=\(chain.path.escaped(["%": "%%"]))/\(ChainJob.log)",
    ] + chain.record.options + ["\(chain.path)/\(ChainJob.script)"]
  }
}
