// SPDX-License-Identifier: MIT
// `livecap bench`: measures this machine, and gives ratios that can be compared between machines.

import Benchmarks
import CommandTable

enum BenchCommand {
    private static let suite = Positional(
        ValueKind<String>.choice("SUITE", of: BenchmarkSuite.allCases.map(\.rawValue))
            .map { BenchmarkSuite(rawValue: $0)! },
        help: """
            What to measure: capture, the way from the camera's buffer to the ring, its readers and the recording; \
            kernels, the inner loops of fusion at every level; fusion, the time and memory a still takes, and how \
            good it is; pipeline, the whole engine at a camera's pace, from the tap to the file; stills, the library they \
            are kept in
            """)
    private static let only = Option("only", .text("NAME"), help: "Only benchmarks whose name contains this")
    private static let thorough = Flag("thorough", help: "Measure for minutes instead of seconds")
    private static let folder = Option(
        "folder", .file("DIR"), help: "A folder on the disk that recordings and photos are written to; /tmp if left out"
    )
    private static let json = Flag("json", help: "Print an object a benchmark")

    static let verb = Verb(
        command: Command(
            "bench", summary: "measure this machine",
            discussion: """
                Figures are absolute; ratios are between figures of the same run. The status is 70 when a benchmark \
                found something broken (a torn frame, an allocation where there must be none, a kernel that computes \
                what it must not, a still below its floor, a photo lost or of another moment), however fast it was; \
                an aim that is missed says so beside its figure.
                """,
            positionals: [suite], groups: [OptionGroup("Options", [only, thorough, folder, json])],
            examples: [
                Example("livecap bench capture", "everything about capture"),
                Example("livecap bench fusion --only fusion.quality", "how good stills of synthetic scenes are"),
                Example("livecap bench pipeline --folder pictures/", "taps to files on the disk they are to be on"),
                Example("livecap bench capture --only ring --json", "the ring's figures, for programs"),
                Example("livecap bench kernels --only split", "kernels whose name contains split"),
            ])
    ) { arguments, console throws(Failure) in
        let options = BenchmarkOptions(
            isThorough: arguments[thorough], folder: arguments[folder] ?? "/tmp", filter: arguments[only])
        // The suite reports through a closure that cannot throw, so the first failure to write is kept until the end.
        var results: [String] = []
        var failure: Failure?
        let writesJSON = console.writesJSON
        let isSound = arguments.required(suite).run(options) { result in
            results.append(result.name)
            guard failure == nil else { return }
            do throws(Failure) {
                try console.print(trimmed: writesJSON ? result.json : result.text)
                try console.flush()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        if results.isEmpty {
            let names = arguments.required(suite).names(options).joined(separator: ", ")
            throw .camera(
                .badSettings("no benchmark's name contains what --only asks for", hint: "there are \(names)"))
        }
        return isSound ? 0 : 70
    }
}
