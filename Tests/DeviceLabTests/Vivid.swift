// SPDX-License-Identifier: MIT
// The virtual camera's controls: pictures, colours and faults, set through a descriptor of the test's own.

import Foundation
import Testing

@testable import Camera

/// Sets controls of a vivid device, as a second program may while the first streams.
struct Vivid: ~Copyable {
    /// The driver's own numbers of its controls.
    enum Control: UInt32 {
        case testPattern = 0x00f0_f000
        case text = 0x00f0_f001
        case horizontalMovement = 0x00f0_f002
        case timestampSource = 0x00f0_f018
        case colorspace = 0x00f0_f019
        case encoding = 0x00f0_f01b
        case quantization = 0x00f0_f01c
        case wrapSequence = 0x00f0_f026
        case wrapTimestamp = 0x00f0_f027
        case signalMode = 0x00f0_f03e
        case droppedPercentage = 0x00f0_f040
        case disconnect = 0x00f0_f041
        case flagError = 0x00f0_f042
        case requestError = 0x00f0_f043
        case queueError = 0x00f0_f044
        case streamOnError = 0x00f0_f045
        case fatalError = 0x00f0_f046
    }

    private let device: V4L2Device

    init(_ path: String = Lab.webcam) throws { device = try V4L2Device(path: path) }

    /// Sets a control; buttons take any value.
    func set(_ control: Control, _ value: Int64 = 1) throws {
        try device.set(control.rawValue, to: value)
    }

    /// Back to a flawless camera with the picture it starts with.
    func reset() throws {
        for control: Control in [
            .testPattern, .text, .timestampSource, .encoding, .quantization, .wrapSequence, .wrapTimestamp,
        ] { try set(control, 0) }
        try set(.colorspace, 2)
        try set(.horizontalMovement, 3)
        try set(.droppedPercentage, 0)
    }

    /// Frames that tell when they are from and which they are: the driver's number drawn over colour bars, and times of when
    /// a frame began. Left to itself this driver gives the time a frame would end, were it a sensor's, which is yet to come.
    func showCounters() throws {
        try set(.text, 1)
        try set(.timestampSource, 1)
    }

    /// Takes all of the driver's devices away, as if they were unplugged.
    static func unbind() throws { try tellDriver("unbind") }

    /// Brings them back, as new devices.
    static func bind() throws {
        try tellDriver("bind")
        try Lab.run("udevadm", ["settle", "--timeout=20"])
    }

    private static func tellDriver(_ what: String) throws {
        try Data("vivid.0".utf8).write(to: URL(filePath: "/sys/bus/platform/drivers/vivid/\(what)"))
    }
}
