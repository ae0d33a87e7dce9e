// SPDX-License-Identifier: MIT
// What is known of a camera that was found.

import LivecapFrames

/// A process that has a camera open.
public struct CameraUser: Hashable, Codable, Sendable {
    /// The program's name, of at most 15 bytes.
    public let name: String
    /// The process id.
    public let pid: Int32
}

extension CameraUser: CustomStringConvertible {
    /// Such as `cheese (pid 123)`.
    public var description: String { "\(name) (pid \(pid))" }
}

/// A camera that was found. It was opened only to query it.
public struct CameraRecord: Hashable, Sendable {
    /// The device node, such as "/dev/video0". It may be another camera's after the next replugging.
    public var path: String
    /// A name that survives replugging, made from the serial number, or else from the port. It is the same with and
    /// without udev, and no two connected cameras have the same.
    public var identity: String
    /// Whether the identity is that of the port: another camera of the same model at that port would have it, too, and
    /// this camera has another identity elsewhere. So it is with USB cameras without a serial number, and with those
    /// whose number is also that of another connected camera.
    public var isTiedToPort: Bool
    /// The name the camera reports.
    public var name: String
    /// What it sees; nil if it could not be queried.
    public var kind: CameraKind?
    /// The bus it is attached to.
    public var bus: String
    /// Where it is.
    public var position: CameraPosition
    /// The kernel driver.
    public var driver: String
    /// The formats it delivers.
    public var offers: [FormatOffer]
    /// Its controls.
    public var controls: [CameraControl]
    /// Other processes that have it open, in lists of cameras; empty in changes. Those of other users are known only to
    /// root.
    public var users: [CameraUser]
    /// Why the camera could not be queried. The other fields then come from sysfs. Not part of the coded form.
    public var trouble: CameraError?
    /// Other exact names it answers to: what its identity would be by serial number and by port, udev's links, and
    /// names of earlier versions.
    package var otherNames: [String]
    /// The physical device. Cameras of one device have the same.
    package var device: String

    /// Whether pictures can be taken with it.
    package var isUsable: Bool { trouble == nil && !offers.isEmpty }

    /// Whether its privacy switch or shutter was closed when it was last asked: its pictures are then black. False for
    /// cameras that do not say.
    public var isSuspended: Bool { controls.contains { $0.id == .privacy && $0.value == 1 } }
}

extension CameraRecord: CustomStringConvertible {
    /// Such as `HD Webcam (/dev/video0)`.
    public var description: String { "\(name) (\(path))" }
}

extension CameraRecord: Codable {
    private enum CodingKeys: CodingKey {
        case path, identity, isTiedToPort, name, kind, bus, position, driver, offers, controls, users, otherNames,
            device
    }

    /// Decodes a camera without its trouble. Throws `DecodingError` if it is none.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        path = try values.decode(String.self, forKey: .path)
        identity = try values.decode(String.self, forKey: .identity)
        name = try values.decode(String.self, forKey: .name)
        bus = try values.decode(String.self, forKey: .bus)
        driver = try values.decode(String.self, forKey: .driver)
        offers = try values.decode([FormatOffer].self, forKey: .offers)
        controls = try values.decode([CameraControl].self, forKey: .controls)
        // Added later.
        isTiedToPort = try values.decodeIfPresent(Bool.self, forKey: .isTiedToPort) ?? false
        kind = try values.decodeIfPresent(CameraKind.self, forKey: .kind) ?? CameraKind(of: offers)
        position = try values.decodeIfPresent(CameraPosition.self, forKey: .position) ?? .unknown
        users = try values.decodeIfPresent([CameraUser].self, forKey: .users) ?? []
        otherNames = try values.decodeIfPresent([String].self, forKey: .otherNames) ?? []
        device = try values.decodeIfPresent(String.self, forKey: .device) ?? path
    }
}
