// SPDX-License-Identifier: MIT
// The table of a small program that uses every feature once, for the tests.

@testable import LivecapCommandTable

enum Sample {
    static let size = Option(
        "size", aliases: ["resolution"],
        ValueKind("SIZE", expects: "a size such as 1280x720") { text -> String? in text.contains("x") ? text : nil },
        help: "Pixels across and down")
    static let output = Option("output", short: "o", .file(), required: true, help: "Where to write")
    static let count = Option("count", short: "n", .integer(1...100), help: "How many, it's up to you")
    static let duration = Option("duration", .positiveNanoseconds(), help: "How long")
    static let at = Option("at", .nanoseconds(signed: true), repeatable: true, help: "When")
    static let pace = Option("pace", .choice("PACE", of: ["realtime", "fast"]), help: "How fast [or not]: you say")
    static let memory = Option("memory", .bytes(), help: "How much memory")
    static let device = Option(
        "device", short: "d",
        .text("DEVICE", completion: .pattern("/dev/null*", words: ["auto"])), help: "Which device")
    static let json = Flag("json", help: "Machine-readable output")
    static let verbose = Flag("verbose", short: "v", help: "Say more")
    static let file = Positional(.file(), help: "What to read")
    static let shell = Positional(.choice("SHELL", of: ["bash", "zsh", "fish"]), help: "Which shell")

    static let source = OptionGroup(
        "Source", placeholder: "SOURCE", about: "Where things come from.", [size, device, pace])
    static let make = Command(
        "make", summary: "make a thing", discussion: "A paragraph\nin two lines.\n\n.Another one, with a dot.",
        groups: [source, OptionGroup("Options", [output, count, duration, at, memory, json, verbose])],
        exclusive: [[count, duration]],
        examples: [Example("tool make -o thing", "make a thing")])
    static let read = Command(
        "read", summary: "read a thing", positionals: [file], groups: [source, OptionGroup("Options", [json])],
        examples: [Example("tool read thing", "read it")])
    static let complete = Command("complete", summary: "print completions", positionals: [shell])
    static let box = Command(
        "box", summary: "what is in the box", discussion: "A box of things.",
        actions: [
            Command(
                "box list", summary: "list things", groups: [OptionGroup("List", [count, json])],
                examples: [Example("tool box list", "list them")]),
            Command(
                "box take", summary: "take things", positionals: [file], groups: [OptionGroup("Take", [output, json])]),
        ], examples: [Example("tool box take a -o b", "take a thing")])
    /// A command that means one of its actions when none is typed.
    static let lamp = Command(
        "lamp", summary: "the lamp",
        actions: [
            Command("lamp show", summary: "show it", groups: [OptionGroup("Show", [count, json])]),
            Command("lamp set", summary: "set it", positionals: [file]),
        ], usual: "show")
    static let version = Command("version", summary: "print the version")

    static let program = Program(
        "tool", version: "1.0", summary: "does things", discussion: "It does things. 'Quoted' \\ things.",
        commands: [make, read, complete, box, lamp, version],
        shortcuts: [.init(Flag("version", short: "V", help: "Print the version"), for: "version")],
        sections: [.init("Exit status", [("0", "well"), ("64", "not understood")])],
        examples: [Example("tool make -o x --at -250ms", "make it a bit earlier")])

    /// The arguments parsed from a valid command line.
    static func arguments(_ line: String...) throws -> Arguments {
        guard case .run(_, let arguments) = try program.parse(line) else {
            throw UsageError("asked for help", hint: "")
        }
        return arguments
    }

    /// The error for an invalid command line; nil if it is valid.
    static func refusal(_ line: String...) -> UsageError? {
        do throws(UsageError) {
            _ = try program.parse(line)
            return nil
        } catch {
            return error
        }
    }
}
