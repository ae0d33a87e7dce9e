// SPDX-License-Identifier: MIT
// Errors for options of other programs and for options without effect, and the choices that help lists by itself.

import Testing

@testable import LivecapCommandTable

@Suite struct ForeignOptionTests {
    private static let count = Option("count", .integer(1...9), help: "How many")
    private static let interval = Option("interval", .positiveNanoseconds(), help: "The time between two")
    private static let turn = Option("turn", .choice("HOW", of: ["up", "down"]), help: "Which way")
    private static let speed = Option("speed", .choice("HOW", of: ["slow", "fast"]), help: "slow: careful; fast: not")
    private static let device = Option("device", .text("DEVICE").meant { Int($0) != nil }, help: "Which device")

    private static let program = Program(
        "tool", version: "1", summary: "does things",
        commands: [
            Command(
                "make", summary: "make", groups: [OptionGroup("Options", [count, interval, turn, speed, device])],
                needs: [Need(interval, oneOf: [count])]),
            Command("list", summary: "list"),
        ],
        foreign: [
            ForeignOption(["--burst", "-b"], instead: "--count N makes several", options: [count]),
            ForeignOption(["--nope"], instead: "there is none"),
        ])

    private func refusal(_ line: String...) -> UsageError? {
        do throws(UsageError) {
            _ = try Self.program.parse(line)
            return nil
        } catch { return error }
    }

    @Test(arguments: ["--burst", "--burst=3", "-b", "-b3"]) func foreignSpellingSuggestsOurOption(word: String) {
        #expect(refusal("make", word)?.hint == "--count N makes several")
    }

    @Test func suggestionIsLimitedToOptionsOfTheCommand() {
        #expect(refusal("list", "--burst")?.hint.contains("--count") == false)
        #expect(refusal("list", "--nope")?.hint == "there is none")
        #expect(refusal("--nope")?.hint == "there is none")
    }

    @Test(arguments: [("--time", "--size"), ("--port", "--pre"), ("--host", "--quiet"), ("--seed", "--speed")])
    func onlyACloseWordIsGuessed(typed: String, known: String) {
        #expect(Spelling.nearest(to: typed, among: [known]) == (typed == "--seed" ? known : nil))
    }

    @Test func optionWithoutEffectIsRefused() {
        let error = refusal("make", "--interval", "1s")
        #expect(error?.message == "--interval changes nothing without --count N")
        #expect(error?.hint == "add it, or leave --interval out")
        #expect(refusal("make", "--interval", "1s", "--count", "2") == nil)
    }

    @Test func aValueWithoutItsOptionIsGuessed() {
        #expect(refusal("make", "0")?.hint == "did you mean --device 0?")
        #expect(refusal("make", "zero")?.hint.contains("--help") == true)
    }

    @Test func helpListsChoicesThatNobodyExplains() throws {
        let help = Self.program.help(for: try #require(Self.program.command("make")))
        #expect(help.contains("Which way; one of up, down"))
        #expect(!help.contains("one of slow, fast"))
        #expect(help.contains("The time between two; seconds without a unit"))
        #expect(Self.program.manPage.contains("one of up, down"))
    }
}
