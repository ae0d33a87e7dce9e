// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
// A program that uses livecap as others would: with every strict setting, and beside packages with similar names.
// LIVECAP_URL names a repository to take it from; without it, it is taken from the folder of this checkout.

import PackageDescription

let livecap: Package.Dependency =
    if let url = Context.environment["LIVECAP_URL"] {
        .package(url: url, from: "0.1.0")
    } else {
        .package(name: "livecap", path: "../..")
    }

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"), .defaultIsolation(MainActor.self), .treatAllWarnings(as: .error),
]

func program(_ name: String, _ products: String...) -> Target {
    .executableTarget(
        name: name,
        dependencies: products.map { .product(name: $0, package: "livecap") }
            + [.product(name: "StandIns", package: "StandIns")],
        swiftSettings: strict)
}

let package = Package(
    name: "Consumer",
    dependencies: [livecap, .package(path: "../StandIns")],
    targets: [
        program("ShootTen", "LiveCapture"),
        program("OwnSource", "LiveCapture"),
        program("MovieOfThePast", "LivecapMovies"),
        program("Products", "Camera", "FrameRing", "Fusion", "Shutter"),
    ],
    swiftLanguageModes: [.v6])

// scripts/test-consumer makes this program of README's snippet.
if Context.environment["LIVECAP_README"] != nil { package.targets.append(program("Readme", "LiveCapture")) }
