// SPDX-License-Identifier: MIT
// Names of cameras that survive replugging, made from what sysfs says.

/// The names of one camera.
struct CameraIdentity: Hashable, Sendable {
    /// By its serial number; nil if it has none to trust.
    let bySerial: String?
    /// By its port on USB, by its parent's name on other buses, or else by its node.
    let byPlace: String
    /// Whether another USB camera of the model would have the same name at that port.
    let isPort: Bool

    /// Serial numbers that several manufacturers give to all their cameras.
    private static let shared: Set<String> = [
        "SN0001", "200901010001", "01.00.00", "1234567890", "0123456789", "123456789", "0123456789ABCDEF",
    ]

    /// The names of the camera at a node.
    init(of node: VideoNode) {
        // One function of a device may have several nodes; the first is the function's own.
        let which = node.index == 0 ? "" : "-node\(node.index)"
        guard let usb = node.usb else {
            bySerial = nil
            isPort = false
            byPlace = node.parent.map { $0 + which } ?? "node-\(node.name)"
            return
        }
        let function = "-if\(usb.interface)\(which)"
        bySerial = usb.serial.flatMap(Self.trusted).map { "usb-\(usb.model)-serial-\($0)\(function)" }
        byPlace = "usb-\(usb.model)-port-\(usb.port)\(function)"
        isPort = true
    }

    /// The serial number as part of a name; nil if it is empty, of one character only, or no camera's own.
    private static func trusted(_ serial: String) -> String? {
        let text = serial.asIdentity
        let characters = Set(text.filter { $0.isLetter || $0.isNumber })
        return characters.count < 2 || shared.contains(text.uppercased()) || text.utf8.count > 128 ? nil : text
    }
}

/// Chooses among the names of all connected cameras, so that no two have the same.
struct CameraIdentities {
    private let counts: [String: Int]

    /// Of these cameras.
    init(_ all: [CameraIdentity]) {
        counts = all.reduce(into: [:]) { counts, identity in
            for name in [identity.bySerial, identity.byPlace] { if let name { counts[name, default: 0] += 1 } }
        }
    }

    /// The name of one of them, and whether it is that of its port. Twins, whose serial numbers are the same, are named
    /// by their ports.
    func name(of identity: CameraIdentity, at node: VideoNode) -> (name: String, isTiedToPort: Bool) {
        if let serial = identity.bySerial, counts[serial] == 1 { return (serial, false) }
        // Two cameras cannot be at one port. If sysfs says so all the same, they still need different names.
        let isUnique = counts[identity.byPlace] == 1
        return (isUnique ? identity.byPlace : "\(identity.byPlace)-\(node.name)", identity.isPort)
    }
}
