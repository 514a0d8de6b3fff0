import CStint
import Glibc
import StintCore
import StintRuntime

/// Starts the processes of a batch's lines and waits for them, all on one thread.
///
/// That thread lives as long as the program: the kernel tells a child of the end of the thread that
/// started it. A child is then sent SIGTERM, by which it saves and ends, so that a batch that is
/// killed leaves nothing behind and loses nothing.
///
/// A line's process that is killed cannot end what it has started. That comes to this process,
/// which adopts orphans, and is killed here. What a line leaves running when it ends by itself is
/// its own affair.
final class BatchProcesses: BatchRunner, @unchecked Sendable {
  // Unchecked: what is not constant is touched on the loop's thread alone.

  private struct Child {
    let line: Int
    let pid: Int32
    /// Whether it is the keeper of a command, whose group is that of the command.
    let isKept: Bool
    /// Readable when it has ended.
    let pidfd: Int32
    /// What its events are read from, or -1.
    var events: Int32
    /// The files of its output, which all that descends from it keeps locked.
    let output: [Int32]
    var begun: [UInt8] = []
    var isStopped = false
    /// Grants it time in a conversation.
    let server: SystemServer?
    let onEvents: @Sendable ([UInt8]) -> Void
    let onEnd: @Sendable (BatchExit) -> Void

    /// Whether it was ended by a signal, and its end is not taken yet.
    var wasKilled: Bool {
      var news = stint_child_event()
      return stint_child_peek(pid, &news) == 0 && Int(news.what) != STINT_CHILD_NOTHING
        && Int(news.what) != STINT_CHILD_EXITED
    }
  }

  /// What is each line's standard input.
  private let standardInput: String

  /// What a line does not inherit: who was the system of this process.
  private static let withheld = CommandSpecification.toldVariables + [LaunchTime.variable]

