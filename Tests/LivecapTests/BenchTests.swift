// SPDX-License-Identifier: MIT
// `livecap bench` prints the objects it promises. The speeds themselves are not tested here.

import Testing

@Suite struct BenchTests {
    @Test func aBenchmarkIsAnObject() throws {
        let outcome = try livecap("bench", "capture", "--only", "ring.publish", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        #expect(object["name"] as? String == "ring.publish")
        #expect(object["threads"] as? Int == 1)
        #expect(object["ratios"] is [String: Any])
    }

    @Test func figuresHaveLinesOfTheirOwn() throws {
        let outcome = try livecap("bench", "capture", "--only", "ring.publish")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").count > 2 && !outcome.output.contains("\\u"), "\(outcome.output)")
    }

    @Test func nothingToMeasureIsSaid() throws {
        let outcome = try livecap("bench", "capture", "--only", "nothing-like-it")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("ring.publish"), "\(outcome.errors)")
    }
}
