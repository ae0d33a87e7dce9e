// SPDX-License-Identifier: MIT
// Parsing command lines: the accepted spellings, and the errors for all others.

import Testing

@testable import LivecapCommandTable

@Suite struct ParserTests {
    @Test func theWaysToWriteAnOption() throws {
        for line in [["make", "--output", "a"], ["make", "--output=a"], ["make", "-o", "a"], ["make", "-oa"]] {
            guard case .run(_, let arguments) = try Sample.program.parse(line) else {
                Issue.record("help instead of a command")
                continue
            }
            #expect(arguments[Sample.output] == "a")
        }
    }

    @Test func valuesHaveTheirTypes() throws {
        let arguments = try Sample.arguments(
            "make", "-o", "a", "--count=7", "--pace", "fast", "--memory", "1M", "--resolution", "4x2")
        #expect(arguments[Sample.count] == 7)
        #expect(arguments[Sample.pace] == "fast")
        #expect(arguments[Sample.memory] == 1 << 20)
        #expect(arguments[Sample.size] == "4x2")
        #expect(arguments[Sample.duration] == nil)
        #expect(arguments.required(Sample.output) == "a")
        #expect(arguments.contains(Sample.count))
    }

    @Test func aValueMayBeginWithADash() throws {
        let arguments = try Sample.arguments("make", "-o", "-", "--at", "-250ms", "--at=-1s")
        #expect(arguments.all(Sample.at) == [-250_000_000, -1_000_000_000])
        #expect(arguments[Sample.output] == "-")
    }

    @Test func optionsMayFollowArguments() throws {
        let arguments = try Sample.arguments("read", "file", "--json")
        #expect(arguments[Sample.file] == "file")
        #expect(arguments[Sample.json])
    }

    @Test func twoDashesEndTheOptions() throws {
        let arguments = try Sample.arguments("read", "--", "--json")
        #expect(arguments[Sample.file] == "--json")
        #expect(!arguments[Sample.json])
    }

    @Test func shortOptionsGoTogether() throws {
        let arguments = try Sample.arguments("make", "-vn3", "-vo", "a")
        #expect(arguments[Sample.verbose])
        #expect(arguments[Sample.count] == 3)
        #expect(arguments[Sample.output] == "a")
    }

    @Test func theLastOfSeveralValuesCounts() throws {
        #expect(try Sample.arguments("make", "-oa", "-ob")[Sample.output] == "b")
    }

    @Test func helpIsAskedForInSeveralWays() throws {
        for line in [["--help"], ["-h"]] {
            guard case .help(nil) = try Sample.program.parse(line) else {
                Issue.record("\(line) gives no help")
                continue
            }
        }
        for line in [["make", "--help"], ["make", "-vh"], ["make", "--json", "-h", "--nonsense"]] {
            guard case .help(let command?) = try Sample.program.parse(line) else {
                Issue.record("\(line) gives no help")
                continue
            }
            #expect(command.name == "make")
        }
    }

    @Test(arguments: [
        ["box", "take", "a", "-o", "b"], ["box", "-o", "b", "take", "a"], ["box", "--output=b", "take", "a"],
    ])
    func anActionHasArgumentsOfItsOwn(line: [String]) throws {
        guard case .run(let command, let arguments) = try Sample.program.parse(line) else {
            Issue.record("\(line) gives help")
            return
        }
        #expect(command.name == "box take")
        #expect(arguments[Sample.file] == "a" && arguments[Sample.output] == "b")
    }

    @Test(arguments: [
        (["box", "--help"], "box"), (["box", "take", "--help"], "box take"), (["box", "-h", "list"], "box"),
    ])
    func actionsHaveHelp(line: [String], name: String) throws {
        guard case .help(let command?) = try Sample.program.parse(line) else {
            Issue.record("\(line) gives no help")
            return
        }
        #expect(command.name == name)
    }

