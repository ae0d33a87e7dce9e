// SPDX-License-Identifier: MIT
// Reports of udev that video nodes came, went or changed.

import Glibc
import LivecapCudev

/// What happened to a video node.
enum NodeEvent: Hashable, Sendable {
    /// The node was added, and udev has done its work on it. The name is that below /dev: "video0".
    case added(String)
    /// Its device was taken away.
    case removed(String)
    /// Something about it changed.
    case changed(String)
    /// Reports were lost: look at all nodes.
    case lost
}

/// A connection to udev. libudev is not made for several threads: one thread makes it and uses it.
final class DeviceMonitor {
    private let udev: OpaquePointer
    private let monitor: OpaquePointer
    /// Readable when there are reports.
    let descriptor: Int32

    /// Whether udev runs here. Without it, no report ever comes.
    static var isServed: Bool { access("/run/udev/control", F_OK) == 0 }

    /// Connects: `udev_monitor_new_from_netlink`. Nil if the system does not allow it.
    init?() {
        guard let udev = udev_new() else { return nil }
        guard let monitor = udev_monitor_new_from_netlink(udev, "udev") else {
            udev_unref(udev)
            return nil
        }
        // Twenty cameras on one hub have forty nodes. More than the system's limit needs a privilege, and is not vital.
        _ = udev_monitor_set_receive_buffer_size(monitor, 1 << 20)
        guard udev_monitor_filter_add_match_subsystem_devtype(monitor, "video4linux", nil) >= 0,
            udev_monitor_enable_receiving(monitor) >= 0
        else {
            udev_monitor_unref(monitor)
            udev_unref(udev)
            return nil
        }
        self.udev = udev
        self.monitor = monitor
        descriptor = udev_monitor_get_fd(monitor)
    }

    deinit {
        udev_monitor_unref(monitor)
        udev_unref(udev)
    }

    /// The next report; nil if there is none now: `udev_monitor_receive_device`.
    func next() -> NodeEvent? {
        while true {
            errno = 0
            guard let device = udev_monitor_receive_device(monitor) else {
                return errno == ENOBUFS ? .lost : nil
            }
            defer { udev_device_unref(device) }
            guard let name = udev_device_get_sysname(device).map({ String(cString: $0) }),
                let action = udev_device_get_action(device).map({ String(cString: $0) }), name.hasPrefix("video")
            else { continue }
            switch action {
            case "add": return .added(name)
            case "remove": return .removed(name)
            default: return .changed(name)
            }
        }
    }
}
