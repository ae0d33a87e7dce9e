// SPDX-License-Identifier: MIT
// Which cameras there are, and what they are called: now, and after the next replugging.

import CV4L2
import Frames

/// A camera as found, opened only to be asked.
public struct CameraRecord: Hashable, Sendable {
    /// The node: "/dev/video0".
    public var path: String
    /// A name that survives replugging, best of: by-id link, by-path link, USB ids and serial, bus, node.
    public var identity: String
    /// What the camera calls itself.
    public var name: String
    /// Where it is attached.
    public var bus: String
    /// The kernel driver.
    public var driver: String
    /// What it delivers.
    public var offers: [FormatOffer]
    /// Its controls.
    public var controls: [CameraControl]
    /// Why it could not be asked; what is above is then what sysfs tells.
    public var trouble: CameraError?

    /// Whether the camera sees in grey only: an infrared sensor as a rule.
    var isGreyOnly: Bool { !offers.isEmpty && offers.allSatisfy { $0.pixelFormat.isGrey } }
}

extension PixelFormat {
    fileprivate var isGrey: Bool {
        self == .grey || ["Y10 ", "Y12 ", "Y16 ", "Z16 ", "Y8I ", "Y12I"].contains { PixelFormat(named: $0) == self }
    }
}

/// The video nodes of this machine.
public struct CameraDirectory: Sendable {
    private let sysfs: String
    private let devices: String

    /// The cameras of this machine; tests give other roots.
    public init(sysfs: String = "/sys/class/video4linux", devices: String = "/dev") {
        self.sysfs = sysfs
        self.devices = devices
    }

    /// Every camera, the preferred one first. Nodes that deliver no video (metadata, output) are left out.
    public func cameras() -> [CameraRecord] {
        let found = nodes().compactMap(record(of:)).enumerated()
        return found.sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
    }

    /// The camera a user means by `name`: "auto", a node, an identity, or (part of) a camera's name.
    public func camera(named name: String) throws(CameraError) -> CameraRecord {
        // A path is taken at its word, so that what is wrong with it is said and not that it is not listed.
        if name.hasPrefix("/") {
            let target = SystemFiles.resolved(name) ?? name
            if let listed = record(of: String(target.split(separator: "/").last ?? "")), listed.path == target {
                return listed
            }
            do throws(CameraError) {
                let device = try V4L2Device(path: name)
                let capabilities = try device.capabilities()
                try device.requireCamera(capabilities)
                return ask(device, capabilities, identity: name)
            } catch .noSuchDevice {
                throw .noSuchDevice(name, available: names(of: cameras()))
            }
        }
        let cameras = cameras()
        if name == "auto", let preferred = cameras.first { return preferred }
        let wanted = name.lowercased()
        if let exact = cameras.first(where: { $0.identity == name || $0.path == devices + "/" + name }) { return exact }
        let named = cameras.filter { $0.name.lowercased() == wanted }
        let matching = named.isEmpty ? cameras.filter { $0.name.lowercased().contains(wanted) } : named
        guard let match = matching.first, name != "auto" else {
            throw .noSuchDevice(name, available: names(of: cameras))
        }
        return match
    }

    private func names(of cameras: [CameraRecord]) -> [String] { cameras.map { "\($0.path) (\($0.name))" } }

    /// The names of all video nodes, by number: "video0", "video1", "video10".
    private func nodes() -> [String] {
        let listed = SystemFiles.names(in: sysfs)
        let names = listed.isEmpty ? SystemFiles.names(in: devices) : listed
        let numbers = names.compactMap { $0.hasPrefix("video") ? Int($0.dropFirst(5)) : nil }
        return numbers.sorted().map { "video\($0)" }
    }

    private func record(of node: String) -> CameraRecord? {
        let path = devices + "/" + node
        let identity = identity(of: node)
        do throws(CameraError) {
            let device = try V4L2Device(path: path)
            let capabilities = try device.capabilities()
            guard capabilities.isCamera || capabilities.isMultiPlanar else { return nil }
            return ask(device, capabilities, identity: identity ?? (capabilities.bus.isEmpty ? path : capabilities.bus))
        } catch {
            // Siblings of a camera that may not be opened cannot be told from it; the first node is the camera.
            if case .notACamera = error { return nil }
            guard (SystemFiles.text("\(sysfs)/\(node)/index") ?? "0") == "0" else { return nil }
            if case .noSuchDevice = error { return nil }
            let name = SystemFiles.text("\(sysfs)/\(node)/name") ?? node
            return CameraRecord(
                path: path, identity: identity ?? path, name: name, bus: "", driver: "", offers: [], controls: [],
                trouble: error)
        }
    }

    private func ask(
        _ device: borrowing V4L2Device, _ capabilities: Capabilities, identity: String
    ) -> CameraRecord {
        CameraRecord(
            path: device.path, identity: identity, name: capabilities.card, bus: capabilities.bus,
            driver: capabilities.driver, offers: capabilities.isMultiPlanar ? [] : device.offers(),
            controls: device.controls(),
            trouble: capabilities.isMultiPlanar
                ? .notSupported(path: device.path, detail: "it uses the multi-planar API") : nil)
    }

    /// The name by which udev or USB know the node; nil where neither does.
    private func identity(of node: String) -> String? {
        for folder in ["by-id", "by-path"] {
            let links = SystemFiles.names(in: "\(devices)/v4l/\(folder)")
            let target = devices + "/" + node
            // Two links can lead to one node; the first by name is as good as any, and the same each time.
            if let link = links.first(where: { SystemFiles.resolved("\(devices)/v4l/\(folder)/\($0)") == target }) {
                return link
            }
        }
        let usb = "\(sysfs)/\(node)/device/.."
        if let vendor = SystemFiles.text("\(usb)/idVendor"), let product = SystemFiles.text("\(usb)/idProduct") {
            let serial = SystemFiles.text("\(usb)/serial")
            return ["usb", vendor, product, serial].compactMap { $0 }.joined(separator: "-")
        }
        return nil
    }

    /// What is preferred when nobody says: cameras that can be used, in colour, on USB, then by node.
    private func rank(_ camera: CameraRecord) -> Int {
        (camera.trouble == nil && !camera.offers.isEmpty ? 0 : 4) + (camera.isGreyOnly ? 2 : 0)
            + (camera.bus.hasPrefix("usb") ? 0 : 1)
    }
}
