// SPDX-License-Identifier: MIT
// An input device with one key, created through the kernel's uinput: a remote shutter that a test can press.

import Foundation
import Glibc
import LivecapCSystem
import LivecapFrames
import Testing

/// A device with KEY_CAMERA. It exists until `unplug()`.
final class VirtualKey {
    /// The device node, such as `/dev/input/event5`.
    let path: String
    private let file: FileHandle

    /// The ioctl requests of `linux/uinput.h`, which Swift cannot import.
    private enum Call {
        static let (setEvents, setKey): (UInt, UInt) = (0x4004_5564, 0x4004_5565)
        static let (setUp, create, destroy): (UInt, UInt, UInt) = (0x405c_5503, 0x5501, 0x5502)
        static let name: UInt = 0x8040_552c
    }
    private static let (keyEvent, camera): (UInt16, UInt16) = (1, 0xd4)

    /// Creates the device and waits for its node.
    init() throws {
        file = try #require(FileHandle(forUpdatingAtPath: "/dev/uinput"))
        let descriptor = file.fileDescriptor
        try #require(ioctl(descriptor, Call.setEvents, Int32(Self.keyEvent)) == 0)
        try #require(ioctl(descriptor, Call.setKey, Int32(Self.camera)) == 0)
        // struct uinput_setup: bus (6, virtual), vendor, product and version, a name of 80 bytes, a number of effects.
        var setup = [UInt8](repeating: 0, count: 92)
        setup[0] = 6
        setup.replaceSubrange(8..<18, with: Array("lab button".utf8))
        try #require(setup.withUnsafeMutableBytes { ioctl(descriptor, Call.setUp, $0.baseAddress!) } == 0)
        try #require(ioctl(descriptor, Call.create, 0) == 0)
        var name = [UInt8](repeating: 0, count: 64)
        try #require(name.withUnsafeMutableBytes { ioctl(descriptor, Call.name, $0.baseAddress!) } > 0)
        let folder = "/sys/devices/virtual/input/\(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))"
        let node = try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("event") }
        path = "/dev/input/\(try #require(node))"
        try Lab.run("udevadm", ["settle", "--timeout=20"])
    }

    deinit { unplug() }

    /// Removes the device.
    func unplug() {
        // Closing the file would remove it too.
        _ = ioctl(file.fileDescriptor, Call.destroy, 0)
    }

    /// Presses the key. Returns the time on CLOCK_MONOTONIC that the kernel reports to another listener.
    func press() throws -> Timestamp {
        let listener = try #require(FileHandle(forReadingAtPath: path))
        try #require(lc_input_set_clock(listener.fileDescriptor, CLOCK_MONOTONIC) == 0)
        try file.write(contentsOf: event(Self.keyEvent, Self.camera, 1) + event(0, 0, 0))
        let reported = [UInt8](try #require(try listener.read(upToCount: 24)))
        try #require(reported.count == 24)
        let words = reported.withUnsafeBytes { bytes in
            (0..<2).map { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: Int64.self) }
        }
        return Timestamp(nanoseconds: words[0] * 1_000_000_000 + words[1] * 1000)
    }

    /// A struct input_event. Its time stays zero; the kernel sets it.
    private func event(_ type: UInt16, _ code: UInt16, _ value: Int32) -> Data {
        var data = Data(count: 16)
        for word in [type, code] { withUnsafeBytes(of: word.littleEndian) { data += $0 } }
        withUnsafeBytes(of: value.littleEndian) { data += $0 }
        return data
    }
}
