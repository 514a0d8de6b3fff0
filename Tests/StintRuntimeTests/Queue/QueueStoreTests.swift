import Foundation
import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("The requests of a queue on disk")
struct QueueStoreTests {
  /// The calls that a full disk refuses.
  private static let growing: Set<FileCall.Kind> = [
    .makeDirectory, .openFile, .write, .synchronize, .rename,
  ]

  private static func store(on disk: any FileSystem) -> QueueStore {
    QueueStore(jobsPath: "/jobs", fileSystem: disk, userID: 1000)
  }

  private static func terms(_ name: String = "a") -> RequestTerms {
    var terms = RequestTerms(
      launch: LaunchRecord(words: ["/bin/true", name], directory: "/"),
      submitted: WallInstant(nanoseconds: 7), machine: "here")
    terms.name = name
    return terms
  }

  /// A disk with one request, and how many calls its process has made.
  private static func begun() throws -> (disk: FaultyFileSystem, store: QueueStore) {
    let disk = FaultyFileSystem()
    let store = store(on: disk)
    _ = try store.submit(terms("first"))
    return (disk, store)
  }

  /// How many calls something makes on a disk with one request.
  private static func calls(_ body: (QueueStore) throws -> Void) throws -> Range<Int> {
    let (disk, store) = try begun()
    let before = disk.callCount
    try body(store)
    return before + 1..<disk.callCount + 1
  }

