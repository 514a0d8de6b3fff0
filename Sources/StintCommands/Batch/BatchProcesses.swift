import CStint
import Glibc
import StintCore
import StintRuntime

/// Starts the processes of a batch's lines and waits for them, all on one thread.
///
/// That thread lives as long as the program: the kernel tells a child of the end of the thread that
/// started it. A child is then sent SIGTERM, by which it saves and ends, so that a batch that is
/// killed leaves nothing behind and loses nothing.
final class BatchProcesses: BatchRunner, @unchecked Sendable {
  // Unchecked: what is not constant is touched on the loop's thread alone.

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

  private let program: String
  private let environment: [String: String]
  private let defaults: [Int32]
  private let driver: SystemDriver
  private let loop: EventLoop
  private let thread = SerialThread(name: "stint-children")
  private var children: [Child] = []
  private var stopping: (by: Instant, look: EventLoop.Token, done: @Sendable () -> Void)?

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
    self.program = program
    self.environment = environment
    self.defaults = defaults
    self.driver = driver
    loop = try EventLoop()
    thread.enqueue { [loop] in loop.run() }
  }

  // MARK: Requests

  func start(
    _ launch: BatchLaunch, events: @escaping @Sendable ([UInt8]) -> Void,
    end: @escaping @Sendable (BatchExit) -> Void
  ) {
    loop.post { [self] in
      do throws(StintError) {
        let child = try make(launch, events, end)
        children.append(child)
        // What it has said is taken before its end. Its end is taken, whoever still holds this.
        if child.events >= 0 { loop.watch(child.events) { self.readEvents(of: child.pid) } }
        loop.watch(child.pidfd) { self.takeEnd(of: child.pid) }
      } catch {
        end(.notStarted(error))
      }
    }
  }

  func send(_ signal: Int32, to lines: [Int]) {
    loop.post { [self] in
      for child in children where lines.contains(child.line) { kill(-child.pid, signal) }
      if signal == SIGCONT {
        for index in children.indices { children[index].isStopped = false }
      }
    }
  }

  func killAll(done: @escaping @Sendable () -> Void) {
    loop.post { [self] in
      for child in children { kill(-child.pid, SIGKILL) }
      done()
    }
  }

  func stopAll(by limit: Instant, done: @escaping @Sendable () -> Void) {
    loop.post { [self] in
      for child in children { kill(-child.pid, SIGTSTP) }
      if let stopping { loop.cancel(stopping.look) }
      // No descriptor says that a child was stopped.
      let look = loop.schedule(every: .milliseconds(10), from: BootClock.now) { [weak self] in
        self?.lookForStops()
      }
      stopping = (limit, look, done)
    }
  }

  private func make(
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
    var variables: [String: String] = [:]
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
        variables[SystemProtocol.descriptorVariable] = "\(socket)"
        variables[SystemProtocol.ownerVariable] = "\(getpid())"
        variables[SystemProtocol.deadlineVariable] = launch.deadline.map { "\($0.nanoseconds)" }
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

  /// Makes the conversation in which a process is granted its time: its tasks are tasks of the
  /// batch's own system.
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
    _ words: [String], _ variables: [String: String], standard: [Int32], kept: [Int32]
  ) throws(StintError) -> (pid: Int32, pidfd: Int32) {
    var command = CommandSpecification([program] + words)
    command.variables = environment.merging(variables) { _, own in own }
    command.inherits = false
    (command.standard, command.kept, command.defaults) = (standard, kept, defaults)
    command.deathSignal = SIGTERM
    command.locksOutput = true
    let pid: Int32
    switch command.start() {
    case .success(let started): pid = started
    case .failure(let failure): throw Self.refused("the process of a line", failure.errno)
    }
    let pidfd = stint_pidfd_open(pid)
    guard pidfd >= 0 else {
      kill(-pid, SIGKILL)
      stint_child_reap(pid)
      throw Self.refused("a descriptor of a process", -pidfd)
    }
    return (pid, pidfd)
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

  /// Takes what a process has said, but no more than a pipe holds.
  ///
  /// One that never stops must not keep this thread from the others.
  private func readEvents(of pid: Int32) {
    guard let index = children.firstIndex(where: { $0.pid == pid }) else { return }
    var buffer = [UInt8](repeating: 0, count: Self.pipeBytes)
    let count = read(children[index].events, &buffer, buffer.count)
    guard count > 0 else {
      // At the end nobody has the other side any more.
      if count == 0 { closeEvents(of: index) }
      return
    }
    children[index].begun += buffer.prefix(count)
    guard let end = children[index].begun.lastIndex(of: UInt8(ascii: "\n")) else {
      // No event is that long, so this is something else and is dropped.
      if children[index].begun.count > 1 << 20 { children[index].begun = [] }
      return
    }
    let whole = Array(children[index].begun[...end])
    children[index].begun.removeSubrange(...end)
    children[index].onEvents(whole)
  }

  /// What a pipe holds that nobody made larger (pipe(7)).
  private static let pipeBytes = 1 << 16

  private func closeEvents(of index: Int) {
    guard children[index].events >= 0 else { return }
    loop.unwatch(children[index].events)
    close(children[index].events)
    children[index].events = -1
  }

  private func takeEnd(of pid: Int32) {
    var news = stint_child_event()
    guard let index = children.firstIndex(where: { $0.pid == pid }),
      stint_child_peek(pid, &news) == 0, Int(news.what) != STINT_CHILD_NOTHING
    else { return }
    if children[index].events >= 0 { readEvents(of: pid) }
    closeEvents(of: index)
    let child = children.remove(at: index)
    // What it left in its group, before its number can be another's.
    kill(-child.pid, SIGKILL)
    stint_child_reap(child.pid)
    loop.unwatch(child.pidfd)
    close(child.pidfd)
    child.server?.childEnded()
    child.onEnd(
      Int(news.what) == STINT_CHILD_EXITED ? .exited(news.value) : .signalled(news.value))
    lookForStops()
  }

  private func lookForStops() {
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
    loop.cancel(stopping.look)
    stopping.done()
  }
}
