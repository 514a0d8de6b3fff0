/// Which calls of a process go wrong: by their number, by their name, or by chance.
///
/// A number comes before a name, and a name before chance.
public struct FaultPlan: Sendable {
  private struct Rule: Sendable {
    var fault: FileFault
    var kind: FileCall.Kind
    var pathSuffix: String
    var skipping: Int
    var times: Int
  }

  private struct Chance: Sendable {
    var faults: [FileFault]
    var probability: Double
    var kinds: Set<FileCall.Kind>
    var generator: SeededGenerator
  }

  private var numbered: [Int: FileFault] = [:]
  private var rules: [Rule] = []
  private var chances: [Chance] = []

  /// Creates a plan by which nothing goes wrong.
  public init() {}

  /// The fault at the call with this number; the first call of a process is number 1.
  public subscript(number: Int) -> FileFault? {
    get { numbered[number] }
    set { numbered[number] = newValue }
  }

  /// Lets calls of one kind go wrong.
  ///
  /// - Parameters:
  ///   - fault: What happens.
  ///   - kind: At which calls.
  ///   - pathSuffix: How the paths end that are meant; empty for all.
  ///   - skipping: So many of these calls are well before that.
  ///   - times: How many go wrong, one after another.
  public mutating func add(
    _ fault: FileFault, at kind: FileCall.Kind, pathSuffix: String = "", skipping: Int = 0,
    times: Int = 1
  ) {
    rules.append(
      Rule(fault: fault, kind: kind, pathSuffix: pathSuffix, skipping: skipping, times: times))
  }

  /// Lets calls go wrong by chance.
  ///
  /// - Parameters:
  ///   - faults: What happens, one of them each time.
  ///   - probability: How likely it is at each call.
  ///   - seed: Decides when and which.
  ///   - kinds: At which calls.
  public mutating func scatter(
    _ faults: [FileFault], probability: Double, seed: UInt64,
    kinds: Set<FileCall.Kind> = Set(FileCall.Kind.allCases)
  ) {
    precondition(!faults.isEmpty, "there must be a fault to scatter")
    chances.append(
      Chance(
        faults: faults, probability: probability, kinds: kinds,
        generator: SeededGenerator(seed: seed)))
  }

  /// Whether nothing is planned.
  var isEmpty: Bool { numbered.isEmpty && rules.isEmpty && chances.isEmpty }

  /// What happens at a call; the plan advances by one call.
  mutating func fault(at call: FileCall, number: Int) -> FileFault? {
    // Each chance draws at each of its calls, so that another fault does not move it.
    var drawn: FileFault?
    for index in chances.indices where chances[index].kinds.contains(call.kind) {
      guard chances[index].generator.chance(chances[index].probability) else { continue }
      drawn = drawn ?? chances[index].faults.randomElement(using: &chances[index].generator)
    }
    var named: FileFault?
    for index in rules.indices
    where rules[index].kind == call.kind && rules[index].times > 0
      && (rules[index].pathSuffix.isEmpty || call.path.hasSuffix(rules[index].pathSuffix))
    {
      if rules[index].skipping > 0 {
        rules[index].skipping -= 1
      } else if named == nil {
        named = rules[index].fault
        rules[index].times -= 1
      }
    }
    return numbered[number] ?? named ?? drawn
  }
}

extension FaultPlan: ExpressibleByDictionaryLiteral {
  /// Creates a plan of faults by the numbers of their calls.
  public init(dictionaryLiteral elements: (Int, FileFault)...) {
    numbered = Dictionary(uniqueKeysWithValues: elements)
  }
}
