// SPDX-License-Identifier: MIT
// What the tests in the lab share: whether they are in it, and programs run to their end under a time limit.

import Foundation
import Testing

/// The virtual machine whose cameras the tests use; see scripts/lab/guest.
enum Lab {
    /// Whether this process runs in the lab. Elsewhere there are no cameras to be sure of.
    static let isHere = ProcessInfo.processInfo.environment["LIVECAP_DEVICE_LAB"] == "1"
    /// The webcam: single-planar, 30 frames a second at its smallest size.
    static let webcam = "/dev/video0"
    /// The HDMI grabber.
    static let hdmi = "/dev/video1"
    /// The multi-planar tuner.
    static let multiplanar = "/dev/video2"
    /// A node that takes pictures and gives none.
    static let output = "/dev/video3"

    /// What a program did.
    struct Outcome {
        /// Its exit status, or the signal that ended it, negative.
        let status: Int32
        /// What it wrote to stdout.
        let output: String
        /// What it wrote to stderr.
        let errors: String
    }

    /// Starts a program; `finish` or `stop` it.
    static func start(_ program: String, _ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(program, arguments)
    }

    /// Runs a program to its end, at most `seconds`.
    @discardableResult
    static func run(_ program: String, _ arguments: [String], within seconds: Int = 60) throws -> Outcome {
        try start(program, arguments).finish(within: seconds)
    }
}

/// All tests of the lab, one after the other: they share its cameras.
@Suite("device lab", .serialized, .enabled(if: Lab.isHere, "runs in the device lab: make test-devices"))
enum DeviceLab {}
