// SPDX-License-Identifier: MIT
// Finds cameras and gives them names that survive replugging.

import LivecapCV4L2
import LivecapFiles
import LivecapFrames

/// A camera that was found. It was opened only to query it.
public struct CameraRecord: Hashable, Codable, Sendable {
    /// The device node, such as "/dev/video0".
    public var path: String
    /// A name that survives replugging, the best available of: by-id link, by-path link, USB ids and serial, bus, node.
    public var identity: String
    /// The name the camera reports.
    public var name: String
    /// The bus it is attached to.
    public var bus: String
    /// The kernel driver.
    public var driver: String
    /// The formats it delivers.
    public var offers: [FormatOffer]
    /// Its controls.
    public var controls: [CameraControl]
    /// Why the camera could not be queried. The other fields then come from sysfs. Not part of the coded form.
    public var trouble: CameraError?

    private enum CodingKeys: CodingKey { case path, identity, name, bus, driver, offers, controls }

    /// Whether the camera delivers only grey, which usually means an infrared sensor.
    var isGreyOnly: Bool { !offers.isEmpty && offers.allSatisfy { $0.pixelFormat.isGrey } }
}

extension CameraRecord: CustomStringConvertible {
    /// Such as `HD Webcam (/dev/video0)`.
    public var description: String { "\(name) (\(path))" }
}

extension PixelFormat {
    fileprivate var isGrey: Bool {
        // Grey, depth and infrared codes that have no row. A code that gets one is removed here.
        samples?.model == .grey
            || ["Y16 ", "Z16 ", "Y8I ", "Y12I"].contains { PixelFormat(named: $0) == self }
    }
}

/// The video nodes of this machine.
public struct CameraDirectory: Sendable {
    private let sysfs: String
    private let devices: String

    /// Creates a directory of this machine's cameras.
    public init() { self.init(sysfs: "/sys/class/video4linux", devices: "/dev") }

    /// Creates a directory of the cameras found below other roots, for tests.
    package init(sysfs: String, devices: String = "/dev") {
        self.sysfs = sysfs
        self.devices = devices
    }

    /// All cameras, the preferred one first. Nodes that deliver no video (metadata, output) are omitted.
    public func cameras() -> [CameraRecord] {
        let found = nodes().compactMap(record(of:)).enumerated()
        return found.sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
    }

    /// Finds the camera that `name` refers to: "auto", a node, an identity, or (part of) a camera's name.
    /// - Throws: `noSuchDevice`, with the names of those there are, or why a camera named by its path cannot be used.
    public func camera(named name: String) throws(CameraError) -> CameraRecord {
        // Open a path directly, so that the error says what is wrong with it instead of that it is not listed.
        if name.hasPrefix("/") {
            let target = resolvedPath(name) ?? name
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

    /// The names of all video nodes, ordered by number: "video0", "video1", "video10".
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
            // If a camera cannot be opened, its other nodes cannot be distinguished from it. The first node is assumed
            // to be the camera.
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

    /// The name that udev or USB gives the node; nil if neither knows it.
    private func identity(of node: String) -> String? {
        for folder in ["by-id", "by-path"] {
            let links = SystemFiles.names(in: "\(devices)/v4l/\(folder)")
            let target = devices + "/" + node
            // Two links can lead to one node. Always take the first by name, so that the identity is stable.
            if let link = links.first(where: { resolvedPath("\(devices)/v4l/\(folder)/\($0)") == target }) {
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

    /// The order of preference for "auto": usable cameras first, then colour, then USB, then the node number.
    private func rank(_ camera: CameraRecord) -> Int {
        (camera.trouble == nil && !camera.offers.isEmpty ? 0 : 4) + (camera.isGreyOnly ? 2 : 0)
            + (camera.bus.hasPrefix("usb") ? 0 : 1)
    }
}
