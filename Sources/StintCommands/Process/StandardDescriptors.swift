import Glibc

/// Keeps descriptors 0, 1 and 2 from being taken by files that are opened later.
enum StandardDescriptors {
  /// Fills those that were closed at the start; to be called before anything is opened.
  ///
  /// A checkpoint that got descriptor 2 would have messages written into it. A result that was to
  /// go to a closed standard output must fail, so that one is filled with something that cannot be
  /// written.
  static func fill() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
    ] where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is the one that is missing.
      _ = open("/dev/null", mode)
    }
  }
}
