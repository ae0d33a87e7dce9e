// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
// Stands in for swift-system and sqlite-nio, whose C modules have these names, too, and for a program with modules of
// names that anybody might choose.

import PackageDescription

let ordinary = [
    "Benchmarks", "CommandTable", "Developing", "Files", "FrameFiles", "Frames", "JPEG", "Intents", "PhotoStorage",
    "SeededRandom", "Sharing", "Stills", "System", "Threads", "VirtualCamera",
]

let package = Package(
    name: "StandIns",
    products: [.library(name: "StandIns", targets: ["StandIns"])],
    targets: [
        .target(name: "CSystem"),
        .target(name: "CSQLite"),
        .target(name: "StandIns", dependencies: ["CSystem", "CSQLite"] + ordinary.map { .target(name: $0) }),
    ] + ordinary.map { .target(name: $0, path: "Sources/Ordinary/\($0)") })
