// SPDX-License-Identifier: MIT
// `livecap-bench`: measures this machine, and gives ratios that can be compared between machines. `livecap bench` runs
// it.

import Glibc
import LivecapBenchmarkCommand
import LivecapBenchmarks
import LivecapCommandTable
import LivecapFiles
import LivecapIntents

// `livecap` ignores it, and that is inherited: a reader that has enough ends the benchmarks.
signal(SIGPIPE, SIG_DFL)

// Help and errors name the command that people type.
let program = Program(
    "livecap", version: "", summary: "measure this machine", discussion: "",
    commands: [BenchmarkCommand.command], shortcuts: [], foreign: [], sections: [])
let words = Array(CommandLine.arguments.dropFirst())
readSharedFrames(ifToldBy: words)
viewFrames(ifToldBy: words)

/// Writes a line, at once: benchmarks take long.
func say(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
    let bytes = Array((line.last == "\n" ? line : line + "\n").utf8)
    // A reader that has left ends the program by SIGPIPE; other failures cannot be reported anywhere.
    _ = bytes.withUnsafeBytes { writeAll($0, to: descriptor, FileCalls()) }
}

/// Reports a command line that makes no sense, and ends the program.
func fail(_ error: UsageError) -> Never {
    if words.contains("--json") {
        say(
            JSON.object([
                ("error", .string(error.message)), ("code", .string("usage")), ("hint", .string(error.hint)),
            ]).text)
    }
    say("livecap-bench: \(error.message)\n  hint: \(error.hint)", to: STDERR_FILENO)
    exit(UsageError.exitStatus)
}

/// Runs the benchmarks that were asked for. Returns the exit status: 70 if one found something broken.
func measure(_ arguments: Arguments) -> Int32 {
    let options = BenchmarkOptions(
        isThorough: arguments[BenchmarkCommand.thorough], folder: arguments[BenchmarkCommand.folder] ?? "/tmp",
        filter: arguments[BenchmarkCommand.only])
    let suite = arguments.required(BenchmarkCommand.suite)
    var count = 0
    let isSound = suite.run(options) { result in
        count += 1
        say(arguments[BenchmarkCommand.json] ? result.json : result.text)
    }
    guard count > 0 else {
        fail(
            UsageError(
                "no benchmark's name contains what --only asks for",
                hint: "there are \(suite.names(options).joined(separator: ", "))"))
    }
    return isSound ? 0 : 70
}

do throws(UsageError) {
    switch try program.parse([BenchmarkCommand.command.name] + words) {
    case .help(let command): say(program.help(for: command ?? BenchmarkCommand.command))
    case .wholeHelp(let command): say(program.help(for: command))
    case .run(_, let arguments): exit(measure(arguments))
    }
} catch {
    fail(error)
}
