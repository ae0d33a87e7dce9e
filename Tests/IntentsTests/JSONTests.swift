// SPDX-License-Identifier: MIT
// JSON: everything we write can be read, and invalid text is refused.

import LivecapIntents
import Testing

@Suite struct JSONTests {
    private func read(_ text: String, depth: Int = 8) -> JSON? { JSON(parsing: Array(text.utf8), depth: depth) }

    @Test func whatIsWrittenIsRead() {
        let value = JSON.object([
            ("nothing", .null), ("yes", true), ("count", -7), ("large", .integer(.min)), ("half", .number(0.5)),
            ("small", .number(1e-300)), ("words", "a \"quote\", a \\, ü, \u{1F4F7},\n\t\r\u{1}\u{7F}"),
            ("list", .array([1, "two", .array([])])), ("inner", .object([])),
        ])
        #expect(read(value.text)?.text == value.text)
    }

    @Test func membersAreFoundByName() {
        let value = read(#"{"a": 1, "b": {"c": "d"}}"#)
        guard case .integer(1)? = value?["a"], case .string("d")? = value?["b"]?["c"] else {
            Issue.record("members are lost")
            return
        }
        #expect(value?["x"] == nil && value?["a"]?["b"] == nil)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}", "01", "1.", "-", "+1", "1e", "nul",
        "tru",
        "\"\u{1}\"", "\"\\x\"", "\"\\u12\"", "\"\\uD800\"", "\"\\uD800\\u0041\"", "\"open", "1 2", "1e999", "'a'",
    ])
    func whatIsNoJSONIsRefused(text: String) {
        #expect(read(text) == nil)
    }

    @Test func bytesThatAreNoTextAreRefused() {
        #expect(JSON(parsing: [0x22, 0xFF, 0x22]) == nil)
    }

    @Test func nestingHasABound() {
        #expect(read("[[[1]]]", depth: 4) != nil)
        #expect(read("[[[1]]]", depth: 3) == nil)
        #expect(read(String(repeating: "[", count: 1_000_000)) == nil)
    }

    @Test func whatIsNotFiniteIsNull() {
        #expect(JSON.array([.number(.nan), .number(.infinity)]).text == "[null,null]")
    }
}
