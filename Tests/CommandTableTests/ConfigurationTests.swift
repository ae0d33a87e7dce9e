// SPDX-License-Identifier: MIT
// Configuration files: the settings they make, what takes precedence over them, and the errors for mistakes.

import Testing

@testable import LivecapCommandTable

@Suite struct ConfigurationTests {
    private static let interval = Option("interval", .positiveNanoseconds(), help: "The time between two")
    private static let count = Option("count", .integer(1...9), help: "How many")
    private static let speed = Option("speed", aliases: ["pace"], .choice("HOW", of: ["slow", "fast"]), help: "How")
    private static let folder = Option("folder", .file("DIR"), help: "Where")
    private static let output = Option("output", .file("FILE"), required: true, help: "Where")
    private static let scene = Option("scene", .text("SCENE"), help: "Which scene")
    private static let device = Option("device", .text("DEVICE"), help: "Which device")
    private static let json = Flag("json", help: "Objects")
    private static let list = Flag("list", standsAlone: true, help: "List things")

    private static let program = Program(
        "tool", version: "1", summary: "does things",
        commands: [
            Command(
                "make", summary: "make",
                groups: [OptionGroup("Options", [interval, count, speed, folder, output, scene, device, json, list])],
                exclusive: [[scene, device]], needs: [Need(interval, oneOf: [count])]),
            Command("read", summary: "read", groups: [OptionGroup("Options", [json, speed])]),
        ])

    private func arguments(_ line: [String], _ text: String) throws(UsageError) -> Arguments {
        let invocation = try Self.program.parse(line) { () throws(UsageError) in
            try Configuration(text, path: "config", home: "/home/me", for: Self.program)
        }
        guard case .run(_, let arguments) = invocation else { throw UsageError("help", hint: "") }
        return arguments
    }

    private func refusal(_ text: String, _ line: [String] = ["make", "--output", "a"]) -> UsageError? {
        do throws(UsageError) {
            _ = try arguments(line, text)
            return nil
        } catch { return error }
    }

    @Test func namesAreThoseOfOptionsAndHaveTheirTypes() throws {
        let text = "# mine\n\n  pace = fast \njson=yes\noutput = \"a b\"\r\nfolder = ~/pictures\ncount=3\ninterval = 2s"
        let read = try arguments(["make"], text)
        #expect(read[Self.speed] == "fast" && read[Self.json] && read[Self.output] == "a b")
        #expect(read[Self.folder] == "/home/me/pictures" && read[Self.count] == 3)
        #expect(read[Self.interval] == 2_000_000_000)
        #expect(read.contains(Self.speed) && !read.isTyped(Self.speed))
    }

    @Test(arguments: [
        ("output = \"a b\"  # where it goes", "a b"), ("output = 'a # b' # not here", "a # b"),
        ("output = a # not here", "a"), ("output = a#b", "a#b"), ("output = say \"a # b\" 'c'", "say \"a # b\" 'c'"),
        ("output = \"a\" \"b\"", "\"a\" \"b\""), ("output = it's # here", "it's"),
        ("[make] # only there\noutput=\"\"", ""),
    ]) func valuesMayHaveQuotesAndCommentsAfterThem(text: String, value: String) throws {
        guard !value.isEmpty else { return #expect(refusal(text, ["make"])?.message.contains("is empty") == true) }
        #expect(try arguments(["make"], text)[Self.output] == value)
    }

    @Test func aSwitchAndASectionMayHaveComments() throws {
        let text = "[make] # only there\njson = \"yes\" # for programs\noutput = x"
        #expect(try arguments(["make"], text)[Self.json])
    }

    @Test func theCommandLineCountsFirstThenTheCommandsOwnSection() throws {
        let text = "speed = slow\ncount = 1\n[read]\nspeed = fast\n[make]\ncount = 2\noutput = x\n"
        #expect(try arguments(["make", "--count", "5"], text)[Self.count] == 5)
        #expect(try arguments(["make"], text)[Self.count] == 2)
        #expect(try arguments(["make"], text)[Self.speed] == "slow")
        #expect(try arguments(["read"], text)[Self.speed] == "fast")
        #expect(try arguments(["make", "--count", "5"], text).isTyped(Self.count))
    }

    private static let other = Program(
        "tool", version: "1", summary: "does things",
        commands: [
            Command("make", summary: "make", groups: [OptionGroup("Options", [count, json])]),
            Command(
                "see", summary: "see",
                groups: [
                    OptionGroup("Options", [Flag("count", help: "Count"), Flag("json", help: "Other objects")])
                ]),
        ])

    @Test func whatIsSomethingElseToAnotherCommandNeedsASection() throws {
        func read(_ text: String) throws(UsageError) -> Configuration {
            try Configuration(text, path: "config", home: nil, for: Self.other)
        }
        #expect(throws: Never.self) { try read("json = yes\n[make]\ncount = 3\n[see]\ncount = yes\n") }
        let error = #expect(throws: UsageError.self) { try read("json = yes\ncount = 3\n") }
        #expect(error?.message == "config:2: 'count' means one thing for 'make' and another for 'see'")
        #expect(error?.hint.contains("'[make]'") == true, "\(error?.hint ?? "")")
    }

    @Test func settingExcludedByTheCommandLineIsIgnored() throws {
        let read = try arguments(["make", "--output", "a", "--scene", "tripod"], "device = 0\n")
        #expect(read[Self.scene] == "tripod" && read[Self.device] == nil)
    }

    @Test func settingWithoutItsPartnerOptionIsIgnored() throws {
        #expect(try arguments(["make", "--output", "a"], "interval = 2s\n")[Self.interval] == nil)
    }

    @Test func noConfigOptionIgnoresTheFile() throws {
        #expect(try arguments(["make", "--output", "a", "--no-config"], "nonsense\n")[Self.count] == nil)
    }

    @Test(
        arguments: [
            ("speed = fats", "config:1: speed: 'fats' is not one of slow, fast", "did you mean 'fast'?"),
            ("\nspede = fast", "config:2: there is no option 'spede'", "did you mean 'speed'?"),
            ("[make]\njson = maybe", "config:2: json: 'maybe' is neither yes nor no", "json = yes"),
            ("[read]\ncount = 1", "config:2: 'read' has no option 'count'", "tool COMMAND --help"),
            ("[maek]", "config:1: unknown command 'maek'", "did you mean 'make'?"),
            ("fast", "config:1: 'fast' is not a setting", "name = value"),
            ("list = yes", "config:1: 'list' can only be given on the command line", "remove"),
            ("help = yes", "config:1: 'help' can only be given on the command line", "remove"),
        ] as [(String, String, String)])
    func mistakesNameFileAndLine(text: String, message: String, hint: String) {
        let error = refusal(text)
        #expect(error?.message == message)
        #expect(error?.hint.contains(hint) == true, "\(error?.hint ?? "")")
    }
}