  /// What every process finds whatever happened to a second request: the first one, and the second
  /// one whole or not at all.
  private static func expectWhole(
    _ disk: FaultyFileSystem, _ told: Comment, isThere: Bool? = nil
  ) throws {
    let store = store(on: disk)
    #expect(try store.read("1")?.terms == named("first", "1"), told)
    // The third is of an earlier look at this disk.
    let second = try store.ids().compactMap { try store.read($0) }
      .filter { $0.id != "1" && $0.terms.name != "third" }
    #expect(second.count <= 1, told)
    for request in second { #expect(request.terms == named("second", request.id), told) }
    if let isThere { #expect(second.isEmpty == !isThere, told) }
    for id in try store.ids() {
      let entry = try store.entry(id)
      #expect(entry?.isLocked != true, told)
      // A half-made folder cannot be taken either.
      if entry == nil {
        #expect((try? store.take(id)) == nil, told)
      } else {
        #expect(try store.take(id) != nil, told)
      }
    }
    // It hinders nothing, and no number is given twice.
    let next = try store.submit(terms("third"))
    #expect(next.number > (second.first?.number ?? 1), told)
    #expect(try store.read(next.id)?.terms == named("third", next.id), told)
  }

  private static func named(_ name: String, _ id: String) -> RequestTerms {
    var terms = terms(name)
    terms.needs.identifier = id
    return terms
  }

  // MARK: Submitting

  @Test(
    "Q6 R4 a disk that fails at any call takes a request whole or not at all",
    arguments: [ENOSPC, EIO])
  func failing(code: Int32) throws {
    var refused = 0
    for call in try Self.calls({ _ = try $0.submit(Self.terms("second")) }) {
      let (disk, store) = try Self.begun()
      disk.faults[call] = .fail(code)
      let request = try? store.submit(Self.terms("second"))
      refused += request == nil ? 1 : 0
      let told: Comment = "errno \(code) at call \(call)"
      // Who is told that it failed may submit it again: it is not there.
      try Self.expectWhole(disk.anotherProcess(), told, isThere: request != nil)
      if request != nil { try Self.expectWhole(disk.rebooted(.nothing), told, isThere: true) }
    }
    #expect(refused > 5)
  }

  @Test("Q6 R4 a disk that stays full takes nothing, and keeps what it has")
  func fullForGood() throws {
    let (disk, store) = try Self.begun()
    for kind in Self.growing { disk.faults.add(.diskFull, at: kind, times: .max) }
    expectError(.io, errno: ENOSPC) { try store.submit(Self.terms("second")) }
    disk.faults = [:]
    try Self.expectWhole(disk, "full", isThere: false)
  }

  @Test("Q6 C1 a kill or a loss of power at any call leaves a request, or what is none")
  func killed() throws {
    var half = 0
    for call in try Self.calls({ _ = try $0.submit(Self.terms("second")) }) {
      for fault in [FileFault.kill, .powerLoss] {
        let (disk, store) = try Self.begun()
        disk.faults[call] = fault
        // What the process did not live to tell of may be there or not.
        let request = try? store.submit(Self.terms("second"))
        let told: Comment = "\(fault) at call \(call)"
        if fault == .kill {
          half += try Self.store(on: disk.anotherProcess()).ids().count == 2 ? 1 : 0
          try Self.expectWhole(disk.anotherProcess(), told)
        }
        for survival in [FaultyFileSystem.Survival.nothing, .everything, .some(seed: 7)] {
          try Self.expectWhole(
            disk.rebooted(survival), told, isThere: request == nil ? nil : true)
        }
      }
    }
    #expect(half > 5)
  }

  @Test("Q6 a request that was submitted survives a loss of power, and so does each change of it")
  func durable() throws {
    let (disk, store) = try Self.begun()
    #expect(try Self.store(on: disk.rebooted(.nothing)).read("1") == store.read("1"))
    let lock = try #require(try store.take("1"))
    try lock.update { $0.standing.workBegan(now: WallInstant(nanoseconds: 9)) }
    let later = try Self.store(on: disk.rebooted(.nothing)).read("1")
    #expect(later?.standing.state == .running && later == lock.request)
  }

  @Test("Q6 C1 a change that fails or is cut at any call leaves the record before or after it")
  func updates() throws {
    let now = WallInstant(nanoseconds: 9)
    func change(_ store: QueueStore) throws {
      let lock = try #require(try store.take("1"))
      try lock.update { $0.standing.workBegan(now: now) }
    }
    for call in try Self.calls(change) {
      for fault in [FileFault.fail(EIO), .diskFull, .kill, .powerLoss] {
        let (disk, store) = try Self.begun()
        disk.faults[call] = fault
        let isChanged = (try? change(store)) != nil
        let told: Comment = "\(fault) at call \(call)"
        disk.faults = [:]
        let disks =
          fault == .powerLoss
          ? [disk.rebooted(.nothing), disk.rebooted(.some(seed: 3))] : [disk.anotherProcess()]
        for disk in disks {
          let found = try #require(try Self.store(on: disk).read("1"), told)
          #expect(found.terms == Self.named("first", "1"), told)
          #expect([.waiting, .running].contains(found.standing.state), told)
          if isChanged { #expect(found.standing.state == .running, told) }
          #expect(try Self.store(on: disk).take("1") != nil, told)
        }
      }
    }
  }

  @Test("Q6 a removal that is cut at any call leaves a request, or what is none")
  func removals() throws {
    for call in try Self.calls({ _ = try $0.remove("1") }) {
      for fault in [FileFault.fail(EIO), .kill, .powerLoss] {
        let (disk, store) = try Self.begun()
        disk.faults[call] = fault
        let isRemoved = (try? store.remove("1")) == true
        let told: Comment = "\(fault) at call \(call)"
        let later = Self.store(
          on: fault == .powerLoss ? disk.rebooted(.some(seed: 5)) : disk.anotherProcess())
        if fault != .powerLoss, isRemoved { #expect(try later.read("1") == nil, told) }
        if let found = try later.read("1") {
          #expect(found.terms == Self.named("first", "1"), told)
        }
        let last = try later.read("1") == nil ? 0 : 1
        #expect(try later.submit(Self.terms("next")).number > last, told)
      }
    }
  }

  // MARK: Numbers

  @Test("Q6 a number that was removed is not given again")
  func numbers() throws {
    let (_, store) = try Self.begun()
    #expect(try store.submit(Self.terms()).id == "2")
    #expect(try store.remove("2"))
    #expect(try store.read("2") == nil && store.ids() == ["1"])
    #expect(try store.submit(Self.terms()).id == "3")
    #expect(try store.remove("7") == false)
  }

  @Test("Q6 names that are no numbers of requests change no number; the last number is told")
  func oddNumbers() throws {
    let (disk, store) = try Self.begun()
    for name in ["+70", "080", "-3", "99999999999999999999", "12a", "app-0123456789abcdef", "５"] {
      disk.makeDirectories("/jobs/requests/" + name)
    }
    #expect(try store.submit(Self.terms()).id == "2")
    #expect(try store.ids() == ["app-0123456789abcdef", "1", "2"])
    disk.makeDirectories("/jobs/requests/" + String(repeating: "9", count: 18))
    expectError(.unavailable, saying: "last number") { try store.submit(Self.terms()) }
  }

  @Test(
    "a name is that of a request or is not",
    arguments: [
      ("1", true), ("42", true), ("999999999999999999", true), ("app-0123456789abcdef", true),
      ("0", false), ("01", false), ("", false), ("-1", false), ("+1", false), (" 1", false),
      ("1234567890123456789", false), ("1/2", false), ("..", false), ("app-", false),
      ("app-0123456789abcdeF", false), ("app-0123456789abcdef0", false), ("news", false),
      ("١", false),
    ])
  func names(_ name: String, isOne: Bool) {
    #expect(QueueStore.isID(name) == isOne)
  }

  // MARK: Locks

  @Test("Q6 of two takers one gets a request; a lock goes with its process")
  func takers() throws {
    let (disk, store) = try Self.begun()
    let other = disk.anotherProcess()
    let second = Self.store(on: other)
    do {
      let lock = try #require(try store.take("1"))
      #expect(try second.take("1") == nil && second.entry("1")?.isLocked == true)
      #expect(try second.remove("1") == false)
      lock.giveBack()
      #expect(try second.entry("1")?.isLocked == false)
      #expect(try second.take("1") != nil)
    }
    let dying = try #require(try second.take("1"))
    try dying.update { $0.standing.workBegan(now: WallInstant(nanoseconds: 1)) }
    #expect(try store.entry("1")?.hasVanished == false)
    other.killProcess()
    #expect(try store.entry("1")?.hasVanished == true)
    // Who takes it finds the record as it is, not as it was read before.
    #expect(try store.take("1")?.request.standing.state == .running)
    #expect(try store.take("2") == nil)
  }

  // MARK: Markers

  @Test("Q7 markers are read with the request; a reason is bounded")
  func markers() throws {
    let (_, store) = try Self.begun()
    for marker in QueueStore.Marker.allCases {
      #expect(!store.isSet(marker, for: "1"))
      try store.set(marker, to: true, with: "why", for: "1")
      #expect(store.isSet(marker, for: "1"))
    }
    let entry = try #require(try store.entry("1"))
    #expect(entry.isStopAsked && entry.isForced && entry.pause?.reason == "why")
    let lock = try #require(try store.take("1"))
    lock.clear(.stop)
    #expect(!lock.isSet(.stop) && lock.isSet(.pause))
    try store.set(.pause, to: true, with: String(repeating: "x", count: 1 << 20), for: "1")
    #expect(try store.entry("1")?.pause?.reason.count == 4_096)
    try store.set(.pause, to: false, for: "1")
    try store.set(.pause, to: false, for: "1")
    #expect(try store.entry("1")?.pause == nil)
    expectError(.usage) { try store.set(.stop, to: true, for: "../1") }
  }
}
