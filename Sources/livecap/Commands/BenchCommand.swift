// SPDX-License-Identifier: MIT
// `livecap bench`: runs the benchmarks, which are a program of their own beside this one.

import Glibc
import LivecapBenchmarkCommand
import LivecapCommandTable
import LivecapFiles

enum BenchCommand {
    static let verb = Verb(command: BenchmarkCommand.command) { arguments, console throws(Failure) in
        var words = [arguments.required(BenchmarkCommand.suite).rawValue]
        if let name = arguments[BenchmarkCommand.only] { words += ["--only", name] }
        if let folder = arguments[BenchmarkCommand.folder] { words += ["--folder", folder] }
        if arguments[BenchmarkCommand.thorough] { words.append("--thorough") }
        if console.writesJSON { words.append("--json") }
        let path = benchmarks
        // Returns only if it failed: `execv(3)`.
        let reason = withFileNames([path] + words) { words -> Int32 in
            _ = path.withFileName { execv($0, words) }
            return errno
        }
        throw .noBenchmarks(path: path, errno: reason)
    }

    /// The path of `livecap-bench`: beside this program, wherever links lead to it.
    private static var benchmarks: String {
        let own = resolvedPath("/proc/self/exe") ?? "livecap"
        return "\(own.folderPath)/livecap-bench"
    }
}
