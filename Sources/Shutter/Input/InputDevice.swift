// SPDX-License-Identifier: MIT
// An open input device, and the errors of opening one.

import Glibc
import LivecapCSystem
import LivecapFiles
import LivecapFrames

/// An open `/dev/input/eventN` whose event times are on CLOCK_MONOTONIC.
struct InputDevice: Sendable {
    let path: String
    let descriptor: OwnedDescriptor

    /// Opens the device: `open(2)`, `EVIOCSCLOCKID`.
    init(path: String) throws(ShutterError) {
        let number = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if number < 0 {
            switch errno {
            case ENOENT, ENODEV, ENXIO: throw .noSuchDevice(path: path)
            case EACCES, EPERM: throw .permissionDenied(path: path, group: group(of: path))
            default: throw .failed(path, call: "open", errno: errno)
            }
        }
        self.path = path
        descriptor = OwnedDescriptor(number)
        switch lc_input_set_clock(number, CLOCK_MONOTONIC) {
        case 0: break
        case -ENOTTY, -EINVAL: throw .notAButton(path: path, detail: "not an input device")
        case -ENODEV: throw .noSuchDevice(path: path)
        case let result: throw .failed(path, call: "EVIOCSCLOCKID", errno: -result)
        }
    }

    /// Throws if the device has none of the wanted keys, or no keys at all: `EVIOCGBIT`.
    func require(_ wanted: Set<InputKey>?) throws(ShutterError) {
        let known = try keys("EVIOCGBIT", lc_input_known_keys)
        guard let wanted else {
            if known.keys.allSatisfy(\.isTool) { throw .notAButton(path: path, detail: "it has no keys") }
            return
        }
        if !wanted.contains(where: { known[$0] }) {
            throw .noSuchKey(path: path, keys: wanted.sorted { $0.code < $1.code }.map(\.name))
        }
    }

    /// The keys that are down: `EVIOCGKEY`.
    func heldKeys() throws(ShutterError) -> InputKeySet { try keys("EVIOCGKEY", lc_input_held_keys) }

    /// Keeps the device's events from all other programs: `EVIOCGRAB`.
    ///
    /// A program that saw a key go down must also see it go up, or it will repeat the key for ever. Therefore this
    /// first waits, up to a second, for keys that are down to be released, such as the Enter that started the program.
    func grab() throws(ShutterError) {
        for _ in 0..<50 where try !heldKeys().isEmpty { usleep(20_000) }
        switch lc_input_grab(descriptor.number, 1) {
        case 0: break
        case -EBUSY: throw .busy(path: path)
        case let result: throw .failed(path, call: "EVIOCGRAB", errno: -result)
        }
    }

    /// The name the device reports: `EVIOCGNAME`.
    var name: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            let count = lc_input_name(descriptor.number, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            return String(
                decoding: buffer[..<Int(count)].prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    private func keys(
        _ name: String, _ call: (Int32, UnsafeMutableRawPointer?, Int) -> Int32
    ) throws(ShutterError) -> InputKeySet {
        var bits = [UInt8](repeating: 0, count: InputKeySet.byteCount)
        let result = call(descriptor.number, &bits, bits.count)
        if result < 0 { throw .failed(path, call: name, errno: -result) }
        return InputKeySet(bits: bits)
    }
}

/// The name of the group that owns a file.
private func group(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, let entry = getgrgid(status.st_gid) else { return nil }
    return String(cString: entry.pointee.gr_name)
}
