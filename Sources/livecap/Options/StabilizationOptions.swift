// SPDX-License-Identifier: MIT
// The option that steadies moving pictures.

import LivecapCommandTable
import LivecapIntents
import LivecapStabilization

enum StabilizationOptions {
    static let stabilise = Option(
        "stabilise", aliases: ["stabilize"],
        ValueKind<String>.choice("MODE", of: StabilizationMode.allCases.map(\.rawValue))
            .map { StabilizationMode(rawValue: $0)! },
        help:
            "Take out the motion of a hand: off (default), standard, or cinematic, which looks 0.8 s ahead. Pictures "
            + "show 90 % of the frames' width and height, enlarged, and never what is beyond their edges")

    /// How a movie is steadied, for its JSON object: the mode, and the share of width and height that is not shown.
    static func members(_ mode: StabilizationMode) -> [(String, JSON)] {
        [
            ("stabilization", .string(mode.rawValue)),
            ("crop", .number(mode == .off ? 0 : StabilizationMode.crop)),
        ]
    }
}
