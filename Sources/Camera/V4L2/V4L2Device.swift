// SPDX-License-Identifier: MIT
// An open video node: its descriptor, its capabilities, and the common shape of all its calls.

import Glibc
import LivecapCV4L2
import LivecapFiles
import LivecapFrames

/// An open V4L2 node, closed when the value goes away. Each method wraps the ioctl its comment names.
struct V4L2Device: ~Copyable, Sendable {
    /// The node's path, for error messages.
    let path: String
    /// The open descriptor.
    let descriptor: Int32

    /// Opens the node: `open(2)`.
    init(path: String, waitsForPermission: Bool = true) throws(CameraError) {
        var descriptor = cv4l2_open(path)
        // udev sets permissions shortly after the node appears, so retry for a while if the node is new.
        while waitsForPermission, descriptor == -EACCES, let age = SystemFiles.age(of: path), age < .milliseconds(2000)
        {
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
            throw .notACamera(path: path, detail: "not a video device")
        }
        try check(result, "VIDIOC_QUERYCAP")
        return Capabilities(raw)
    }

    /// Converts a call's result to an error that a user can act on.
    func check(_ result: Int32, _ call: String) throws(CameraError) {
        if result < 0 { throw CameraError.calling(call, path: path, errno: -result) }
    }

    /// The current input: `VIDIOC_G_INPUT`, `VIDIOC_ENUMINPUT`. Nil if the driver has no inputs.
    var input: v4l2_input? {
        var index: Int32 = 0
        guard cv4l2_g_input(descriptor, &index) == 0 else { return nil }
        var raw = v4l2_input()
        raw.index = UInt32(bitPattern: index)
        return cv4l2_enuminput(descriptor, &raw) == 0 ? raw : nil
    }

    /// Throws if the driver knows that the input has no signal or power: it would deliver only noise, or nothing at
    /// all.
    func requireSignal() throws(CameraError) {
        if (input?.status ?? 0) & UInt32(V4L2_IN_ST_NO_SIGNAL | V4L2_IN_ST_NO_POWER) != 0 {
            throw .noSignal(path: path)
        }
    }

    /// Whether the node is gone: an unplugged camera fails every call with ENODEV.
    var isGone: Bool {
        var raw = v4l2_capability()
        return cv4l2_querycap(descriptor, &raw) == -ENODEV
    }
}

/// The capabilities a node reports.
struct Capabilities: Hashable, Sendable {
    /// The kernel driver: "uvcvideo".
    let driver: String
    /// The camera's name.
    let card: String
    /// The bus it is attached to, such as "usb-0000:00:14.0-1".
    let bus: String
    /// The capabilities of this node itself, not of the other nodes of the device.
    let flags: UInt32

    init(_ raw: v4l2_capability) {
        driver = string(raw.driver)
        card = string(raw.card).saidOnce
        bus = string(raw.bus_info)
        // `capabilities` describes the whole device, so using it would turn every camera's metadata node into a camera.
        flags = raw.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? raw.device_caps : raw.capabilities
    }

    /// Whether the node delivers single-plane pictures by streaming.
    var isCamera: Bool { has(V4L2_CAP_VIDEO_CAPTURE) && has(V4L2_CAP_STREAMING) }
    /// Whether the node delivers only multi-planar pictures.
    var isMultiPlanar: Bool { has(V4L2_CAP_VIDEO_CAPTURE_MPLANE) && !has(V4L2_CAP_VIDEO_CAPTURE) }

    private func has(_ flag: Int32) -> Bool { flags & UInt32(bitPattern: flag) != 0 }
}

/// The text in a C character array, up to the terminating zero.
func string<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

extension CameraError {
    /// The error for a node that could not be opened.
    static func opening(_ path: String, errno: Int32) -> CameraError {
        switch errno {
        case ENOENT, ENXIO: .noSuchDevice(path, available: [])
        case ENODEV: .disconnected(path: path)
        case EACCES, EPERM: .permissionDenied(path: path, group: SystemFiles.group(of: path))
        case EBUSY: .busy(path: path, holder: SystemFiles.holder(of: path))
        default: .driver(path: path, call: "open", errno: errno)
        }
    }

    /// The error for a failed driver call.
    static func calling(_ call: String, path: String, errno: Int32) -> CameraError {
        switch errno {
        case ENODEV, ENXIO: .disconnected(path: path)
        case EBUSY: .busy(path: path, holder: SystemFiles.holder(of: path))
        default: .driver(path: path, call: call, errno: errno)
        }
    }
}
