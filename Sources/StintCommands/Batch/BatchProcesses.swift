import CStint
import Glibc
import StintCore
import StintRuntime

/// Starts the processes of a batch's lines and waits for them, all on one thread.
///
/// That thread lives as long as the program: the kernel tells a child of the end of the thread that started it. A child is
/// then sent SIGTERM, by which it saves and ends, so that a batch that is killed leaves nothing behind and loses nothing.
final class BatchProcesses: BatchRunner {
  /// What other threads ask of the thread.
  private enum Request: Sendable {
    case start(BatchLaunch, @Sendable ([UInt8]) -> Void, @Sendable (BatchExit) -> Void)
    case send(Int32, to: [Int])
    case killAll(done: @Sendable () -> Void)
    case stopAll(by: Instant, done: @Sendable () -> Void)
  }

  private let requests = Protected<[Request]>([])
  private let event: Int32
  private let thread = SerialThread(name: "stint-children")

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - program: The path of the program that carries the lines out.
  ///   - environment: The variables of its processes.
  ///   - defaults: Signals that this process ignores and its processes should not.
  ///   - driver: The system that grants them time.
  /// - Throws: ``StintError`` with the code `unavailable` if no descriptor is left.
  init(
    program: String, environment: [String: String], defaults: [Int32], driver: SystemDriver
  ) throws(StintError) {
    let event = stint_event_open()
    guard event >= 0 else {
      throw StintError(
        .unavailable,
        "No descriptor is left to wait for processes with; raise the limit (ulimit -n).",
        errno: -event)
    }
    self.event = event
    let requests = requests
    thread.enqueue {
      var loop = Loop(
        program: program, environment: environment, defaults: defaults, driver: driver,
        event: event)
      while true {
        for request in requests.withLock({ take(&$0) }) { loop.obey(request) }
        loop.wait()
      }
    }
  }

  private func ask(_ request: Request) {
    requests.withLock { $0.append(request) }
    stint_event_signal(event)
  }

  func start(
    _ launch: BatchLaunch, events: @escaping @Sendable ([UInt8]) -> Void,
    end: @escaping @Sendable (BatchExit) -> Void
  ) {
    ask(.start(launch, events, end))
  }

  func send(_ signal: Int32, to lines: [Int]) {
    ask(.send(signal, to: lines))
  }

  func killAll(done: @escaping @Sendable () -> Void) {
    ask(.killAll(done: done))
  }

  func stopAll(by limit: Instant, done: @escaping @Sendable () -> Void) {
    ask(.stopAll(by: limit, done: done))
  }
}

/// Takes what is in a list out of it.
private func take<Element>(_ list: inout [Element]) -> [Element] {
  defer { list = [] }
  return list
}

extension BatchProcesses {
  /// A process that runs.
  private struct Child {
    let line: Int
    let pid: Int32
    /// Readable when it has ended.
    let pidfd: Int32
    /// What its events are read from, or -1.
    var events: Int32
    var begun: [UInt8] = []
    var isStopped = false
    /// Grants it time in a conversation.
    let server: SystemServer?
    let onEvents: @Sendable ([UInt8]) -> Void
    let onEnd: @Sendable (BatchExit) -> Void
  }

  /// What the thread knows; nobody else touches it.
  private struct Loop {
    let program: String
    let environment: [String]
    let defaults: [Int32]
    let driver: SystemDriver
    let event: Int32
    var children: [Child] = []
    var stopping: (by: Instant, done: @Sendable () -> Void)?

    init(
      program: String, environment: [String: String], defaults: [Int32], driver: SystemDriver,
      event: Int32
    ) {
      self.program = program
      self.environment = environment.map { "\($0)=\($1)" }
      self.defaults = defaults
      self.driver = driver
      self.event = event
    }

    // MARK: Requests

    mutating func obey(_ request: Request) {
      switch request {
      case .start(let launch, let onEvents, let onEnd):
        do throws(StintError) {
          children.append(try start(launch, onEvents, onEnd))
        } catch {
          onEnd(.notStarted(error))
        }
      case .send(let signal, let lines):
        for child in children where lines.contains(child.line) { kill(-child.pid, signal) }
        if signal == SIGCONT {
          for index in children.indices { children[index].isStopped = false }
        }
      case .killAll(let done):
        for child in children { kill(-child.pid, SIGKILL) }
        done()
      case .stopAll(let limit, let done):
        for child in children { kill(-child.pid, SIGTSTP) }
        stopping = (limit, done)
      }
    }

