// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
// livecap: takes frames from any V4L2 camera, recording or synthetic scene into a lock-free timestamped ring.

import PackageDescription

/// Whether warnings are errors, in Swift and in C. They are in builds of our own, for which the Makefile sets this, and
/// never in those of packages that depend on this one.
let isStrict = Context.environment["LIVECAP_STRICT"] != nil
let swift: [SwiftSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []
/// For types that lend memory and must not outlive it.
let lifetimes: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]
let c: [CSetting] =
    [.define("_GNU_SOURCE"), .enableWarning("all"), .enableWarning("extra")]
    + (isStrict ? [.treatAllWarnings(as: .error)] : [])

/// For code that touches every pixel of every frame. Without optimisation it is up to a hundred times slower: in a debug
/// build, scenes would give a frame in seconds, and stills would take as long. `scripts/check-imports` checks which have it.
/// As a whole, which takes half the time that file by file does.
let fast: [SwiftSetting] = [
    .unsafeFlags(["-O", "-disable-batch-mode", "-wmo", "-num-threads", "2"], .when(configuration: .debug))
]
let fastC: [CSetting] = [.unsafeFlags(["-O2"], .when(configuration: .debug))]

/// For code that handles words, requests and files. Optimised, it takes three times as long to compile, and nothing
/// that it does becomes measurably faster. What touches pixels, or runs for every frame, belongs elsewhere.
let plain: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// The commit, for `livecap version`, which the Makefile sets for release builds: SwiftPM would keep one that it found by
/// itself. Only one small C file sees it, which the product links and no target depends on: it alone is compiled anew.
let commit: [CSetting] =
    Context.environment["LIVECAP_COMMIT"].map { $0.isEmpty ? [] : [.define("LIVECAP_COMMIT", to: "\"\($0)\"")] } ?? []

/// A module of one of Debian's C libraries. Modules of C have a prefix: their names must be unique among all packages of
/// a program, and others have a `CSQLite`, too.
func library(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(
        name: "Livecap\(name)", path: "Sources/SystemLibraries/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([package])])
}
/// What takes frames out of a ring needs these.
let base: [Target.Dependency] = ["FrameRing", "LivecapFrames", "LivecapThreads"]

/// A module of ours in a folder of `Sources`.
func module(_ name: String, _ folder: String, _ modules: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: modules, path: "Sources/\(folder)", swiftSettings: swift)
}
/// The same, optimised in debug builds, too.
func fastModule(
    _ name: String, _ folder: String, _ modules: [Target.Dependency], also settings: [SwiftSetting] = []
) -> Target {
    .target(name: name, dependencies: modules, path: "Sources/\(folder)", swiftSettings: swift + fast + settings)
}
/// The same, not optimised in release builds either.
func plainModule(_ name: String, _ folder: String, _ modules: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: modules, path: "Sources/\(folder)", swiftSettings: swift + plain)
}
func moduleInC(_ name: String, _ folder: String, _ modules: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: modules, path: "Sources/\(folder)", cSettings: c)
}

/// A program of ours.
func program(
    _ name: String, _ folder: String, _ modules: [Target.Dependency], also settings: [SwiftSetting] = []
) -> Target {
    .executableTarget(name: name, dependencies: modules, path: folder, swiftSettings: swift + settings)
}
/// What tests and benchmarks alone use.
func gear(_ name: String, _ modules: [Target.Dependency] = []) -> Target {
    .target(name: "Livecap\(name)", dependencies: modules, path: "Tests/Support/\(name)", swiftSettings: swift)
}

/// The tests of a module, in the folder of that name.
func tests(_ name: String, _ modules: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: modules, swiftSettings: swift)
}

