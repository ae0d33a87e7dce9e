// SPDX-License-Identifier: MIT
// The program's texts about itself: help, manual, completions, and the errors for mistakes.

import Foundation
import Testing

@testable import livecap

@Suite struct WordsTests {
    static let commands = Livecap.program.commands.map(\.name)

    @Test("Every command has help of at most 80 columns, which 'help' prints, too", arguments: commands)
    func help(command: String) throws {
        let asked = try livecap(command, "--help")
        #expect(asked.status == 0 && asked.errors == "")
        #expect(asked.output.hasPrefix("livecap \(command): "))
        #expect(asked.output == (try livecap("help", command)).output)
        for line in asked.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    @Test(arguments: Livecap.program.leaves.map(\.name)) func helpIsShort(command: String) throws {
        let words = command.split(separator: " ").map(String.init) + ["--help"]
        let options = try RunningLivecap(words).finish().output.split(separator: "\n").count {
            $0.firstMatch(of: /^(?:  -., |      )--[a-z]/) != nil
        }
        #expect(options <= 28, "\(options) options")
    }

    @Test(arguments: Livecap.program.leaves.map(\.name)) func wholeHelpHasEveryOption(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let options = try #require(Livecap.program.command(command)).options
        let whole = try RunningLivecap(words + ["--help", "all"]).finish()
        #expect(whole.status == 0)
        #expect(try RunningLivecap(["help"] + words + ["all"]).finish().output == whole.output)
        for option in options { #expect(whole.output.contains("--\(option.name)")) }
    }

    @Test func theProgramListsItsCommands() throws {
        let help = try livecap("--help")
        #expect(help.status == 0)
        for command in Self.commands { #expect(help.output.contains("\n  \(command) ")) }
        for line in help.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        for status in ["64", "65", "66", "69", "70", "71", "73", "74", "77"] {
            #expect(help.output.contains("\n  \(status) "))
        }
    }

    @Test func theVersionIsOneLine() throws {
        let version = try livecap("--version")
        #expect(version.status == 0)
        #expect(version.output.hasPrefix("livecap ") && version.output.split(separator: "\n").count == 1)
    }

    @Test func theVersionIsThatOfItsFileAndHasItsBuild() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../VERSION")
        let version = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
        #expect(try livecap("--version").output == "livecap \(version)\n")
        let build = try livecap("version", "--json").object
        #expect(build["version"] as? String == version)
        #expect(["debug", "release"].contains(build["build"] as? String))
        // An unpacked archive has no commit.
        #expect(build["commit"] is NSNull || (build["commit"] as? String)?.wholeMatch(of: /[0-9a-f]{40}/) != nil)
        #expect((build["compiler"] as? String)?.hasPrefix("Swift ") == true)
        #expect(["portable", "avx2"].contains(build["kernels"] as? String))
    }

    @Test(.enabled(if: isInstalled("groff"), "groff is not installed"))
    func groffFindsNoFaultInTheManual() throws {
        let files = try Scratch()
        let page = try files.write([UInt8](try livecap("man").output.utf8), to: "livecap.1")
        let shell = "groff -man -Tutf8 -ww '\(page)' 2>&1 >/dev/null; :"
        #expect(try livecap("version", shell: shell).output == "")
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func shellsTakeTheirCompletions(shell: String) throws {
        let files = try Scratch()
        let script = try livecap("completions", shell)
        #expect(script.status == 0 && script.output.contains("record"))
        let path = try files.write([UInt8](script.output.utf8), to: "completions")
        guard isInstalled(shell) else { return print("\(shell) is not installed: its completions were not run") }
        #expect(try run(shell, ["-n", path]) == 0)
    }

    @Test(arguments: [
        (["recrod"], "did you mean 'record'?"), (["inof", "a"], "did you mean 'info'?"),
        (["record", "--ouput", "a"], "did you mean --output?"), (["devices", "--jsno"], "did you mean --json?"),
        (["record", "-o", "a", "--pace", "fasst"], "did you mean 'fast'?"),
        (["completions", "zhs"], "did you mean 'zsh'?"), (["help", "shot"], "did you mean 'shoot'?"),
    ]) func misspeltWordsAreGuessed(line: [String], guess: String) throws {
        let outcome = try RunningLivecap(line).finish()
        #expect(outcome.status == 64)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains(guess), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 2)
    }

    @Test(arguments: [
        ["record"], [], ["record", "-o"], ["info"], ["record", "-o", "a", "--size", "big"],
        ["record", "-o", "a", "--frames", "0"], ["record", "-o", "a", "--duration", "-1s"],
        ["record", "-o", "a", "--frames", "1", "--duration", "1s"], ["record", "-o", "a", "--fps", "0"],
        ["record", "-o", "a", "--replay", "b", "--device", "auto"], ["record", "-o", "a", "--format", "!"],
    ]) func linesWithoutSenseEnd64(line: [String]) throws {
        #expect(try RunningLivecap(line).finish().status == 64)
    }

    @Test func errorsAreObjectsToo() throws {
        let outcome = try livecap("record", "--json", "--bogus")
        #expect(outcome.status == 64)
        let object = try outcome.object
        #expect(Set(object.keys) == ["error", "code", "hint"])
        #expect(object["code"] as? String == "usage")
        #expect(outcome.errors.contains("unknown option '--bogus'"))
    }

    @Test func aFullDiskUnderStandardOutputIsSaid() throws {
        let outcome = try livecap("--help", shell: "\"$@\" > /dev/full")
        #expect(outcome.status == 74)
        #expect(outcome.errors.contains("No space left"))
    }

    @Test func aReaderThatLeavesIsNoFailure() throws {
        let pipe = Pipe()
        let program = try RunningLivecap(["man"], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForReading.close()
        let outcome = program.finish()
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
    }
}
