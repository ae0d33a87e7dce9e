// SPDX-License-Identifier: MIT
// Texts generated from the table: help in 80 columns, a manual page and completions, checked by groff and the shells.

import Foundation
import LivecapFiles
import LivecapProcesses
import Testing

@testable import LivecapCommandTable

@Suite struct GeneratedTextTests {
    @Test func helpFitsEightyColumns() {
        let commands = Sample.program.commands + Sample.program.leaves
        let texts = [Sample.program.help] + commands.map { Sample.program.help(for: $0) }
        for line in texts.joined(separator: "\n").split(separator: "\n") {
            #expect(line.count <= 80, "\(line)")
            #expect(line.last != " ", "\(line)")
        }
    }

    @Test func helpNamesEverything() {
        for command in Sample.program.commands {
            #expect(Sample.program.help.contains("  \(command.name) "))
            let help = Sample.program.help(for: command)
            for option in command.options { #expect(help.contains("--\(option.name)")) }
            for argument in command.positionals { #expect(help.contains(argument.name)) }
            for example in command.examples { #expect(help.contains(example.line)) }
            for action in command.actions { #expect(help.contains("  \(action.word) ")) }
        }
    }

    @Test func anActionIsExplainedLikeACommand() throws {
        let help = Sample.program.help(for: try #require(Sample.program.command("box take")))
        #expect(help.hasPrefix("tool box take: take things\n\nUsage: tool box take FILE -o FILE"))
        #expect(help.contains("--output") && !help.contains("--count"))
        let page = Sample.program.manPage
        #expect(page.contains(".SS \"tool box list\"\n") && page.contains("\\fBtool box take\\fR"))
    }

    @Test func helpSaysWhichActionIsMeantWithoutOne() {
        let lamp = Sample.program.help(for: Sample.lamp), box = Sample.program.help(for: Sample.box)
        #expect(lamp.contains("Usage: tool lamp [ACTION] [ARGUMENT]...") && lamp.contains("is meant."))
        #expect(box.contains("Usage: tool box ACTION [ARGUMENT]...") && !box.contains("is meant"))
    }

    @Test func theSynopsisShowsWhatIsNeededFirst() {
        #expect(
            Sample.make.synopsis(isWhole: true) == [
                "[SOURCE]", "-o FILE", "[-n N | --duration TIME]", "[--at TIME]...", "[--memory BYTES]", "[--json]",
                "[-v]",
            ])
        #expect(Sample.read.synopsis(isWhole: true) == ["[SOURCE]", "FILE", "[--json]"])
    }

    @Test func longWordsAndParagraphsAreSet() {
        #expect(TextLayout.lines("aa bb cc", indent: 1, width: 6) == [" aa bb", " cc"])
        #expect(TextLayout.lines("aaaaaaaa b", width: 4) == ["aaaaaaaa", "b"])
        #expect(TextLayout.lines("") == [])
        #expect("a\nb\n\nc\n".paragraphs == ["a b", "c"])
    }

    @Test(.enabled(if: Tool.exists("groff"), "groff is not installed"))
    func groffFindsNoFaultInTheManualPage() throws {
        let result = try Tool.run("groff", ["-man", "-Tutf8", "-ww", "-P-cbou"], input: Sample.program.manPage)
        #expect(result.errors == "")
        #expect(result.status == 0)
        for word in ["--output", "SYNOPSIS", "SOURCE OPTIONS", ".Another one", "'Quoted' \\ things", "not understood"] {
            #expect(result.output.contains(word), "\(word) is missing")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func shellsFindNoFaultInTheirCompletions(shell: String) throws {
        guard Tool.exists(shell) else { return print("\(shell) is not installed: its completions were not checked") }
        let script = Sample.program.completions(for: try #require(.init(rawValue: shell)))
        let result = try Tool.run(shell, ["-n", try Tool.temporary(script)])
        #expect(result.errors == "")
        #expect(result.status == 0)
    }

    @Test(
        arguments: [
            ("tool ma", ["make"]),
            ("tool --ver", ["--version"]),
            ("tool make --du", ["--duration"]),
            ("tool make --pace ", ["realtime", "fast"]),
            ("tool make --pace = f", ["fast"]),
            ("tool make --pace =", ["realtime", "fast"]),
            ("tool make -d a", ["auto"]),
            ("tool make --device /dev/nul", ["/dev/null"]),
            ("tool make --size ", []),
            ("tool complete ", ["bash", "zsh", "fish"]),
            ("tool complete z", ["zsh"]),
            ("tool read --j", ["--json"]),
            ("tool box ", ["list", "take"]),
            ("tool box take --o", ["--output"]),
            ("tool box list --o", []),
            ("tool nonsense ", []),
        ] as [(String, [String])])
    func bashCompletes(line: String, expected: [String]) throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { Quote.shell(String($0)) }
        let driver = """
            \(Sample.program.completions(for: .bash))
            COMP_WORDS=(\(words.joined(separator: " ")))
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _tool
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try Tool.run("bash", ["--norc", try Tool.temporary(driver)])
        #expect(result.errors == "")
        #expect(result.output.split(separator: "\n").map(String.init) == expected)
    }

    @Test(
        .enabled(if: Tool.exists("fish"), "fish is not installed"),
        arguments: [
            ("tool ma", ["make"]), ("tool make --du", ["--duration"]), ("tool make --pace f", ["fast"]),
            ("tool complete z", ["zsh"]), ("tool box t", ["take"]), ("tool box list --c", ["--count"]),
            ("tool make --pace=f", ["--pace=fast"]),
            ("tool make --device /dev/nul", ["/dev/null"]), ("tool make --device au", ["auto"]),
        ] as [(String, [String])])
    func fishCompletes(line: String, expected: [String]) throws {
        let script = Sample.program.completions(for: .fish) + "complete -C \(Quote.fish(line))\n"
        let result = try Tool.run("fish", ["--no-config", try Tool.temporary(script)])
        #expect(result.errors == "")
        let words = result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        #expect(words == expected)
    }
}

/// Runs other programs.
private enum Tool {
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    static func exists(_ name: String) -> Bool {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// A new temporary file that contains `text`.
    static func temporary(_ text: String) throws -> String {
        let path = NSTemporaryDirectory() + "commandtable-\(UUID().uuidString)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    static func run(_ name: String, _ arguments: [String], input: String = "") throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let files = try [temporary(input), temporary(""), temporary("")]
        defer { for file in files + arguments { if file.contains("commandtable-") { unlink(file) } } }
        process.standardInput = FileHandle(forReadingAtPath: files[0])
        process.standardOutput = FileHandle(forWritingAtPath: files[1])
        process.standardError = FileHandle(forWritingAtPath: files[2])
        try process.run()
        process.awaitEnd()
        return Result(
            status: process.terminationStatus, output: try String(contentsOfFile: files[1], encoding: .utf8),
            errors: try String(contentsOfFile: files[2], encoding: .utf8))
    }
}
