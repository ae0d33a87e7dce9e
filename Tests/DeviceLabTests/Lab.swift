// SPDX-License-Identifier: MIT
// Shared by the tests of the lab: whether they run in it, its devices, and programs run under a time limit.

import Foundation
import Testing

/// The virtual machine whose cameras the tests use; see scripts/lab/guest.
enum Lab {
    /// Whether this process runs in the lab. Outside it the cameras are unknown.
    static let isHere = ProcessInfo.processInfo.environment["LIVECAP_DEVICE_LAB"] == "1"
    /// The webcam: single-planar, 30 fps at its smallest size.
    static let webcam = "/dev/video0"
    /// The HDMI grabber.
    static let hdmi = "/dev/video1"
    /// The multi-planar tuner.
    static let multiplanar = "/dev/video2"
    /// An output node: it consumes pictures and delivers none.
    static let output = "/dev/video3"

    /// A grabber whose input 0 is a camera, and whose input 1 is HDMI.
    static let switched = "/dev/video4"

    /// The outcome of a program.
    struct Outcome {
        /// The exit status, or the negated number of the signal that ended the program.
        let status: Int32
        /// The text written to stdout.
        let output: String
        /// The text written to stderr.
        let errors: String
    }

    /// Starts a program. The caller ends it with `finish` or `signal`.
    static func start(_ program: String, _ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(program, arguments)
    }

    /// Runs a program to its end, for at most `seconds`.
    @discardableResult
    static func run(_ program: String, _ arguments: [String], within seconds: Int = 60) throws -> Outcome {
        try start(program, arguments).finish(within: seconds)
    }
}

/// All tests of the lab. They run one at a time because they share its cameras.
@Suite("device lab", .serialized, .enabled(if: Lab.isHere, "runs in the device lab: make test-devices"))
enum DeviceLab {}