    private func start(
      _ launch: BatchLaunch, _ onEvents: @escaping @Sendable ([UInt8]) -> Void,
      _ onEnd: @escaping @Sendable (BatchExit) -> Void
    ) throws(StintError) -> Child {
      var opened: [Int32] = []
      // The child has its own of each by the time the call returns.
      defer { opened.forEach { close($0) } }
      opened.append(try open("/dev/null", O_RDONLY))
      opened.append(try open(launch.outputPath, O_WRONLY | O_CREAT | O_APPEND))
      opened.append(try open(launch.errorPath, O_WRONLY | O_CREAT | O_APPEND))
      if launch.kept != .both { ftruncate(opened[1], 0) }
      if launch.kept == .nothing { ftruncate(opened[2], 0) }
      let standard = opened
      var kept: [Int32] = []
      var variables: [String] = []
      var pipe: [Int32] = [-1, -1]
      if launch.wantsEvents {
        guard Glibc.pipe(&pipe) == 0 else { throw Self.refused("a pipe", errno) }
        opened.append(pipe[1])
        kept.append(pipe[1])
        // No other thread of this process starts programs, so none gets them in between.
        for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(pipe[0], F_SETFL, O_NONBLOCK)
      }
      let words = launch.arguments.map {
        $0 == BatchLaunch.eventsPlace ? "/dev/fd/\(pipe[1])" : $0
      }
      var server: SystemServer?
      do throws(StintError) {
        if launch.speaks {
          let (made, socket) = try serve(launch)
          server = made
          opened.append(socket)
          kept.append(socket)
          variables = [
            "\(SystemProtocol.descriptorVariable)=\(socket)",
            "\(SystemProtocol.ownerVariable)=\(getpid())",
          ]
          if let deadline = launch.deadline {
            variables.append("\(SystemProtocol.deadlineVariable)=\(deadline.nanoseconds)")
          }
        }
        let (pid, pidfd) = try spawn(words, variables, standard: standard, kept: kept)
        return Child(
          line: launch.line, pid: pid, pidfd: pidfd, events: pipe[0], server: server,
          onEvents: onEvents, onEnd: onEnd)
      } catch {
        server?.childEnded()
        if pipe[0] >= 0 { close(pipe[0]) }
        throw error
      }
    }

    /// Makes the conversation in which a process is granted its time: its tasks are tasks of the batch's own system.
    private func serve(_ launch: BatchLaunch) throws(StintError) -> (SystemServer, Int32) {
      var (own, childs) = (Int32(-1), Int32(-1))
      let status = stint_socket_pair(&own, &childs)
      guard status == 0 else { throw Self.refused("a pair of sockets", -status) }
      do throws(StintError) {
        let transport = try SocketTransport(descriptor: own, name: "stint-line")
        let server = SystemServer(
          driver: driver, name: "line \(launch.number)", transport: transport, holdsPresence: false)
        server.start()
        return (server, childs)
      } catch {
        close(own)
        close(childs)
        throw error
      }
    }

    private func spawn(
      _ words: [String], _ variables: [String], standard: [Int32], kept: [Int32]
    ) throws(StintError) -> (pid: Int32, pidfd: Int32) {
      let arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
      let variables: [UnsafeMutablePointer<CChar>?] =
        (environment + variables).map { strdup($0) } + [nil]
      defer { (arguments + variables).forEach { free($0) } }
      var result = stint_spawn_result()
      let status = arguments.withUnsafeBufferPointer { arguments in
        variables.withUnsafeBufferPointer { variables in
          (standard + kept + defaults).withUnsafeBufferPointer { numbers in
            // Three, then what is kept, then the signals.
            let first = numbers.baseAddress!
            var request = stint_spawn_request(
              arguments: arguments.baseAddress!, environment: variables.baseAddress!,
              kept: first + 3, kept_count: Int32(kept.count), standard: first,
              death_signal: SIGTERM, defaults: first + 3 + kept.count,
              defaults_count: Int32(defaults.count), leads_group: 1, terminal: -1, cgroup: -1,
              locks_output: 1)
            return stint_spawn(&request, &result)
          }
        }
      }
      guard status == 0 else { throw Self.refused("the process of a line", result.error) }
      let pidfd = stint_pidfd_open(result.pid)
      guard pidfd >= 0 else {
        kill(-result.pid, SIGKILL)
        stint_child_reap(result.pid)
        throw Self.refused("a descriptor of a process", -pidfd)
      }
      return (result.pid, pidfd)
    }

