// SPDX-License-Identifier: MIT
// The controls of the virtual camera: pictures, colours and faults, set through a separate descriptor of the test.

import Foundation
import Testing

@testable import Camera

/// Sets the controls of a vivid device, as a second program can while the first one streams.
struct Vivid: ~Copyable {
    /// The driver's control ids.
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

    /// Sets a control. Buttons accept any value.
    func set(_ control: Control, _ value: Int64 = 1) throws {
        try device.set(control.rawValue, to: value)
    }

    /// Restores a flawless camera and the initial picture.
    func reset() throws {
        for control: Control in [
            .testPattern, .text, .timestampSource, .encoding, .quantization, .wrapSequence, .wrapTimestamp,
        ] { try set(control, 0) }
        try set(.colorspace, 2)
        try set(.horizontalMovement, 3)
        try set(.droppedPercentage, 0)
    }

    /// Makes frames show which they are and when they were taken: the sequence number is drawn over colour bars, and
    /// the timestamp is that of the frame's start. By default this driver gives the time at which a real sensor would
    /// finish the frame, which is in the future.
    func showCounters() throws {
        try set(.text, 1)
        try set(.timestampSource, 1)
    }

    /// Removes all devices of the driver, as if they were unplugged.
    static func unbind() throws { try tellDriver("unbind") }

    /// Brings the devices back as new ones.
    static func bind() throws {
        try tellDriver("bind")
        try Lab.run("udevadm", ["settle", "--timeout=20"])
    }

    private static func tellDriver(_ what: String) throws {
        try Data("vivid.0".utf8).write(to: URL(filePath: "/sys/bus/platform/drivers/vivid/\(what)"))
    }
}
