// SPDX-License-Identifier: MIT
// Help that a person can take in: what few people need is left to `--help all`.

import Testing

@testable import LivecapCommandTable

@Suite struct HelpLengthTests {
    private static let size = Option("size", .text("SIZE"), help: "How large", details: "Measured in spoons")
    private static let force = Flag("force", help: "Do it anyway")
    private static let level = Option("level", .text("LEVEL"), help: "How deep")
    private static let stir = Command(
        "stir", summary: "stir it", discussion: "It is stirred.\n\nClockwise, as a rule.",
        groups: [
            OptionGroup("Pot", [size], rare: [level]), OptionGroup("Depths", [], rare: [depth]),
            OptionGroup("Options", [force]),
        ])
    private static let depth = Flag("depth", help: "Deeper")
    private static let program = Program("tool", version: "1", summary: "cooks", commands: [stir, Sample.read])

    @Test func helpLeavesOutWhatFewNeed() {
        let help = Self.program.help(for: Self.stir, isWhole: false)
        #expect(
            help == """
                tool stir: stir it

                Usage: tool stir [--size SIZE] [--force] [OPTION]...

                It is stirred.

                Pot:
                      --size SIZE         How large

                Options:
                      --force             Do it anyway
                  -h, --help              Show this help

                3 more options, and details: 'tool stir --help all' or 'man tool'.

                """)
    }

    @Test func wholeHelpHasEverything() {
        let help = Self.program.help(for: Self.stir)
        for word in ["--level", "--depth", "--no-config", "How large. Measured in spoons", "Clockwise", "Depths:"] {
            #expect(help.contains(word), "\(word)")
        }
        #expect(!help.contains("more options, and"))
    }

    @Test func theManualHasEverything() {
        let page = Self.program.manPage
        for word in ["level", "depth", "Measured in spoons", "Clockwise"] { #expect(page.contains(word), "\(word)") }
    }

    @Test func aCommandWithoutRareOptionsHasOneHelp() {
        #expect(
            Self.program.help(for: Sample.read, isWhole: false) == Self.program.help(for: Sample.read, isWhole: true))
    }

    @Test(arguments: [
        ["stir", "--help", "all"], ["stir", "-h", "all"], ["stir", "--size", "2", "--help", "all", "--nonsense"],
    ])
    func theWordAllAsksForAll(line: [String]) throws {
        guard case .wholeHelp(let command) = try Self.program.parse(line) else {
            Issue.record("\(line) gives something else")
            return
        }
        #expect(command.name == "stir")
    }

    @Test(arguments: [["stir", "--help"], ["stir", "-h", "--size", "all"]])
    func otherWordsDoNot(line: [String]) throws {
        guard case .help(let command?) = try Self.program.parse(line) else {
            Issue.record("\(line) gives something else")
            return
        }
        #expect(command.name == "stir")
    }

    @Test func rareOptionsAreTakenLikeOthers() throws {
        guard case .run(_, let arguments) = try Self.program.parse(["stir", "--depth", "--level", "3"]) else {
            Issue.record("they give help")
            return
        }
        #expect(arguments[Self.depth] && arguments[Self.level] == "3")
    }
}
