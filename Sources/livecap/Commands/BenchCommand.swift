// SPDX-License-Identifier: MIT
// `livecap bench`: runs the benchmarks, which are a program of their own beside this one.

import BenchmarkCommand
import CommandTable
import Files
import Glibc

enum BenchCommand {
    static let verb = Verb(command: BenchmarkCommand.command) { arguments, console throws(Failure) in
        var words = [arguments.required(BenchmarkCommand.suite).rawValue]
        if let name = arguments[BenchmarkCommand.only] { words += ["--only", name] }
        if let folder = arguments[BenchmarkCommand.folder] { words += ["--folder", folder] }
        if arguments[BenchmarkCommand.thorough] { words.append("--thorough") }
        if console.writesJSON { words.append("--json") }
        let path = benchmarks
        run(path, words)
        throw .noBenchmarks(path: path, errno: errno)
    }

    /// The path of `livecap-bench`: beside this program, wherever links lead to it.
    private static var benchmarks: String {
        let own = resolvedPath("/proc/self/exe") ?? "livecap"
        return "\(own.folderPath)/livecap-bench"
    }

    /// Becomes the program at `path`: `execv(3)`. Returns only if that failed, with `errno` set.
    private static func run(_ path: String, _ words: [String]) {
        var arguments: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { word in
            word.withFileName { strdup($0) }
        }
        arguments.append(nil)
        path.withFileName { _ = execv($0, arguments) }
        let reason = errno
        for argument in arguments { free(argument) }
        errno = reason
    }
}