  private let program: ProgramFile
  private let helpers: [(name: String, file: ProgramFile)]
  private let defaults: [Int32]
  private let driver: SystemDriver
  private let loop: EventLoop
  private let thread = SerialThread(name: "stint-children")
  private var children: [Child] = []
  /// What lines that ended by themselves have left running.
  private var released: Set<Int32> = []
  /// Ends that are told when what the lines had started is gone, or at an instant.
  private var dying: (ends: [() -> Void], by: Instant, look: EventLoop.Token)?
  private var stopping: (by: Instant, look: EventLoop.Token, done: @Sendable () -> Void)?

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - program: The program that carries the lines out.
  ///   - helpers: The programs that it becomes for some of them.
  ///   - defaults: Signals that this process ignores and its processes should not.
  ///   - driver: The system that grants them time.
  ///   - standardInput: The file that is each line's standard input.
  /// - Throws: ``StintError`` with the code `unavailable` if no descriptor is left.
  init(
    program: ProgramFile, helpers: [(name: String, file: ProgramFile)] = [], defaults: [Int32],
    driver: SystemDriver, standardInput: String = "/dev/null"
  ) throws(StintError) {
    self.program = program
    self.standardInput = standardInput
    self.helpers = helpers
    self.defaults = defaults
    self.driver = driver
    loop = try EventLoop()
    // What the program had started that became this one is left alone, with all that comes of it.
    released = ProcessFamily.orphans(besides: [])
    if released.isEmpty { stint_adopt_orphans(1) }
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
      for child in children where lines.contains(child.line) { Glibc.kill(-child.pid, signal) }
      if signal == SIGCONT {
        for index in children.indices { children[index].isStopped = false }
      }
    }
  }

  func kill(_ lines: [Int]?, done: @escaping @Sendable () -> Void) {
    loop.post { [self] in
      let chosen = Set(children.filter { lines?.contains($0.line) ?? true }.map(\.pid))
      // What is here already was left by a line whose end has not been taken yet.
      let others = orphans
      // At once, because the kernel may end this process soon.
      for process in chosen { Glibc.kill(-process, SIGKILL) }
      ProcessFamily.kill { chosen.union(orphans.subtracting(others)) }
      done()
    }
  }

  func stopAll(by limit: Instant, done: @escaping @Sendable () -> Void) {
    loop.post { [self] in
      for child in children { Glibc.kill(-child.pid, SIGTSTP) }
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
    var output: [Int32] = []
    defer { opened.filter { !output.contains($0) }.forEach { close($0) } }
    opened.append(try open(standardInput, O_RDONLY))
    opened.append(try open(launch.outputPath, O_WRONLY | O_CREAT | O_APPEND))
    opened.append(try open(launch.errorPath, O_WRONLY | O_CREAT | O_APPEND))
    if launch.kept != .both { ftruncate(opened[1], 0) }
    if launch.kept == .nothing { ftruncate(opened[2], 0) }
    let standard = opened
    // Where there are no locks, it goes without them.
    for descriptor in standard[1...] { stint_family_lock(descriptor, 1) }
    var kept = launch.speaks ? helpers.map(\.file.descriptor) : []
    var variables = launch.speaks ? HelperProgram.variables(handingOn: helpers) : [:]
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
    var socket: Int32?
    do throws(StintError) {
      if launch.speaks {
        // Its tasks are tasks of the batch's own system.
        let made = try SystemServer.overSocket(
          driver: driver, name: "line \(launch.number)", thread: "stint-line")
        server = made.server
        made.server.start()
        socket = made.offered
        opened.append(made.offered)
        variables[SystemProtocol.deadlineVariable] = launch.deadline.map { "\($0.nanoseconds)" }
      }
      var command =
        launch.command.map { CommandSpecification($0) }
        ?? program.command(words.map { Array($0.utf8) })
      (command.variables, command.withheld) = (variables, Self.withheld)
      if launch.command != nil {
        command.keeperGrace = launch.stopGrace
        command.tell(deadline: launch.deadline, budget: launch.budget, stint: launch.stint)
      }
      (command.standard, command.kept) = (standard, kept)
      if let socket { command.offer(socket) }
      let (pid, pidfd) = try spawn(command)
      output = Array(standard[1...])
      return Child(
        line: launch.line, pid: pid, isKept: launch.command != nil, pidfd: pidfd, events: pipe[0],
        output: output, server: server,
        onEvents: onEvents, onEnd: onEnd)
    } catch {
      server?.childEnded()
      if pipe[0] >= 0 { close(pipe[0]) }
      throw error
    }
  }

  private func spawn(
    _ command: CommandSpecification
  ) throws(StintError) -> (pid: Int32, pidfd: Int32) {
    var command = command
    command.defaults = defaults
    command.deathSignal = SIGTERM
    command.locksOutput = true
    let pid: Int32
    switch command.start() {
    case .success(let started): pid = started
    case .failure(let failure): throw Self.refused("the process of a line", failure.errno)
    }
    let pidfd = stint_pidfd_open(pid)
    guard pidfd >= 0 else {
      Glibc.kill(-pid, SIGKILL)
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
    let isKilled = Int(news.what) != STINT_CHILD_EXITED
    // What it left in its group, before its number can be another's. What a command leaves running
    // that ended by itself goes on.
    if isKilled || !child.isKept { Glibc.kill(-child.pid, SIGKILL) }
    stint_child_reap(child.pid)
    // Of lines that end at once, one of them killed, it is not known who had started what.
    let takesOthers = isKilled || children.contains(where: \.wasKilled)
    if takesOthers { ProcessFamily.kill { orphans } } else { released.formUnion(orphans) }
    loop.unwatch(child.pidfd)
    close(child.pidfd)
    for descriptor in child.output {
      // Of what was killed the locks are given back when it is gone.
      if !isKilled { stint_family_lock(descriptor, 0) }
      close(descriptor)
    }
    child.server?.childEnded()
    let value = news.value
    tell(after: takesOthers) { child.onEnd(isKilled ? .signalled(value) : .exited(value)) }
    lookForStops()
  }

  // MARK: What lines leave behind

  /// How long what was killed is waited for; it may wait for a device.
  private static let deathMayTake = Duration.seconds(1)

  /// Children that nobody here has started, but for those that were left in a line's own time.
  private var orphans: Set<Int32> {
    ProcessFamily.orphans(besides: released.union(children.map(\.pid)))
  }

  /// Tells an end, once what was killed is gone.
  private func tell(after hasKilled: Bool, _ end: @escaping () -> Void) {
    released.subtract(ProcessFamily.reap(released))
    if dying == nil, !hasKilled || !isAnythingLeft() { return end() }
    let look =
      dying?.look
      ?? loop.schedule(every: .milliseconds(5), from: BootClock.now) { [weak self] in
        self?.lookForDeaths()
      }
    let ends = (dying?.ends ?? []) + [end]
    dying = (ends, BootClock.now.advanced(by: Self.deathMayTake), look)
  }

  private func lookForDeaths() {
    guard let dying, !isAnythingLeft() || BootClock.now >= dying.by else { return }
    self.dying = nil
    loop.cancel(dying.look)
    dying.ends.forEach { $0() }
  }

  /// Whether orphans are not gone yet; they have been killed.
  private func isAnythingLeft() -> Bool {
    _ = ProcessFamily.reap(orphans)
    return ProcessFamily.kill { orphans }
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
      if isLate, !children[index].isStopped { Glibc.kill(-children[index].pid, SIGSTOP) }
    }
    guard isLate || children.allSatisfy(\.isStopped) else { return }
    self.stopping = nil
    loop.cancel(stopping.look)
    stopping.done()
  }
}
