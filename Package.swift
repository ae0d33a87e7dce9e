// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
// livecap: takes frames from any V4L2 camera, recording or synthetic scene into a lock-free timestamped ring.

import PackageDescription

/// Warnings in our own code are errors, in Swift and in C.
let swift: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let c: [CSetting] = [
    .define("_GNU_SOURCE"), .treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra"),
]

let package = Package(
    name: "livecap",
    products: [
        .executable(name: "livecap", targets: ["livecap"]),
        .library(name: "LiveCapture", targets: ["LiveCapture"]),
        .library(name: "Camera", targets: ["Camera"]),
        // For LD_PRELOAD in benchmarks; not part of the program.
        .library(name: "FramePathProbe", type: .dynamic, targets: ["CFramePathProbe"]),
        // For LD_PRELOAD in crash tests; not part of the program.
        .library(name: "WriteJournal", type: .dynamic, targets: ["CWriteJournal"]),
    ],
    targets: [
        // C libraries from Debian.
        .systemLibrary(name: "Clibv4lconvert", pkgConfig: "libv4lconvert", providers: [.apt(["libv4l-dev"])]),
        .systemLibrary(name: "Cheif", pkgConfig: "libheif", providers: [.apt(["libheif-dev"])]),
        .systemLibrary(name: "Cpng", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "Cturbojpeg", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "Cxxhash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),

        // Our own C code. In CSystem and CV4L2, one function per system call, and no policy.
        .target(name: "CSystem", cSettings: c),
        .target(name: "CFramePathProbe", cSettings: c),
        .target(name: "CFusionKernels", cSettings: c),
        .target(name: "CStills", dependencies: ["Cpng"], cSettings: c),
        .target(name: "CV4L2", dependencies: ["Clibv4lconvert"], cSettings: c),
        .target(name: "CWriteJournal", cSettings: c),

        .target(name: "Threads", dependencies: ["CSystem"], swiftSettings: swift),

        // camera -> ring, in the order in which frames flow.
        .target(name: "Frames", dependencies: ["CSystem"], swiftSettings: swift),
        .target(name: "JSONText", dependencies: ["Frames"], swiftSettings: swift),
        .target(name: "FrameRing", dependencies: ["Frames", "CSystem"], swiftSettings: swift),
        .target(name: "JPEG", dependencies: ["Frames", "Cturbojpeg"], swiftSettings: swift),
        .target(
            name: "Camera", dependencies: ["CV4L2", "CSystem", "Frames", "FrameRing", "JPEG", "Threads", "Cxxhash"],
            swiftSettings: swift),

        // frames -> still.
        .target(
            name: "FusionKernels", dependencies: ["CFusionKernels", "CSystem", "Frames", "Threads"],
            swiftSettings: swift),
        .target(
            name: "Stills", dependencies: ["Cheif", "CStills", "Frames", "FusionKernels", "JPEG"], swiftSettings: swift),

        // still -> disk.
        .target(name: "DurableFiles", dependencies: ["Camera", "CSystem"], swiftSettings: swift),
        .target(name: "CCatalogueFiles", dependencies: ["CSQLite"], cSettings: c),
        .target(
            name: "PhotoLibrary",
            dependencies: [
                "Camera", "CCatalogueFiles", "CSQLite", "CSystem", "DurableFiles", "Frames", "JSONText", "Threads",
            ],
            swiftSettings: swift),

        // taps -> photos: the engine, and the sources of taps.
        .target(
            name: "LiveCapture",
            dependencies: [
                "Camera", "CSystem", "DurableFiles", "FrameRing", "Frames", "FusionKernels", "JPEG", "JSONText",
                "PhotoLibrary", "Stills", "Threads",
            ],
            swiftSettings: swift),
        .target(name: "Shutter", dependencies: ["CSystem", "Frames", "JSONText", "Threads"], swiftSettings: swift),

        // still -> figures, for tests and benchmarks.
        .target(name: "PictureMetrics", swiftSettings: swift),

        // For tests and benchmarks.
        .target(name: "SeededRandom", swiftSettings: swift),

        // Every kernel with its arguments and its reference, for tests, benchmarks and other processors.
        .target(
            name: "KernelCases", dependencies: ["FusionKernels", "CFusionKernels", "SeededRandom"], swiftSettings: swift
        ),

        // The command line.
        .target(name: "CommandTable", swiftSettings: swift),
        .target(
            name: "Benchmarks",
            dependencies: [
                "Camera", "DurableFiles", "FrameRing", "Frames", "FusionKernels", "JPEG", "KernelCases", "LiveCapture",
                "PhotoLibrary", "PictureMetrics", "Stills", "Threads", "CFusionKernels", "CSQLite", "CSystem",
                "SeededRandom",
            ],
            path: "Benchmarks", exclude: ["compare"], swiftSettings: swift),
        .executableTarget(
            name: "livecap",
            dependencies: [
                "Camera", "CommandTable", "Benchmarks", "FrameRing", "Frames", "FusionKernels", "JPEG", "JSONText",
                "LiveCapture", "PhotoLibrary", "Shutter", "Stills", "Threads", "CSystem",
            ],
            swiftSettings: swift),

        .testTarget(name: "JSONTextTests", dependencies: ["JSONText"], swiftSettings: swift),
        .testTarget(name: "FramesTests", dependencies: ["Frames", "SeededRandom"], swiftSettings: swift),
        .testTarget(
            name: "FrameRingTests", dependencies: ["FrameRing", "CFramePathProbe", "SeededRandom"], swiftSettings: swift
        ),
        .testTarget(name: "JPEGTests", dependencies: ["JPEG", "SeededRandom"], swiftSettings: swift),
        .testTarget(
            name: "CameraTests", dependencies: ["Camera", "CFramePathProbe", "Threads", "SeededRandom"],
            swiftSettings: swift),
        .testTarget(
            name: "FusionKernelsTests", dependencies: ["PictureMetrics", "FusionKernels"], swiftSettings: swift),
        .testTarget(name: "PictureMetricsTests", dependencies: ["PictureMetrics"], swiftSettings: swift),
        .testTarget(
            name: "KernelCasesTests", dependencies: ["KernelCases", "FusionKernels", "CFusionKernels"],
            swiftSettings: swift),
        .testTarget(
            name: "LiveCaptureTests",
            dependencies: [
                "LiveCapture", "Camera", "CFramePathProbe", "DurableFiles", "FrameRing", "Frames", "FusionKernels",
                "JPEG", "PhotoLibrary", "Stills", "Threads", "SeededRandom",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "PhotoLibraryTests",
            dependencies: [
                "PhotoLibrary", "Camera", "CSQLite", "CSystem", "DurableFiles", "Frames", "JSONText", "Threads",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "ShutterTests", dependencies: ["Shutter", "Camera", "CSystem", "Frames", "Threads"],
            swiftSettings: swift),
        .testTarget(name: "StillsTests", dependencies: ["Stills", "JPEG", "Threads"], swiftSettings: swift),
        // Writes the vectors that `make test-arm64` compares the kernels with.
        .executableTarget(
            name: "kernel-vectors", dependencies: ["KernelCases"], path: "Tests/Arm64/Vectors", swiftSettings: swift),
        .testTarget(
            name: "BenchmarksTests", dependencies: ["Benchmarks", "Frames", "PictureMetrics"], swiftSettings: swift),
        .testTarget(name: "CommandTableTests", dependencies: ["CommandTable"], swiftSettings: swift),
        .testTarget(
            name: "LivecapTests",
            dependencies: [
                "livecap", "Camera", "CSystem", "Frames", "FusionKernels", "JPEG", "JSONText", "LiveCapture",
                "PhotoLibrary", "Shutter", "SeededRandom",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "DeviceLabTests", dependencies: ["Camera", "CFramePathProbe", "CSystem", "Cpng"],
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
            name: "FuzzSupport", dependencies: ["Camera", "DurableFiles", "FrameRing", "Frames", "CFuzzer"],
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
                "FuzzSupport", "Camera", "DurableFiles", "Frames", "JPEG", "JSONText", "LiveCapture", "PhotoLibrary",
                "Shutter", "Stills",
            ],
            path: "Fuzz/\(name)",
            swiftSettings: swift + [.unsafeFlags(instrumented)],
            linkerSettings: [.unsafeFlags(instrumented + ["-use-ld=lld"])])
    }
    package.targets.append(
        .executableTarget(
            name: "fuzz-Seeds", dependencies: ["Camera", "Frames", "JPEG", "Stills"], path: "Fuzz/Seeds",
            swiftSettings: swift,
            linkerSettings: [.unsafeFlags(["-sanitize=address"])]))
}
