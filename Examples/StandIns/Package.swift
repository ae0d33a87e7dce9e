// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
// Stands in for swift-system and sqlite-nio, whose C modules have these names, too.

import PackageDescription

let package = Package(
    name: "StandIns",
    products: [.library(name: "StandIns", targets: ["StandIns"])],
    targets: [
        .target(name: "CSystem"),
        .target(name: "CSQLite"),
        .target(name: "StandIns", dependencies: ["CSystem", "CSQLite"]),
    ])
