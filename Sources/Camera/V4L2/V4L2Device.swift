// SPDX-License-Identifier: MIT
// An open video node: the descriptor, what it can do, and the one shape all its calls have.

import CV4L2
import Frames
import Glibc

/// An open V4L2 node, closed when the value goes away. Each method is one ioctl and says which.
struct V4L2Device: ~Copyable {
    /// The node's path, for messages.
    let path: String
    /// The open descriptor.
    let descriptor: Int32

    /// Opens the node: `open(2)`.
    init(path: String) throws(CameraError) {
        var descriptor = cv4l2_open(path)
        // udev hands out permissions a moment after the node is there: a fresh node gets that moment.
        while descriptor == -EACCES, let age = SystemFiles.age(of: path), age < .milliseconds(2000) {
            usleep(50_000)
            descriptor = cv4l2_open(path)
        }
        if descriptor < 0 { throw CameraError.opening(path, errno: -descriptor) }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { _ = cv4l2_close(descriptor) }

    /// Driver, card, bus and capability bits: `VIDIOC_QUERYCAP`.
    func capabilities() throws(CameraError) -> Capabilities {
        var raw = v4l2_capability()
        let result = cv4l2_querycap(descriptor, &raw)
        if result == -ENOTTY || result == -EINVAL {
            throw .notACamera(path: path, detail: "it is no video device")
        }
        try check(result, "VIDIOC_QUERYCAP")
        return Capabilities(raw)
    }

    /// Turns a call's result into an error a user can act on.
    func check(_ result: Int32, _ call: String) throws(CameraError) {
        if result < 0 { throw CameraError.calling(call, path: path, errno: -result) }
    }

    /// The input in use: `VIDIOC_G_INPUT`, `VIDIOC_ENUMINPUT`. Nil where the driver has no such notion.
    var input: v4l2_input? {
        var index: Int32 = 0
        guard cv4l2_g_input(descriptor, &index) == 0 else { return nil }
        var raw = v4l2_input()
        raw.index = UInt32(bitPattern: index)
        return cv4l2_enuminput(descriptor, &raw) == 0 ? raw : nil
    }

    /// Refuses an input that the driver knows to be dead; what comes from there would be noise, or nothing for ever.
    func requireSignal() throws(CameraError) {
        if (input?.status ?? 0) & UInt32(V4L2_IN_ST_NO_SIGNAL | V4L2_IN_ST_NO_POWER) != 0 {
            throw .noSignal(path: path)
        }
    }

    /// Whether the node is still there: an unplugged camera answers ENODEV to everything.
    var isGone: Bool {
        var raw = v4l2_capability()
        return cv4l2_querycap(descriptor, &raw) == -ENODEV
    }
}

/// What a node says of itself.
struct Capabilities: Hashable, Sendable {
    /// The kernel driver: "uvcvideo".
    let driver: String
    /// The camera's name.
    let card: String
    /// Where it is attached: "usb-0000:00:14.0-1".
    let bus: String
    /// What this very node does, not its siblings.
    let flags: UInt32

    init(_ raw: v4l2_capability) {
        driver = string(raw.driver)
        card = string(raw.card)
        bus = string(raw.bus_info)
        // `capabilities` speaks of the whole device and would make every camera's metadata node a camera.
        flags = raw.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? raw.device_caps : raw.capabilities
    }

    /// Delivers pictures of one plane, by streaming.
    var isCamera: Bool { has(V4L2_CAP_VIDEO_CAPTURE) && has(V4L2_CAP_STREAMING) }
    /// Delivers pictures of several planes only.
    var isMultiPlanar: Bool { has(V4L2_CAP_VIDEO_CAPTURE_MPLANE) && !has(V4L2_CAP_VIDEO_CAPTURE) }

    private func has(_ flag: Int32) -> Bool { flags & UInt32(bitPattern: flag) != 0 }
}

/// The text in a C array of characters, up to its zero.
func string<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

extension CameraError {
    /// Why a node could not be opened.
    static func opening(_ path: String, errno: Int32) -> CameraError {
        switch errno {
        case ENOENT, ENXIO: .noSuchDevice(path, available: [])
        case ENODEV: .disconnected(path: path)
        case EACCES, EPERM: .permissionDenied(path: path, group: SystemFiles.group(of: path))
        case EBUSY: .busy(path: path, holder: SystemFiles.holder(of: path))
        default: .driver(path: path, call: "open", errno: errno)
        }
    }

    /// Why a call to a driver failed.
    static func calling(_ call: String, path: String, errno: Int32) -> CameraError {
        switch errno {
        case ENODEV, ENXIO: .disconnected(path: path)
        case EBUSY: .busy(path: path, holder: SystemFiles.holder(of: path))
        default: .driver(path: path, call: call, errno: errno)
        }
    }
}