    private func open(_ path: String, _ flags: Int32) throws(StintError) -> Int32 {
      let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NOCTTY, 0o600)
      guard descriptor >= 0 else { throw Self.refused(path, errno) }
      return descriptor
    }

    private static func refused(_ what: String, _ code: Int32) -> StintError {
      StintError(.io, "cannot make \(what): \(String(cString: strerror(code)))", errno: code)
    }

    // MARK: Waiting

    mutating func wait() {
      var polled = [pollfd(fd: event, events: Int16(POLLIN), revents: 0)]
      for child in children {
        polled.append(pollfd(fd: child.pidfd, events: Int16(POLLIN), revents: 0))
        // A negative one is passed over by the kernel.
        polled.append(pollfd(fd: child.events, events: Int16(POLLIN), revents: 0))
      }
      // No descriptor says that a child was stopped.
      if poll(&polled, nfds_t(polled.count), stopping == nil ? -1 : 10) < 0 { return }
      if polled[0].revents != 0 {
        var count: UInt64 = 0
        _ = read(event, &count, MemoryLayout.size(ofValue: count))
      }
      for index in children.indices where polled[2 + 2 * index].revents != 0 {
        readEvents(of: index)
      }
      for index in children.indices.reversed() where polled[1 + 2 * index].revents != 0 {
        takeEnd(of: index)
      }
      lookForStops()
    }

    /// Takes what a process has said, but no more than a pipe holds.
    ///
    /// One that never stops must not keep this thread from the others.
    private mutating func readEvents(of index: Int) {
      var buffer = [UInt8](repeating: 0, count: Self.pipeBytes)
      let count = read(children[index].events, &buffer, buffer.count)
      guard count > 0 else {
        // At the end nobody has the other side any more.
        if count == 0 { closeEvents(of: index) }
        return
      }
      children[index].begun += buffer.prefix(count)
      guard let end = children[index].begun.lastIndex(of: UInt8(ascii: "\n")) else {
        // No event is that long: whatever it is, it is not kept.
        if children[index].begun.count > 1 << 20 { children[index].begun = [] }
        return
      }
      let whole = Array(children[index].begun[...end])
      children[index].begun.removeSubrange(...end)
      children[index].onEvents(whole)
    }

    /// What a pipe holds that nobody made larger (pipe(7)).
    private static let pipeBytes = 1 << 16

    private mutating func closeEvents(of index: Int) {
      guard children[index].events >= 0 else { return }
      close(children[index].events)
      children[index].events = -1
    }

    private mutating func takeEnd(of index: Int) {
      var news = stint_child_event()
      guard stint_child_peek(children[index].pid, &news) == 0, Int(news.what) != STINT_CHILD_NOTHING
      else { return }
      if children[index].events >= 0 { readEvents(of: index) }
      closeEvents(of: index)
      let child = children.remove(at: index)
      // What it left in its group, before its number can be another's.
      kill(-child.pid, SIGKILL)
      stint_child_reap(child.pid)
      close(child.pidfd)
      child.server?.childEnded()
      child.onEnd(
        Int(news.what) == STINT_CHILD_EXITED ? .exited(news.value) : .signalled(news.value))
    }

    private mutating func lookForStops() {
      guard let stopping else { return }
      let isLate = BootClock.now >= stopping.by
      for index in children.indices where !children[index].isStopped {
        var news = stint_child_event()
        while stint_child_next_stop(children[index].pid, &news) == 0 {
          if Int(news.what) == STINT_CHILD_NOTHING { break }
          children[index].isStopped = Int(news.what) == STINT_CHILD_STOPPED
        }
        if isLate, !children[index].isStopped { kill(-children[index].pid, SIGSTOP) }
      }
      guard isLate || children.allSatisfy(\.isStopped) else { return }
      self.stopping = nil
      stopping.done()
    }
  }
}