let package = Package(
    name: "livecap",
    products: [
        .executable(name: "livecap", targets: ["livecap", "LivecapCCommit"]),
        // What `livecap bench` runs.
        .executable(name: "livecap-bench", targets: ["livecap-bench"]),
        // Taps, photos and the library; it brings along all but `Shutter`.
        .library(name: "LiveCapture", targets: ["LiveCapture"]),
        // Cameras, recordings and synthetic scenes, and the ring they fill.
        .library(name: "Camera", targets: ["Camera"]),
        // The ring alone, for sources of your own.
        .library(name: "FrameRing", targets: ["FrameRing"]),
        // The kernels without a camera: frames in, still out.
        .library(name: "Fusion", targets: ["Fusion"]),
        // Movies and live photos of a session, with sound.
        .library(name: "LivecapMovies", targets: ["LivecapMovies"]),
        // A camera whose every frame is fused with its past.
        .library(name: "LivecapLiveFusion", targets: ["LivecapLiveFusion"]),
        // Taps from keys, signals, sockets and input devices.
        .library(name: "Shutter", targets: ["Shutter"]),
        // A ring offered to other processes, and what those need in C.
        .library(name: "LivecapSharing", targets: ["LivecapSharing"]),
        .library(name: "LivecapCShare", targets: ["LivecapCShare"]),
        // For LD_PRELOAD in benchmarks and crash tests; not part of the program.
        .library(name: "FramePathProbe", type: .dynamic, targets: ["LivecapCFramePathProbe"]),
        .library(name: "WriteJournal", type: .dynamic, targets: ["LivecapCWriteJournal"]),
    ],
    targets: [
        // Debian's C libraries, and thin C over what Swift cannot call.
        library("Clibv4lconvert", pkgConfig: "libv4lconvert", package: "libv4l-dev"),
        library("Cpng", pkgConfig: "libpng", package: "libpng-dev"),
        library("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        library("Cturbojpeg", pkgConfig: "libturbojpeg", package: "libturbojpeg0-dev"),
        library("Cudev", pkgConfig: "libudev", package: "libudev-dev"),
        library("Cz", pkgConfig: "zlib", package: "zlib1g-dev"),
        library("Cxxhash", pkgConfig: "libxxhash", package: "libxxhash-dev"),
        moduleInC("LivecapCCatalogueFiles", "SystemLibraries/CCatalogueFiles", ["LivecapCSQLite"]),
        moduleInC("LivecapCStills", "SystemLibraries/CStills", ["LivecapCpng"]),
        moduleInC("LivecapCSensorBus", "SystemLibraries/CSensorBus"),

        // The system: calls, threads, files.
        moduleInC("LivecapCSystem", "System/CSystem"),
        fastModule("LivecapThreads", "System/Threads", ["LivecapCSystem"]),
        module("LivecapFiles", "System/Files", ["LivecapCSystem", "LivecapThreads"]),

        // Our C: one system call a function, no policy; and the kernels.
        moduleInC("LivecapCV4L2", "CV4L2", ["LivecapClibv4lconvert"]),
        // The layout of a ring that other processes read, and their client: livecap-share.h is installed.
        moduleInC("LivecapCShare", "CShare"),
        .target(name: "LivecapCFusionKernels", path: "Sources/CFusionKernels", cSettings: c + fastC),
        // camera -> ring, in the order in which frames flow.
        fastModule("LivecapFrames", "Frames", ["LivecapCSystem"], also: lifetimes),
        plainModule("LivecapIntents", "Intents", ["LivecapFrames"]),
        module("FrameRing", "FrameRing", ["LivecapCShare", "LivecapCSystem", "LivecapFrames"]),
        module("LivecapJPEG", "JPEG", ["LivecapCturbojpeg", "LivecapFrames"]),
        module(
            "LivecapFrameFiles", "FrameFiles",
            ["LivecapCSystem", "LivecapCxxhash", "LivecapFiles", "FrameRing", "LivecapFrames", "LivecapThreads"]),
        fastModule(
            "Camera", "Camera",
            [
                "LivecapCSensorBus", "LivecapCSystem", "LivecapCV4L2", "LivecapCudev", "LivecapFiles",
                "LivecapFrameFiles", "FrameRing", "LivecapFrames", "LivecapJPEG", "LivecapThreads",
            ]),
        // frames -> pictures of other sizes and formats.
        fastModule("LivecapPictures", "Pictures", ["LivecapFrames", "LivecapJPEG", "LivecapThreads"]),
        // frames -> still.
        fastModule(
            "Fusion", "FusionKernels", ["LivecapCFusionKernels", "LivecapCSystem", "LivecapFrames", "LivecapThreads"]),
        fastModule(
            "LivecapStills", "Stills", ["LivecapCStills", "LivecapFrames", "Fusion", "LivecapJPEG", "LivecapThreads"]),
        // frames -> steady pictures.
        fastModule(
            "LivecapStabilization", "Stabilization",
            ["LivecapCFusionKernels", "LivecapFrames", "Fusion", "LivecapPictures"]),
        // frames -> all who take them.
        module(
            "LivecapStreams", "Streams",
            ["Camera", "FrameRing", "LivecapFrames", "LivecapPictures", "LivecapStabilization", "LivecapThreads"]),
        // still -> disk.
        plainModule(
            "LivecapPhotoStorage", "PhotoStorage",
            [
                "LivecapCCatalogueFiles", "LivecapCSQLite", "LivecapCSystem", "LivecapFiles", "LivecapFrameFiles",
                "LivecapFrames", "LivecapIntents", "LivecapThreads",
            ]),
        // frames and a request -> photo, now or later.
        module(
            "LivecapDeveloping", "Developing",
            [
                "LivecapCSystem", "Camera", "LivecapFiles", "LivecapFrameFiles", "LivecapFrames", "Fusion",
                "LivecapJPEG", "LivecapIntents", "LivecapPhotoStorage", "LivecapStills", "LivecapThreads",
            ]),
        // taps -> photos: the engine, and the sources of taps.
        module(
            "LiveCapture", "LiveCapture",
            [
                "LivecapCSystem", "Camera", "LivecapDeveloping", "LivecapFiles", "LivecapFrameFiles", "FrameRing",
                "LivecapFrames", "Fusion", "LivecapJPEG", "LivecapPhotoStorage", "LivecapPictures",
                "LivecapStabilization", "LivecapStills", "LivecapStreams", "LivecapThreads",
            ]),
        plainModule(
            "Shutter", "Shutter",
            ["LivecapCSystem", "LivecapFiles", "LivecapFrames", "LivecapIntents", "LivecapThreads"]),
        // The ring, to other processes.
        module(
            "LivecapSharing", "Sharing",
            base + ["LivecapCShare", "LivecapCSystem", "Camera", "LivecapFiles", "Shutter"]),
        // The ring, to programs that take any camera.
        moduleInC("LivecapCPipeWire", "SystemLibraries/CPipeWire"),
        fastModule(
            "LivecapVirtualCamera", "VirtualCamera",
            [
                "LivecapCPipeWire", "LivecapCV4L2", "Camera", "LivecapFrames", "LivecapPictures", "LivecapStreams",
                "LivecapThreads",
            ]),
        // Microphones.
        moduleInC("LivecapCSound", "SystemLibraries/CSound"),
        fastModule("LivecapSound", "Sound", base + ["LivecapCSound", "Camera", "LivecapFiles"]),
        // The ring, to movies.
        moduleInC("LivecapCMovies", "SystemLibraries/CMovies"),
        fastModule(
            "LivecapMovies", "Movies",
            [
                "Camera", "LivecapCMovies", "LivecapCSystem", "LivecapFiles", "LivecapFrameFiles", "FrameRing",
                "LivecapFrames", "Fusion", "LivecapJPEG", "LivecapIntents", "LiveCapture", "LivecapPictures",
                "LivecapSound", "LivecapStabilization", "LivecapStills", "LivecapStreams", "LivecapThreads",
            ]),

        // The ring, fused frame by frame into another.
        fastModule(
            "LivecapLiveFusion", "LiveFusion",
            base + ["Camera", "Fusion", "LivecapDeveloping", "LivecapStabilization", "LivecapStreams"]),

        // session -> browsers.
        moduleInC("LivecapCHTTP", "SystemLibraries/CHTTP"),
        moduleInC("LivecapCQRCode", "SystemLibraries/CQRCode"),
        module("LivecapHTTP", "HTTP", ["LivecapCHTTP", "LivecapFrames", "LivecapThreads"]),
        .target(name: "LivecapCPage", path: "Sources/CPage", cSettings: c),
        .target(
            name: "LivecapServing",
            dependencies: [
                "Camera", "FrameRing", "LiveCapture", "LivecapCPage", "LivecapCz", "LivecapDeveloping", "LivecapFiles",
                "LivecapFrameFiles", "LivecapFrames", "LivecapHTTP", "LivecapIntents", "LivecapMovies",
                "LivecapPhotoStorage", "LivecapPictures", "LivecapSound", "LivecapStreams", "LivecapThreads",
            ],
            path: "Sources/Serving", exclude: ["Page"], swiftSettings: swift + plain + lifetimes),

        // For tests and benchmarks alone.
        gear("PictureMetrics"),
        gear("SeededRandom"),
        // What every kernel must compute, and every kernel with its arguments.
        gear("ReferenceKernels", ["LivecapCFusionKernels"]),
        gear("KernelCases", ["LivecapCFusionKernels", "Fusion", "LivecapReferenceKernels", "LivecapSeededRandom"]),
        // A real browser, a slow network, and clients that do as they please.
        gear("WebGear", ["LivecapCSystem", "LivecapFrames", "LivecapJPEG", "LivecapIntents", "LivecapThreads"]),
        .target(name: "LivecapCFramePathProbe", path: "Tests/Support/CFramePathProbe", cSettings: c),
        .target(name: "LivecapCWriteJournal", path: "Tests/Support/CWriteJournal", cSettings: c),

        // The command line.
        moduleInC("LivecapCVersion", "CVersion"),
        .target(name: "LivecapCCommit", path: "Sources/CCommit", cSettings: c + commit),
        plainModule("LivecapCommandTable", "CommandTable", []),
        .target(
            name: "LivecapBenchmarks",
            dependencies: [
                "LivecapBenchmarkCommand", "LivecapCFusionKernels", "LivecapCShare", "LivecapCSQLite", "LivecapCSystem",
                "Camera", "LivecapFiles", "LivecapFrameFiles", "FrameRing", "LivecapFrames", "Fusion", "LivecapHTTP",
                "LivecapJPEG", "LivecapKernelCases", "LiveCapture", "LivecapMovies", "LivecapPhotoStorage",
                "LivecapPictureMetrics", "LivecapPictures", "LivecapSeededRandom", "LivecapServing", "LivecapSharing",
                "LivecapSound", "LivecapStabilization", "LivecapStills", "LivecapThreads",
            ],
            path: "Benchmarks", exclude: ["Command", "Program", "compare"], swiftSettings: swift),
        .target(
            name: "LivecapBenchmarkCommand", dependencies: ["LivecapCommandTable"], path: "Benchmarks/Command",
            swiftSettings: swift),
        program(
            "livecap-bench", "Benchmarks/Program",
            ["LivecapBenchmarkCommand", "LivecapBenchmarks", "LivecapCommandTable", "LivecapFiles", "LivecapIntents"]),
        program(
            "livecap", "Sources/livecap",
            [
                "LivecapBenchmarkCommand", "LivecapCQRCode", "LivecapCSystem", "LivecapCVersion", "Camera",
                "LivecapCommandTable", "LivecapFiles", "LivecapFrameFiles", "FrameRing", "LivecapFrames", "Fusion",
                "LivecapHTTP", "LivecapIntents", "LiveCapture", "LivecapLiveFusion", "LivecapMovies",
                "LivecapPhotoStorage", "LivecapServing", "LivecapSharing", "LivecapSound", "Shutter",
                "LivecapStabilization", "LivecapStills", "LivecapStreams", "LivecapThreads", "LivecapVirtualCamera",
            ], also: plain),
        // An example that tests run.
        program("share-reader", "Examples/Sharing/SwiftReader", ["LivecapCShare"], also: fast),

        tests("IntentsTests", ["LivecapFrames", "LivecapIntents"]),
        tests("HTTPTests", ["LivecapFrames", "LivecapHTTP"]),
        tests(
            "ServingTests",
            [
                "FrameRing", "LiveCapture", "LivecapFrames", "LivecapHTTP", "LivecapIntents", "LivecapMovies",
                "LivecapPhotoStorage", "LivecapPictures", "LivecapServing", "LivecapThreads", "LivecapWebGear",
            ]),
        tests("FramesTests", ["LivecapFrames", "LivecapSeededRandom"]),
        tests("FrameRingTests", ["LivecapCFramePathProbe", "FrameRing", "LivecapFrames", "LivecapSeededRandom"]),
        tests("JPEGTests", ["LivecapFrames", "LivecapJPEG", "LivecapSeededRandom"]),
        tests(
            "CameraTests",
            [
                "LivecapCFramePathProbe", "Camera", "LivecapFiles", "LivecapFrameFiles", "FrameRing", "LivecapFrames",
                "LivecapJPEG", "LivecapSeededRandom", "LivecapThreads",
            ]),
        tests(
            "FusionKernelsTests",
            ["LivecapCFramePathProbe", "LivecapCFusionKernels", "LivecapFrames", "Fusion", "LivecapPictureMetrics"]),
        tests("PictureMetricsTests", ["LivecapPictureMetrics"]),
        tests("KernelCasesTests", ["LivecapCFusionKernels", "Fusion", "LivecapKernelCases"]),
        tests(
            "LiveCaptureTests",
            [
                "LivecapCFramePathProbe", "Camera", "LivecapDeveloping", "LivecapFiles", "LivecapFrameFiles",
                "FrameRing", "LivecapFrames", "Fusion", "LivecapIntents", "LivecapJPEG", "LiveCapture",
                "LivecapPhotoStorage", "LivecapPictures", "LivecapSeededRandom", "LivecapStills", "LivecapStreams",
                "LivecapThreads",
            ]),
        tests(
            "PhotoStorageTests",
            ["LivecapFiles", "LivecapFrameFiles", "LivecapFrames", "LivecapPhotoStorage", "LivecapThreads"]),
        tests("ShutterTests", ["LivecapCSystem", "LivecapFiles", "LivecapFrames", "Shutter", "LivecapThreads"]),
        tests(
            "SharingTests",
            [
                "LivecapCShare", "LivecapCSystem", "Camera", "LivecapFiles", "FrameRing", "LivecapFrames",
                "LivecapSharing", "Shutter", "LivecapThreads",
            ]),
        tests(
            "PicturesTests",
            [
                "LivecapCFramePathProbe", "LivecapFrames", "LivecapJPEG", "LivecapPictures", "LivecapSeededRandom",
                "LivecapThreads",
            ]),
        tests(
            "StabilizationTests",
            ["LivecapCFramePathProbe", "Camera", "LivecapFrames", "Fusion", "LivecapPictures", "LivecapStabilization"]),
        tests("VirtualCameraTests", ["LivecapFrames", "LivecapStreams", "LivecapThreads", "LivecapVirtualCamera"]),
        tests(
            "MoviesTests",
            [
                "FrameRing", "LivecapFrames", "LivecapJPEG", "LiveCapture", "LivecapMovies", "LivecapPictures",
                "LivecapSeededRandom", "LivecapSound", "LivecapStabilization", "LivecapStills", "LivecapStreams",
            ]),
        tests("SoundTests", ["LivecapFrames", "LivecapSeededRandom", "LivecapSound", "LivecapThreads"]),
        tests(
            "LiveFusionTests",
            base + ["Camera", "Fusion", "LivecapJPEG", "LivecapLiveFusion", "LivecapPictures"]
                + ["LivecapStabilization", "LivecapStreams"]),
        tests("StillsTests", ["LivecapFrames", "Fusion", "LivecapJPEG", "LivecapStills", "LivecapThreads"]),
        tests(
            "WebTests",
            [
                "Camera", "FrameRing", "LiveCapture", "LivecapFrames", "LivecapHTTP", "LivecapJPEG", "LivecapIntents",
                "LivecapPhotoStorage", "LivecapSeededRandom", "LivecapServing", "LivecapThreads", "LivecapWebGear",
            ]),
        // Writes the vectors that `make test-arm64` compares the kernels with.
        program("kernel-vectors", "Tests/Arm64/Vectors", ["LivecapKernelCases"]),
        tests("BenchmarksTests", ["LivecapBenchmarks", "LivecapFrames", "LivecapPictureMetrics"]),
        tests("CommandTableTests", ["LivecapCommandTable", "LivecapFiles"]),
        tests(
            "LivecapTests",
            [
                "LivecapCShare", "LivecapCSystem", "Camera", "LivecapCommandTable", "LivecapFiles", "LivecapFrameFiles",
                "LivecapFrames", "LivecapJPEG", "LivecapIntents", "LiveCapture", "LivecapPhotoStorage",
                "LivecapSeededRandom", "LivecapHTTP", "Shutter", "LivecapStills", "LivecapThreads",
                "LivecapServing", "LivecapVirtualCamera", "LivecapWebGear", "livecap",
            ]),
        tests(
            "DeviceLabTests",
            [
                "LivecapCFramePathProbe", "LivecapCShare", "LivecapCSystem", "LivecapCV4L2", "Camera", "LivecapCpng",
                "LivecapFrameFiles", "FrameRing", "LiveCapture", "LivecapFrames", "LivecapJPEG", "LivecapIntents",
                "LivecapSeededRandom", "LivecapSound", "LivecapThreads", "LivecapWebGear",
            ]),
        // Plays USB cameras and their microphones in the device lab.
        .executableTarget(name: "lab-camera", path: "Tests/LabCamera", cSettings: c + fastC),
    ],
    swiftLanguageModes: [.v6]
)

// Set only by `scripts/fuzz`: everything is then instrumented, and only fuzz targets are programs.
if Context.environment["LIVECAP_FUZZ"] != nil {
    package.products = []
    package.targets.removeAll { $0.type == .executable || $0.path?.hasPrefix("Sources/") != true }
    let instrumented = ["-sanitize=fuzzer,address"]
    for target in package.targets where target.type == .regular {
        target.swiftSettings?.append(.unsafeFlags(instrumented))
    }
    package.targets += [
        .systemLibrary(name: "LivecapCFuzzer", path: "Fuzz/CFuzzer"),
        .target(
            name: "FuzzSupport",
            dependencies: [
                "LivecapCFuzzer", "Camera", "LivecapFiles", "LivecapFrameFiles", "FrameRing", "LivecapFrames",
            ], path: "Fuzz/Support", swiftSettings: swift + [.unsafeFlags(instrumented)]),
    ]
    let fuzzed = [
        "Dump", "Y4M", "Raw", "JPEGs", "JPEGStructure", "H264", "ShutterLines", "InputEvents", "Photo",
        "MotionPhoto", "Library", "Requests", "Developing", "Export", "Share", "WebRequests",
    ]
    package.targets += fuzzed.map { name in
        .executableTarget(
            name: "fuzz-\(name)",
            dependencies: [
                "FuzzSupport", "Camera", "LivecapDeveloping", "LivecapFiles", "LivecapFrameFiles", "LivecapFrames",
                "LivecapHTTP", "LivecapJPEG", "LivecapIntents", "LiveCapture", "LivecapPhotoStorage", "LivecapServing",
                "Shutter", "LivecapCShare", "LivecapMovies", "LivecapStills",
            ],
            path: "Fuzz/\(name)", swiftSettings: swift + [.unsafeFlags(instrumented)],
            linkerSettings: [.unsafeFlags(instrumented + ["-use-ld=lld"])])
    }
    package.targets.append(
        .executableTarget(
            name: "fuzz-Seeds",
            dependencies: [
                "LivecapFiles", "LivecapFrameFiles", "FrameRing", "LivecapFrames", "LivecapJPEG", "LivecapStills",
            ], path: "Fuzz/Seeds", swiftSettings: swift, linkerSettings: [.unsafeFlags(["-sanitize=address"])]))
}