    @Test(arguments: [
        (["lamp"], "lamp show"), (["lamp", "--json"], "lamp show"), (["lamp", "-n", "3"], "lamp show"),
        (["lamp", "show"], "lamp show"), (["lamp", "set", "a"], "lamp set"),
    ])
    func withoutAnActionTheUsualOneIsMeant(line: [String], name: String) throws {
        guard case .run(let command, let arguments) = try Sample.program.parse(line) else {
            Issue.record("\(line) gives help")
            return
        }
        #expect(command.name == name)
        #expect(arguments[Sample.json] == line.contains("--json"))
        #expect(arguments[Sample.count] == (line.contains("3") ? 3 : nil))
    }

    @Test func anotherValueTakesTheOnesPlace() throws {
        let arguments = try Sample.arguments("make", "-o", "a", "-n", "3")
        let other = arguments.replacing(Sample.count, with: 7)
        #expect(other[Sample.count] == 7 && other[Sample.output] == "a" && arguments[Sample.count] == 3)
    }

    @Test func shortcutOptionRunsItsCommand() throws {
        for word in ["--version", "-V"] {
            guard case .run(let command, _) = try Sample.program.parse([word]) else {
                Issue.record("\(word) stands for nothing")
                continue
            }
            #expect(command.name == "version")
        }
    }

    @Test(
        arguments: [
            ([], "no command given", "--help"),
            (["maek"], "unknown command 'maek'", "did you mean 'make'?"),
            (["frobnicate"], "unknown command 'frobnicate'", "--help"),
            (["--versoin"], "unknown option '--versoin'", "did you mean --version?"),
            (["--count", "3"], "no command given", "tool make --count"),
            (["make", "--ouptut", "a"], "unknown option '--ouptut'", "did you mean --output?"),
            (["make", "--dur", "3s"], "unknown option '--dur'", "did you mean --duration?"),
            (["make", "--zzz"], "unknown option '--zzz'", "tool make --help"),
            (["make", "-z"], "unknown option '-z'", "tool make --help"),
            (["make"], "'make' needs --output FILE", "for example 'tool make -o thing'"),
            (["read"], "'read' needs FILE", "for example 'tool read thing'"),
            (["read", "a", "b"], "'b' is one argument too many: 'read' takes one argument", "--help"),
            (["version", "a"], "'version' takes no argument 'a'", "--help"),
            (["make", "-o"], "-o needs a value", "-o FILE"),
            (["make", "--output", "--json"], "--output needs a value", "--output FILE"),
            (["make", "--json=yes"], "--json takes no value", "=yes"),
            (["make", "-oa", "--count", "x"], "--count: 'x' is not a whole number from 1 to 100", "--help"),
            (["make", "-oa", "--pace=fats"], "--pace: 'fats' is not one of realtime, fast", "did you mean 'fast'?"),
            (["make", "-oa", "--size", "12"], "--size: '12' is not a size such as 1280x720", "--help"),
            (["make", "-o", ""], "-o: '' is empty; a path is needed", "--help"),
            (
                ["make", "-oa", "--count", "1", "--duration", "1s"], "--count and --duration exclude each other",
                "leave"
            ),
            (["box"], "'box' needs an action: list, take", "tool box --help"),
            (["box", "lsit"], "'box' has no action 'lsit'", "did you mean 'box list'?"),
            (["lamp", "sohw"], "'lamp' has no action 'sohw'", "did you mean 'lamp show'?"),
            (["lamp", "-n"], "-n needs a value", "-n N"),
            (["box", "list", "-o", "a"], "'box list' has no option '-o'", "it belongs to 'box take'"),
            (["box", "--ouptut", "list"], "unknown option '--ouptut'", "did you mean --output?"),
            (["box", "take"], "'box take' needs FILE", "--help"),
            (["complete", "bahs"], "SHELL: 'bahs' is not one of bash, zsh, fish", "did you mean 'bash'?"),
            (["make\u{1B}[31m"], "unknown command 'make?[31m'", "--help"),
        ] as [([String], String, String)])
    func mistakes(line: [String], message: String, hint: String) {
        do throws(UsageError) {
            _ = try Sample.program.parse(line)
            Issue.record("\(line) was accepted")
        } catch {
            #expect(error.message == message)
            #expect(error.hint.contains(hint))
            #expect(!error.message.contains("\n") && !error.hint.contains("\n"))
        }
    }
}
