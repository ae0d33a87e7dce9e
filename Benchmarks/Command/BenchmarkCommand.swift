// SPDX-License-Identifier: MIT
// The command line of the benchmarks, which `livecap bench` and `livecap-bench` have in common.

import LivecapCommandTable

/// Groups of related benchmarks: `livecap bench NAME`.
public enum BenchmarkSuite: String, Sendable, CaseIterable {
    /// From the camera's buffer to the ring, its readers, and the recording.
    case capture
    /// The inner loops of fusion, at every kernel level.
    case kernels
    /// From frames to the still: time and picture quality.
    case fusion
    /// What each bound on noise is worth.
    case noise
    /// Pictures of every frame: outputs, movies and live fusion.
    case movies
    /// What is drawn for people.
    case effects
    /// The whole engine at the pace of a camera: from the tap to the file.
    case pipeline
    /// The viewfinder in browsers: what its viewers cost.
    case web
    /// What happens to stills: encoding, deferral, and the library that stores them.
    case stills
}

/// The options of `livecap bench`, and the command they belong to.
public enum BenchmarkCommand {
    /// What to measure.
    package static let suite = Positional(
        ValueKind<String>.choice("SUITE", of: BenchmarkSuite.allCases.map(\.rawValue))
            .map { BenchmarkSuite(rawValue: $0)! },
        help: """
            What to measure: capture, from the camera's buffer to the ring, its readers and the recording; kernels, the \
            inner loops of fusion at every level; fusion, the time, memory and quality of a still; noise, what each bound on \
            noise estimates is worth; movies, outputs, movies and live fusion, alone and beside stills; effects, what is drawn for people; pipeline, the \
            whole engine at a camera's pace, from the tap to the file; web, what viewers in browsers cost; stills, the \
            library that stores them
            """)
    /// A part of the names of the benchmarks to run.
    package static let only = Option("only", .text("NAME"), help: "Only benchmarks whose name contains this")
    /// Whether to measure for minutes.
    package static let thorough = Flag("thorough", help: "Measure for minutes instead of seconds")
    /// Where recordings and photos are written.
    package static let folder = Option(
        "folder", .file("DIR"), help: "The folder for recordings and photos, on the disk to measure (default: /tmp)")
    /// Whether results are JSON objects.
    package static let json = Flag("json", help: "Print one JSON object per benchmark")

    /// The command with its help.
    package static let command = Command(
        "bench", summary: "measure this machine",
        discussion: """
            Figures are absolute; ratios compare figures of the same run. The exit status is 70 if a benchmark finds \
            something broken (a torn frame, an allocation where none is allowed, a wrong kernel result, a still below its \
            quality floor, a photo that is lost or of another moment), however fast it was. A figure that misses its aim \
            says so.
            """,
        positionals: [suite], groups: [OptionGroup("Options", [only, thorough, folder, json])],
        examples: [
            Example("livecap bench capture", "everything about capture"),
            Example("livecap bench fusion --only fusion.quality", "the quality of stills of synthetic scenes"),
            Example("livecap bench pipeline --folder pictures/", "from taps to files on that disk"),
            Example("livecap bench capture --only ring --json", "the ring's figures, for programs"),
            Example("livecap bench kernels --only split", "kernels whose name contains split"),
        ])
}
