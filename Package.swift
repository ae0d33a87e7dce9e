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

/// For code that touches every pixel of every frame. Without optimisation it is up to a hundred times slower: in a
/// debug build, scenes would give a frame in seconds, and stills would take as long. As a whole, which takes half the
/// time that file by file does.
let fast: [SwiftSetting] = [
    .unsafeFlags(["-O", "-disable-batch-mode", "-wmo", "-num-threads", "2"], .when(configuration: .debug))
]
let fastC: [CSetting] = [.unsafeFlags(["-O2"], .when(configuration: .debug))]

/// For code that handles words, requests and files. Optimised, it takes three times as long to compile, and nothing
/// that it does becomes measurably faster. What touches pixels, or runs for every frame, belongs elsewhere.
let plain: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// The commit, for `livecap version`, which the Makefile sets for release builds: SwiftPM would keep one that it found
/// by itself. Only one small C file sees it, which the product links and no target depends on: it alone is compiled
/// anew.
let commit: [CSetting] =
    Context.environment["LIVECAP_COMMIT"].map { $0.isEmpty ? [] : [.define("LIVECAP_COMMIT", to: "\"\($0)\"")] } ?? []

/// Modules' names begin with `Livecap`, except those that people import by themselves: names must be unique among all
/// packages of a program, and others have a `CSQLite`, too.
let ownNames: Set<Substring> = ["Camera", "FrameRing", "Fusion", "LiveCapture", "Shutter", "livecap"]
func full(_ name: Substring) -> String { ownNames.contains(name) ? String(name) : "Livecap\(name)" }
/// Modules, from their names with spaces between.
func modules(_ names: String) -> [Target.Dependency] { names.split(separator: " ").map { .byName(name: full($0)) } }

