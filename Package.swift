// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
// livecap: takes frames from any V4L2 camera, recording or synthetic scene into a lock-free timestamped ring.

import PackageDescription

/// Warnings in our own code are errors, in Swift and in C.
let swift: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let c: [CSetting] = [
    .define("_GNU_SOURCE"), .treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra"),
]

/// A module of one of Debian's C libraries.
func library(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/SystemLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

let package = Package(
    name: "livecap",
    products: [
        .executable(name: "livecap", targets: ["livecap"]),
        // What `livecap bench` runs.
        .executable(name: "livecap-bench", targets: ["livecap-bench"]),
        .library(name: "LiveCapture", targets: ["LiveCapture"]),
        .library(name: "Camera", targets: ["Camera"]),
        // For LD_PRELOAD in benchmarks; not part of the program.
        .library(name: "FramePathProbe", type: .dynamic, targets: ["CFramePathProbe"]),
        // For LD_PRELOAD in crash tests; not part of the program.
        .library(name: "WriteJournal", type: .dynamic, targets: ["CWriteJournal"]),
    ],
    targets: [
        // Debian's C libraries, and thin C over what Swift cannot call.
        library("Clibv4lconvert", pkgConfig: "libv4lconvert", package: "libv4l-dev"),
        library("Cheif", pkgConfig: "libheif", package: "libheif-dev"),
        library("Cpng", pkgConfig: "libpng", package: "libpng-dev"),
        library("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        library("Cturbojpeg", pkgConfig: "libturbojpeg", package: "libturbojpeg0-dev"),
        library("Cxxhash", pkgConfig: "libxxhash", package: "libxxhash-dev"),
        .target(
            name: "CCatalogueFiles", dependencies: ["CSQLite"], path: "Sources/SystemLibraries/CCatalogueFiles",
            cSettings: c),
        .target(name: "CStills", dependencies: ["Cpng"], path: "Sources/SystemLibraries/CStills", cSettings: c),

        // The system: calls, threads, files.
        .target(name: "CSystem", path: "Sources/System/CSystem", cSettings: c),
        .target(name: "Threads", dependencies: ["CSystem"], path: "Sources/System/Threads", swiftSettings: swift),
        .target(
            name: "Files", dependencies: ["CSystem", "Threads"], path: "Sources/System/Files",
            swiftSettings: swift),

        // Our C: one system call a function, no policy; and the kernels.
        .target(name: "CV4L2", dependencies: ["Clibv4lconvert"], cSettings: c),
        .target(name: "CFusionKernels", cSettings: c),

        // camera -> ring, in the order in which frames flow.
        .target(name: "Frames", dependencies: ["CSystem"], swiftSettings: swift),
        .target(name: "JSONText", dependencies: ["Frames"], swiftSettings: swift),
        .target(name: "FrameRing", dependencies: ["CSystem", "Frames"], swiftSettings: swift),
        .target(name: "JPEG", dependencies: ["Cturbojpeg", "Frames"], swiftSettings: swift),
        .target(
            name: "FrameFiles", dependencies: ["CSystem", "Cxxhash", "Files", "FrameRing", "Frames", "Threads"],
            swiftSettings: swift),
        .target(
            name: "Camera",
            dependencies: ["CSystem", "CV4L2", "Files", "FrameFiles", "FrameRing", "Frames", "JPEG", "Threads"],
            swiftSettings: swift),

        // frames -> still.
        .target(
            name: "FusionKernels", dependencies: ["CFusionKernels", "CSystem", "Frames", "Threads"],
            swiftSettings: swift),
        .target(
            name: "Stills", dependencies: ["CStills", "Cheif", "Frames", "FusionKernels", "JPEG"], swiftSettings: swift),

        // still -> disk.
        .target(
            name: "PhotoLibrary",
            dependencies: [
                "CCatalogueFiles", "CSQLite", "CSystem", "Files", "FrameFiles", "Frames", "JSONText", "Threads",
            ],
            swiftSettings: swift),

        // frames and a request -> photo, now or later.
        .target(
            name: "Developing",
            dependencies: [
                "CSystem", "Camera", "Files", "FrameFiles", "Frames", "FusionKernels", "JPEG", "JSONText",
                "PhotoLibrary", "Stills", "Threads",
            ],
            swiftSettings: swift),

        // taps -> photos: the engine, and the sources of taps.
        .target(
            name: "LiveCapture",
            dependencies: [
                "CSystem", "Camera", "Developing", "Files", "FrameFiles", "FrameRing", "Frames", "FusionKernels",
                "JPEG", "PhotoLibrary", "Stills", "Threads",
            ],
            swiftSettings: swift),
        .target(
            name: "Shutter", dependencies: ["CSystem", "Files", "Frames", "JSONText", "Threads"], swiftSettings: swift),

        // For tests and benchmarks alone.
        .target(name: "PictureMetrics", path: "Tests/Support/PictureMetrics", swiftSettings: swift),
        .target(name: "SeededRandom", path: "Tests/Support/SeededRandom", swiftSettings: swift),
        // What every kernel must compute, and every kernel with its arguments, for tests, benchmarks and other
        // processors.
        .target(
            name: "ReferenceKernels", dependencies: ["CFusionKernels"], path: "Tests/Support/ReferenceKernels",
            swiftSettings: swift),
        .target(
            name: "KernelCases",
            dependencies: ["CFusionKernels", "FusionKernels", "ReferenceKernels", "SeededRandom"],
            path: "Tests/Support/KernelCases", swiftSettings: swift),
        .target(name: "CFramePathProbe", path: "Tests/Support/CFramePathProbe", cSettings: c),
        .target(name: "CWriteJournal", path: "Tests/Support/CWriteJournal", cSettings: c),

        // The command line.
        .target(name: "CommandTable", swiftSettings: swift),
        .target(
            name: "Benchmarks",
            dependencies: [
                "BenchmarkCommand", "CFusionKernels", "CSQLite", "CSystem", "Camera", "Files", "FrameFiles",
                "FrameRing", "Frames", "FusionKernels", "JPEG", "KernelCases", "LiveCapture", "PhotoLibrary",
                "PictureMetrics", "SeededRandom", "Stills", "Threads",
            ],
            path: "Benchmarks", exclude: ["Command", "Program", "compare"], swiftSettings: swift),
        .target(
            name: "BenchmarkCommand", dependencies: ["CommandTable"], path: "Benchmarks/Command", swiftSettings: swift),
        .executableTarget(
            name: "livecap-bench",
            dependencies: ["BenchmarkCommand", "Benchmarks", "CommandTable", "Files", "JSONText"],
            path: "Benchmarks/Program", swiftSettings: swift),
        .executableTarget(
            name: "livecap",
            dependencies: [
                "BenchmarkCommand", "CSystem", "Camera", "CommandTable", "Files", "FrameFiles", "FrameRing", "Frames",
                "FusionKernels", "JSONText", "LiveCapture", "PhotoLibrary", "Shutter", "Stills", "Threads",
            ],
            swiftSettings: swift),

        .testTarget(name: "JSONTextTests", dependencies: ["JSONText"], swiftSettings: swift),
        .testTarget(name: "FramesTests", dependencies: ["Frames", "SeededRandom"], swiftSettings: swift),
        .testTarget(
            name: "FrameRingTests", dependencies: ["CFramePathProbe", "FrameRing", "Frames", "SeededRandom"],
            swiftSettings: swift
        ),
        .testTarget(name: "JPEGTests", dependencies: ["Frames", "JPEG", "SeededRandom"], swiftSettings: swift),
        .testTarget(
            name: "CameraTests",
            dependencies: [
                "CFramePathProbe", "Camera", "Files", "FrameFiles", "FrameRing", "Frames", "JPEG", "SeededRandom",
                "Threads",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "FusionKernelsTests", dependencies: ["CFusionKernels", "Frames", "FusionKernels", "PictureMetrics"],
            swiftSettings: swift),
        .testTarget(name: "PictureMetricsTests", dependencies: ["PictureMetrics"], swiftSettings: swift),
        .testTarget(
            name: "KernelCasesTests", dependencies: ["CFusionKernels", "FusionKernels", "KernelCases"],
            swiftSettings: swift),
        .testTarget(
            name: "LiveCaptureTests",
            dependencies: [
                "CFramePathProbe", "Camera", "Developing", "Files", "FrameFiles", "FrameRing", "Frames",
                "FusionKernels", "JPEG",
                "LiveCapture", "PhotoLibrary", "SeededRandom", "Stills", "Threads",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "PhotoLibraryTests", dependencies: ["Files", "FrameFiles", "Frames", "PhotoLibrary", "Threads"],
            swiftSettings: swift),
        .testTarget(
            name: "ShutterTests", dependencies: ["CSystem", "Files", "Frames", "Shutter", "Threads"],
            swiftSettings: swift),
        .testTarget(
            name: "StillsTests", dependencies: ["Frames", "FusionKernels", "JPEG", "Stills", "Threads"],
            swiftSettings: swift),
        // Writes the vectors that `make test-arm64` compares the kernels with.
        .executableTarget(
            name: "kernel-vectors", dependencies: ["KernelCases"], path: "Tests/Arm64/Vectors", swiftSettings: swift),
        .testTarget(
            name: "BenchmarksTests", dependencies: ["Benchmarks", "Frames", "PictureMetrics"], swiftSettings: swift),
        .testTarget(name: "CommandTableTests", dependencies: ["CommandTable", "Files"], swiftSettings: swift),
        .testTarget(
            name: "LivecapTests",
            dependencies: [
                "CSystem", "Camera", "CommandTable", "Files", "FrameFiles", "Frames", "JPEG", "JSONText", "LiveCapture",
                "PhotoLibrary", "SeededRandom", "Shutter", "Stills", "Threads", "livecap",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "DeviceLabTests",
            dependencies: [
                "CFramePathProbe", "CSystem", "CV4L2", "Camera", "Cpng", "FrameFiles", "FrameRing", "Frames",
            ],
            swiftSettings: swift),
    ],
    swiftLanguageModes: [.v6]
)

// Set only by `scripts/fuzz`: everything is then instrumented, and only the fuzz targets can be linked.
if Context.environment["LIVECAP_FUZZ"] != nil {
    let instrumented = ["-sanitize=fuzzer,address"]
    for target in package.targets where target.type == .regular {
        target.swiftSettings?.append(.unsafeFlags(instrumented))
    }
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer"),
        .target(
            name: "FuzzSupport", dependencies: ["CFuzzer", "Camera", "Files", "FrameFiles", "FrameRing", "Frames"],
            path: "Fuzz/Support",
            swiftSettings: swift + [.unsafeFlags(instrumented)]),
    ]
    let fuzzed = [
        "Dump", "Y4M", "Raw", "JPEGs", "JPEGStructure", "ShutterLines", "InputEvents", "Photo", "Library", "Requests",
        "Developing", "Export",
    ]
    package.targets += fuzzed.map { name in
        .executableTarget(
            name: "fuzz-\(name)",
            dependencies: [
                "FuzzSupport", "Camera", "Developing", "Files", "FrameFiles", "Frames", "JPEG", "JSONText",
                "LiveCapture", "PhotoLibrary", "Shutter", "Stills",
            ],
            path: "Fuzz/\(name)",
            swiftSettings: swift + [.unsafeFlags(instrumented)],
            linkerSettings: [.unsafeFlags(instrumented + ["-use-ld=lld"])])
    }
    package.targets.append(
        .executableTarget(
            name: "fuzz-Seeds", dependencies: ["Files", "FrameFiles", "Frames", "JPEG", "Stills"],
            path: "Fuzz/Seeds",
            swiftSettings: swift,
            linkerSettings: [.unsafeFlags(["-sanitize=address"])]))
}
