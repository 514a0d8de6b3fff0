import StintCore
import Testing

@Suite("Reading JSON")
struct JSONObjectTests {
  private func read(_ text: String) throws -> JSONObject {
    try JSONObject(Array(text.utf8))
  }

  @Test("members are read by name, with every escape")
  func members() throws {
    let object = try read(
      #" { "a" : "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude80" , "b":-12, "c":true,"d":false ,"e":1.5, "f":{}} "#
    )
    #expect(object["a"] == .text("\"\\/\u{8}\u{c}\n\r\té🚀"))
    #expect(object["b"] == .number("-12"))
    #expect(object["c"] == .truth(true))
    #expect(object["d"] == .truth(false))
    #expect(object["b"]?.integer() == -12)
    #expect(object["b"]?.integer(UInt8.self) == nil, "it does not fit")
    #expect(object["e"] == .number("1.5"))
    #expect(object["e"]?.double == 1.5)
    #expect(object["e"]?.integer(Int.self) == nil)
    #expect(object["f"]?.object?.members.isEmpty == true)
    #expect(object["g"] == nil)
    #expect(try read("{}").members.isEmpty)
    #expect(try read(#"{"a":null}"#)["a"] == nil)
  }

  @Test(
    "what is no object of JSON is refused",
    arguments: [
      "", " ", "null", "[]", "1", "\"a\"", "{", "}", "{}x", "{}{}", #"{"a"}"#, #"{"a":}"#,
      #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1 "b":2}"#, #"{a:1}"#, #"{'a':1}"#, #"{"a":01}"#,
      #"{"a":+1}"#, #"{"a":-}"#, #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":1e}"#, #"{"a":NaN}"#,
      #"{"a":truE}"#, #"{"a":tru}"#, #"{"a":[1,]}"#, #"{"a":[}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#,
      #"{"a":"\u+123"}"#, #"{"a":"\ud800"}"#, #"{"a":"\ud800\u0041"}"#, #"{"a":"\udc00"}"#,
      "{\"a\":\"\n\"}", "{\"a\":\"\u{1}\"}", #"{"a":"b"#, #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#,
      "\u{feff}{}", #"{"a":{"b":1,"b":2}}"#,
    ])
  func refused(text: String) {
    #expect(throws: JSONFault.self) { try read(text) }
  }

  @Test("text that is not UTF-8 is refused, at every place")
  func notText() {
    for bytes in [
      [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82],
    ] {
      let spoiled = bytes.map { UInt8($0) }
      #expect(throws: JSONFault.self) {
        try JSONObject(Array(#"{"a":""#.utf8) + spoiled + Array(#""}"#.utf8))
      }
      #expect(throws: JSONFault.self) { try JSONObject(spoiled) }
    }
  }

  @Test("what follows an escape in a text is looked at as what is before it")
  func afterEscape() throws {
    func object(_ bytes: [UInt8]) throws -> JSONObject {
      try JSONObject(Array(#"{"a":"\n"#.utf8) + bytes + Array(#""}"#.utf8))
    }
    #expect(try object(Array("é".utf8))["a"] == .text("\né"))
    #expect(throws: JSONFault("a text is not UTF-8")) { try object([0xc3]) }
    #expect(throws: JSONFault("a text is not UTF-8")) { try object([0xff, 0x62]) }
    for byte: UInt8 in 0..<32 {
      #expect(throws: JSONFault("a text holds a control character")) { try object([byte]) }
    }
  }

  @Test("two names that only look alike are two names")
  func spellings() throws {
    let object = try read("{\"\u{e9}\":1,\"e\u{301}\":2}")
    #expect(object.members.count == 2)
  }

  @Test("nesting is bounded, so that a line of brackets takes no stack")
  func depth() throws {
    let most = JSONObject.maximumDepth - 1
    let nested = String(repeating: "[", count: most) + String(repeating: "]", count: most)
    #expect(try read(#"{"a":\#(nested)}"#)["a"] != nil)
    #expect(throws: JSONFault.self) { try read(#"{"a":[\#(nested)]}"#) }
    #expect(throws: JSONFault.self) {
      try read(#"{"a":"# + String(repeating: "{\"a\":", count: 600))
    }
  }

  @Test("two names that are the same are refused among many names, too")
  func manyNames() throws {
    let names = (0..<100).map { "\"n\($0)\":1" }
    #expect(try read("{\(names.joined(separator: ","))}").members.count == 100)
    for twice in ["n3", "n99"] {
      #expect(throws: JSONFault.self) {
        try read("{\(names.joined(separator: ",")),\"\(twice)\":2}")
      }
    }
  }

  @Test("a member of another kind is refused by its name, one that is missing or null is not there")
  func kinds() throws {
    let object = try read(
      #"{"t":"x","n":1.5,"i":-3,"l":["a","b"],"m":["a",1],"k":["a",null],"z":null,"h":1e999}"#)
    #expect(try object.text("t") == "x")
    #expect(try object.number("n") == 1.5)
    #expect(try object.seconds("n") == .milliseconds(1500))
    #expect(try object.integer("i") == -3)
    #expect(try object.optionalTexts("l") == ["a", "b"])
    #expect(try object.optionalText("z") == nil)
    #expect(try object.optionalNumber("y") == nil)
    let refused: [(String, String)] = [
      ("n", #""n" is not a text"#), ("z", #""z" is missing"#), ("y", #""y" is missing"#),
    ]
    for (name, reason) in refused {
      #expect(throws: JSONFault(reason)) { try object.text(name) }
    }
    #expect(throws: JSONFault(#""i" is not a whole number that fits"#)) {
      let _: UInt64 = try object.integer("i")
    }
    #expect(throws: JSONFault(#""h" is not a number"#)) { try object.number("h") }
    for name in ["m", "k"] {
      #expect(throws: JSONFault("\"\(name)\" is not a list of texts")) {
        try object.optionalTexts(name)
      }
    }
  }
}