/// A module of one of Debian's C libraries.
func library(_ name: Substring, pkgConfig: String, package: String) -> Target {
    .systemLibrary(
        name: full(name), path: "Sources/System/Libraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}
/// A module of ours in a folder of `Sources`, and what it imports.
func module(_ name: Substring, _ folder: String, _ names: String, also settings: [SwiftSetting] = []) -> Target {
    .target(
        name: full(name), dependencies: modules(names), path: "Sources/\(folder)", swiftSettings: swift + settings)
}
/// The same, optimised in debug builds, too.
func fastModule(_ name: Substring, _ folder: String, _ names: String, also settings: [SwiftSetting] = []) -> Target {
    module(name, folder, names, also: fast + settings)
}
/// The same, not optimised in release builds either.
func plainModule(
    _ name: Substring, _ folder: String, _ names: String = "", also settings: [SwiftSetting] = []
) -> Target {
    module(name, folder, names, also: plain + settings)
}
/// A module in C.
func moduleInC(_ name: Substring, _ folder: String, _ names: String = "", also settings: [CSetting] = []) -> Target {
    .target(name: full(name), dependencies: modules(names), path: "Sources/\(folder)", cSettings: c + settings)
}
/// A program of ours.
func program(_ name: String, _ folder: String, _ names: String, also settings: [SwiftSetting] = []) -> Target {
    .executableTarget(name: name, dependencies: modules(names), path: folder, swiftSettings: swift + settings)
}
/// What tests and benchmarks alone use.
func gear(_ name: Substring, _ names: String = "") -> Target {
    .target(
        name: full(name), dependencies: modules(names), path: "Tests/Support/\(name)", swiftSettings: swift)
}
func gearInC(_ name: Substring) -> Target {
    .target(name: full(name), path: "Tests/Support/\(name)", cSettings: c)
}
/// The tests of a module, in the folder of that name.
func tests(_ name: String, _ names: String) -> Target {
    .testTarget(name: name, dependencies: modules(names), swiftSettings: swift)
}

/// The modules, layer by layer. Each imports only from layers below its own.
let layers: [[Target]] = [
    [
        // Debian's C libraries.
        library("Clibv4lconvert", pkgConfig: "libv4lconvert", package: "libv4l-dev"),
        library("Cpng", pkgConfig: "libpng", package: "libpng-dev"),
        library("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        library("Cturbojpeg", pkgConfig: "libturbojpeg", package: "libturbojpeg0-dev"),
        library("Cudev", pkgConfig: "libudev", package: "libudev-dev"),
        library("Cz", pkgConfig: "zlib", package: "zlib1g-dev"),
        library("Cxxhash", pkgConfig: "libxxhash", package: "libxxhash-dev"),
    ],
    [
        // Our C: what Swift cannot call, no policy; and the kernels. Optional libraries are opened when first needed.
        moduleInC("CSystem", "System/CSystem"),
        moduleInC("CV4L2", "CV4L2", "Clibv4lconvert"),
        moduleInC("CCatalogueFiles", "System/Libraries/CCatalogueFiles", "CSQLite"),
        moduleInC("CStills", "System/Libraries/CStills", "Cpng"),
        moduleInC("CSensorBus", "System/Libraries/CSensorBus"),
        moduleInC("CPipeWire", "System/Libraries/CPipeWire"),
        moduleInC("CWindow", "System/Libraries/CWindow"),
        moduleInC("CSound", "System/Libraries/CSound"),
        moduleInC("CMovies", "System/Libraries/CMovies"),
        moduleInC("CNets", "System/Libraries/CNets"),
        moduleInC("CHTTP", "System/Libraries/CHTTP"),
        moduleInC("CQRCode", "System/Libraries/CQRCode"),
        moduleInC("CShare", "Outlets/CShare"),
        moduleInC("CFusionKernels", "CFusionKernels", also: fastC),
        // The files of the page, embedded.
        moduleInC("CPage", "Web/CPage"),
        moduleInC("CVersion", "System/CVersion"),
        // It alone sees the commit, and is compiled anew for each.
        moduleInC("CCommit", "System/CCommit", also: commit),
    ],
    [
        // The system: threads and files. Time, sizes, formats.
        fastModule("Threads", "System/Threads", "CSystem")
    ],
    [
        module("Files", "System/Files", "CSystem Threads"),
        fastModule("Frames", "Frames", "CSystem", also: lifetimes),
    ],
    [
        // The ring, and forms in which things are written.
        module("FrameRing", "FrameRing", "CShare CSystem Frames"),
        module("JPEG", "JPEG", "Cturbojpeg Frames"),
        plainModule("Intents", "Intents", "Frames"),
        plainModule("CommandTable", "CommandTable"),
        module("HTTP", "Web/HTTP", "CHTTP Frames Threads"),
    ],
    [
        // Frames to pictures, and to a still.
        module("FrameFiles", "FrameFiles", "CSystem Cxxhash Files FrameRing Frames Threads"),
        fastModule("Fusion", "FusionKernels", "CFusionKernels CSystem Frames Threads"),
        plainModule("Shutter", "Shutter", "CSystem Files Frames Intents Threads"),
        fastModule("Pictures", "Streams/Pictures", "Frames JPEG Threads"),
        .target(
            name: "LivecapBenchmarkCommand", dependencies: modules("CommandTable"), path: "Benchmarks/Command",
            swiftSettings: swift),
    ],
    [
        // Cameras to the ring; stills to the disk.
        fastModule(
            "Camera", "Camera",
            "CMovies CSensorBus CSystem Cudev CV4L2 Files FrameFiles FrameRing Frames Intents JPEG Threads"),
        fastModule("Stills", "Stills", "CStills Frames Fusion JPEG Threads"),
        plainModule(
            "PhotoStorage", "Photos/PhotoStorage",
            "CCatalogueFiles CSQLite CSystem Files FrameFiles Frames Intents Threads"),
        fastModule("Stabilization", "Stages/Stabilization", "CFusionKernels Frames Fusion Pictures"),
        fastModule("Detection", "Stages/Detection", "CFusionKernels CNets Cxxhash Files Frames Fusion Threads"),
    ],
    [
        // What is drawn into pictures of people.
        fastModule(
            "Effects", "Stages/Effects",
            "CFusionKernels Detection Files Frames Fusion JPEG Pictures Stabilization Stills Threads")
    ],
    [
        // Frames to all who take them; frames and a request to a photo.
        module("Streams", "Streams/Hubs", "Camera FrameRing Frames Pictures Stabilization Threads"),
        module(
            "Developing", "Photos/Developing",
            "Camera CSystem Detection Effects Files FrameFiles Frames Fusion Intents JPEG PhotoStorage Pictures Stills"
                + " Threads"),
        module("Sharing", "Outlets/Sharing", "Camera CShare CSystem Files FrameRing Frames Shutter Threads"),
        fastModule("Sound", "Sound", "Camera CPipeWire CSound Files FrameRing Frames Threads"),
    ],
    [
        // What is known of the people in frames; and stages.
        module(
            "Facts", "Stages/Facts", "Camera Detection FrameRing Frames Fusion Pictures Streams Threads"),
        fastModule("Triggers", "Stages/Triggers", "Camera FrameRing Frames JPEG Streams Threads"),
        fastModule(
            "LiveFusion", "Stages/LiveFusion",
            "Camera Detection Developing Effects FrameRing Frames Fusion Pictures Stabilization Streams Threads"),
    ],
    [
        // Taps to photos: the engine.
        module(
            "LiveCapture", "LiveCapture",
            "Camera CSystem Detection Developing Effects Facts Files FrameFiles FrameRing Frames Fusion JPEG LiveFusion"
                + " PhotoStorage Pictures Stabilization Stills Streams Threads Triggers")
    ],
    [
        // More that takes frames.
        fastModule("VirtualCamera", "Outlets/VirtualCamera", "Camera CPipeWire CV4L2 Frames Pictures Streams Threads"),
        module("Window", "Outlets/Window", "CWindow FrameRing Frames Pictures Streams Threads"),
        fastModule(
            "Movies", "Movies",
            "Camera CMovies CSystem Files FrameFiles FrameRing Frames Fusion Intents JPEG LiveCapture Pictures"
                + " Sound Stabilization Stills Streams Threads"),
    ],
    [
        // A session to browsers.
        plainModule(
            "Serving", "Web/Serving",
            "Camera CPage Cz Developing Files FrameFiles FrameRing Frames HTTP Intents LiveCapture Movies PhotoStorage "
                + "Pictures Sound Streams Threads", also: lifetimes)
    ],
    [
        // For tests and benchmarks alone.
        gear("Patience"),
        gear("Processes"),
        gear("SeededRandom"),
        gear("TinyModels"),
        gear("PictureMetrics"),
        gear("ReferenceKernels", "CFusionKernels"),
        gearInC("CFramePathProbe"),
        gearInC("CWriteJournal"),
        // Plays USB cameras and their microphones in the device lab.
        .executableTarget(name: "lab-camera", path: "Tests/LabCamera", cSettings: c + fastC),
    ],
    [
        gear("HandFilledHost", "Camera FrameRing Frames Pictures Streams"),
        gear("WebGear", "CSystem Frames Intents JPEG Patience Processes Threads"),
        gear("KernelCases", "CFusionKernels Fusion ReferenceKernels SeededRandom"),
    ],
    [
        .target(
            name: "LivecapBenchmarks",
            dependencies: modules(
                "BenchmarkCommand Camera CFusionKernels CShare CSQLite CSystem Detection Effects Files FrameFiles FrameRing "
                    + "Frames Fusion HTTP JPEG KernelCases LiveCapture LiveFusion Movies PhotoStorage PictureMetrics "
                    + "Pictures SeededRandom Serving Sharing Sound Stabilization Stills Streams Threads"),
            path: "Benchmarks", exclude: ["Command", "Program", "compare"], swiftSettings: swift)
    ],
    [
        // Programs.
        program(
            "livecap", "Sources/livecap",
            "BenchmarkCommand Camera CommandTable CQRCode CSystem CVersion Detection Effects Facts Files FrameFiles FrameRing Frames"
                + " Fusion HTTP Intents LiveCapture LiveFusion Movies PhotoStorage Pictures Serving Sharing Shutter"
                + " Sound Stabilization Stills Streams Threads VirtualCamera Window", also: plain),
        program("livecap-bench", "Benchmarks/Program", "BenchmarkCommand Benchmarks CommandTable Files Intents"),
        // An example that tests run.
        program("share-reader", "Examples/Sharing/SwiftReader", "CShare", also: fast),
    ],
]
var below: Set<String> = []
for layer in layers {
    for target in layer {
        for case .byNameItem(let name, _) in target.dependencies where !below.contains(name) {
            fatalError("Package.swift: \(target.name) depends on \(name), which is in no layer below it")
        }
    }
    below.formUnion(layer.map(\.name))
}

/// Tests may import from any layer.
let testTargets: [Target] = [
    tests("IntentsTests", "Frames Intents"),
    tests("HTTPTests", "Frames HTTP"),
    tests(
        "ServingTests",
        "Camera Developing Effects FrameRing Frames HTTP Intents LiveCapture Movies PhotoStorage Pictures Serving "
            + "Sound Threads WebGear Patience Processes"),
    tests("FramesTests", "Frames SeededRandom"),
    tests("FrameRingTests", "CFramePathProbe FrameRing Frames SeededRandom"),
    tests("JPEGTests", "Frames JPEG SeededRandom"),
    tests("CameraTests", "Camera CFramePathProbe CMovies Files FrameFiles FrameRing Frames JPEG SeededRandom Threads"),
    tests("FusionKernelsTests", "Camera CFramePathProbe CFusionKernels Frames Fusion PictureMetrics"),
    tests("PictureMetricsTests", "PictureMetrics Processes"),
    tests("KernelCasesTests", "CFusionKernels Fusion KernelCases"),
    tests(
        "LiveCaptureTests",
        "Camera CFramePathProbe Detection Developing Effects Files FrameFiles FrameRing Frames Fusion Intents JPEG"
            + " LiveCapture PhotoStorage Pictures SeededRandom Stills Streams Threads Processes"),
    tests("PhotoStorageTests", "Files FrameFiles Frames PhotoStorage Threads Processes"),
    tests("ShutterTests", "CSystem Files Frames Patience Shutter Threads"),
    tests("SharingTests", "Camera CShare CSystem Files FrameRing Frames Patience Sharing Shutter Threads"),
    tests("PicturesTests", "CFramePathProbe Frames JPEG Pictures SeededRandom Threads"),
    tests("StabilizationTests", "Camera CFramePathProbe Frames Fusion Pictures Stabilization"),
    tests("DetectionTests", "CNets Detection Frames Fusion JPEG SeededRandom TinyModels"),
    tests("FactsTests", "Camera Detection Facts Frames Fusion HandFilledHost Threads"),
    tests(
        "TriggersTests",
        "Camera Frames HandFilledHost JPEG SeededRandom Streams Threads Triggers"),
    tests("EffectsTests", "Detection Effects Files Frames Fusion JPEG Stills Threads"),
    tests("VirtualCameraTests", "Frames Streams Threads VirtualCamera"),
    tests("WindowTests", "CWindow FrameRing Frames Window"),
    tests(
        "MoviesTests",
        "FrameRing Frames HandFilledHost JPEG LiveCapture LiveFusion Movies Pictures SeededRandom Sound Stabilization"
            + " Stills Streams Threads Patience Processes"),
    tests("SoundTests", "Frames Patience SeededRandom Sound Threads"),
    tests(
        "LiveFusionTests",
        "Camera Effects FrameRing Frames Fusion HandFilledHost JPEG LiveFusion Pictures Stabilization Streams Threads"),
    tests("StillsTests", "Frames Fusion JPEG Stills Threads Processes"),
    tests(
        "WebTests",
        "Camera FrameRing Frames HTTP Intents JPEG LiveCapture PhotoStorage SeededRandom Serving Sound Threads"
            + " Patience WebGear"),
    // Writes the vectors that `make test-arm64` compares the kernels with.
    program("kernel-vectors", "Tests/Arm64/Vectors", "KernelCases"),
    tests("BenchmarksTests", "Benchmarks Frames PictureMetrics"),
    tests("CommandTableTests", "CommandTable Files Processes"),
    tests(
        "LivecapTests",
        "Camera CommandTable CShare CSystem Detection Effects Files FrameFiles Frames HTTP Intents JPEG livecap"
            + " LiveCapture PhotoStorage Pictures SeededRandom Serving Shutter Stills Threads VirtualCamera WebGear"
            + " Window Patience Processes"),
    tests(
        "DeviceLabTests",
        "Camera CFramePathProbe Cpng CShare CSystem CV4L2 FrameFiles FrameRing Frames Intents JPEG"
            + " LiveCapture Patience SeededRandom Sound Threads WebGear"),
]

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
    targets: layers.flatMap(\.self) + testTargets,
    swiftLanguageModes: [.v6]
)

// Set only by `scripts/fuzz`: everything is then instrumented, and only fuzz targets are programs.
if Context.environment["LIVECAP_FUZZ"] != nil {
    package.products = []
    package.targets.removeAll { $0.type == .executable || $0.path?.hasPrefix("Sources/") != true }
    let instrumented = ["-sanitize=fuzzer,address"]
    for target in package.targets where target.type == .regular {
        target.swiftSettings?.append(.unsafeFlags(instrumented))
        target.cSettings?.append(.unsafeFlags(["-fsanitize=fuzzer,address"]))
    }
    package.targets += [
        gear("TinyModels"),
        .systemLibrary(name: "LivecapCFuzzer", path: "Fuzz/CFuzzer"),
        .target(
            name: "FuzzSupport",
            dependencies: modules("Camera CFuzzer Files FrameFiles FrameRing Frames"), path: "Fuzz/Support",
            swiftSettings: swift + [.unsafeFlags(instrumented)]),
    ]
    let fuzzed = [
        "Dump", "Y4M", "Raw", "JPEGs", "JPEGStructure", "H264", "VideoFrame", "ShutterLines", "InputEvents",
        "Photo", "MotionPhoto", "Depth", "Library", "Requests", "Developing", "Export", "Share", "WebRequests",
        "NetModels", "Matroska", "FragmentedMovie",
    ]
    package.targets += fuzzed.map { name in
        .executableTarget(
            name: "fuzz-\(name)",
            dependencies: ["FuzzSupport"]
                + modules(
                    "Camera CNets CShare Developing Files FrameFiles Frames HTTP Intents JPEG LiveCapture Movies "
                        + "PhotoStorage Serving Shutter Stills"),
            path: "Fuzz/\(name)", swiftSettings: swift + [.unsafeFlags(instrumented)],
            linkerSettings: [.unsafeFlags(instrumented + ["-use-ld=lld"])])
    }
    package.targets.append(
        .executableTarget(
            name: "fuzz-Seeds",
            dependencies: modules("Files FrameFiles FrameRing Frames JPEG Stills TinyModels"), path: "Fuzz/Seeds",
            swiftSettings: swift, linkerSettings: [.unsafeFlags(["-sanitize=address"])]))
}
