// SPDX-License-Identifier: MIT
// What sysfs and udev's links say about a video node, without opening it.

import LivecapFiles

/// A video node and its place in the machine.
struct VideoNode: Hashable, Sendable {
    /// A function of a USB device.
    struct USB: Hashable, Sendable {
        /// Vendor and product, such as "046d:0825".
        let model: String
        /// The serial number as the device reports it.
        let serial: String?
        /// The number of the interface, such as "00".
        let interface: String
        /// The controller, which of its buses, and the ports from there on: "0000:00:14.0-0:2.4".
        let port: String
        /// The kernel's attribute `removable`; "removable" if that of a hub above is, or if the bus is a network.
        let removable: String?
    }

    /// Such as "video0".
    let name: String
    /// Such as "/dev/video0".
    let path: String
    /// The node's number among those of its parent in sysfs.
    let index: Int
    /// The name that the driver gives the node in sysfs.
    let label: String?
    /// The kernel driver of its parent; nil if sysfs does not say.
    let driver: String?
    /// The parent's bus and name, such as "platform-vivid.0"; nil for a node without a parent.
    let parent: String?
    /// The physical device: its folder in sysfs, or else the node's path. Nodes of one device have the same.
    let device: String
    /// Its place on USB; nil for other cameras.
    let usb: USB?
    /// The names of udev's links to it.
    let links: [String]

    /// Looks up `name` below `sysfs` (/sys/class/video4linux) and `devices` (/dev).
    init(_ name: String, sysfs: String, devices: String) {
        self.name = name
        path = "\(devices)/\(name)"
        index = SystemFiles.text("\(sysfs)/\(name)/index").flatMap { Int($0) } ?? 0
        label = SystemFiles.text("\(sysfs)/\(name)/name")
        let folder = SystemFiles.resolved("\(sysfs)/\(name)/device")
        let bus = folder.flatMap { SystemFiles.resolved("\($0)/subsystem") }?.lastName ?? "device"
        driver = folder.flatMap { SystemFiles.resolved("\($0)/driver") }?.lastName
        parent = folder.map { "\(bus)-\($0.lastName)".asIdentity }
        let (usb, device) = folder.flatMap(Self.usb) ?? (nil, folder)
        self.usb = usb
        self.device = device ?? path
        links = Self.links(to: path, devices)
    }

    /// The USB device that has the interface at `folder`, and the device's folder; nil if there is none.
    private static func usb(of folder: String) -> (USB?, String?)? {
        var (place, interface) = (folder, "")
        // The node's parent is the interface, or a device of its own below it.
        for _ in 0..<4 {
            if interface.isEmpty { interface = SystemFiles.text(place + "/bInterfaceNumber") ?? "" }
            if let vendor = SystemFiles.text(place + "/idVendor"), let product = SystemFiles.text(place + "/idProduct")
            {
                let usb = USB(
                    model: "\(vendor):\(product)".asIdentity, serial: SystemFiles.text(place + "/serial"),
                    interface: interface.isEmpty ? "00" : interface.asIdentity, port: port(of: place),
                    removable: removable(of: place))
                return (usb, place)
            }
            place = place.folderPath
        }
        return nil
    }

    /// Whether people can unplug the device at `folder`, as the kernel says it. Often it knows that only of the hub
    /// that the device is plugged into; and what is fixed to a hub goes with it, such as the camera of a monitor.
    private static func removable(of folder: String) -> String? {
        var place = folder
        while place.lastName.contains("-") {
            if SystemFiles.text(place + "/removable") == "removable" { return "removable" }
            place = place.folderPath
        }
        // Below "vhci_hcd.0/usb1" are the devices of other machines (USB/IP).
        return place.folderPath.lastName.hasPrefix("vhci_hcd")
            ? "removable" : SystemFiles.text(folder + "/removable")
    }

    /// The port of the device at `folder`, such as ".../0000:00:14.0/usb1/1-2/1-2.4".
    private static func port(of folder: String) -> String {
        let chain = folder.lastName.drop { $0 != "-" }.dropFirst()
        var hub = folder
        while !hub.lastName.hasPrefix("usb"), hub.count > 1 { hub = hub.folderPath }
        // The number of a bus changes with the order in which controllers are found; its place at its controller does
        // not.
        let controller = hub.folderPath
        let buses = SystemFiles.names(in: controller).compactMap { name in
            name.hasPrefix("usb") ? Int(name.dropFirst(3)) : nil
        }
        let bus = buses.sorted().firstIndex { "usb\($0)" == hub.lastName } ?? 0
        return "\(controller.lastName)-\(bus):\(chain)".asIdentity
    }

    /// Two links can lead to one node. They are sorted by name, so that the order is stable.
    private static func links(to path: String, _ devices: String) -> [String] {
        ["by-id", "by-path"].flatMap { kind in
            let folder = "\(devices)/v4l/\(kind)"
            return SystemFiles.names(in: folder).filter { SystemFiles.resolved("\(folder)/\($0)") == path }
        }
    }
}

extension String {
    /// The text with everything replaced that a shell, a terminal or a line of a file may take for something else.
    package var asIdentity: String {
        String(map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.:".contains($0)) ? $0 : "_" })
    }
}
