// SPDX-License-Identifier: MIT
// Finds cameras, puts them in the order of preference, and finds the one that a name means.

import LivecapFiles
import LivecapFrames
import LivecapThreads

/// The cameras of this machine, now. `CameraDiscovery` follows them as they come and go.
public struct CameraDirectory: Sendable {
    /// How a camera is asked; nil if it is none. The flag says whether a new node is given time to get its permissions.
    typealias Question = @Sendable (_ path: String, _ waits: Bool) throws(CameraError) -> CameraAnswers?

    /// A camera at a node, before it has a name: that depends on the others.
    struct Sighting: Hashable, Sendable {
        let node: VideoNode
        let answers: CameraAnswers
    }

    private static let standardSysfs = "/sys/class/video4linux"
    private let sysfs: String
    let devices: String
    private let ask: Question
    /// The choices of the user; nil to know none.
    let history: CameraHistory?

    /// Creates a directory of this machine's cameras.
    public init() {
        self.init(sysfs: Self.standardSysfs, devices: "/dev", history: .standard)
    }

    /// Creates a directory of the cameras found below other roots, for tests.
    init(
        sysfs: String, devices: String = "/dev", history: CameraHistory? = nil,
        ask: @escaping Question = { (path, waits) throws(CameraError) in try CameraAnswers.ask(path, waits: waits) }
    ) {
        self.sysfs = sysfs
        self.devices = devices
        self.history = history
        self.ask = ask
    }

    /// All cameras, the preferred one first. Nodes that deliver no video (metadata, output) are omitted. Blocks.
    package func cameras() -> [CameraRecord] {
        let sightings = nodes().compactMap { sighting(at: $0) }
        return withUsers(Self.preferredFirst(records(of: sightings), choices: history?.read().choices ?? []))
    }

    /// All cameras, the preferred one first. Nodes that deliver no video (metadata, output) are omitted.
    public func cameras() async -> [CameraRecord] { await onThread(named: "cameras") { self.cameras() } }

    /// Finds the camera that `name` means: "auto", a node, an identity, another exact name, or (part of) a camera's
    /// name.
    /// - Throws: `noSuchDevice`, with the names of those there are, `ambiguousName` if several cameras have the name,
    ///   or why a camera named by its path cannot be used.
    public func camera(named name: String) async throws(CameraError) -> CameraRecord {
        try await onThread(named: "cameras") { () throws(CameraError) in try self.camera(named: name) }
    }

    /// The same, blocking.
    package func camera(named name: String) throws(CameraError) -> CameraRecord {
        guard name.hasPrefix("/") else {
            if let found = try cameraAmongFew(named: name) { return found }
            let cameras = cameras()
            if let found = try cameras.camera(named: name) { return found }
            throw .noSuchDevice(name, available: cameras.map(\.listing))
        }
        // Other cameras are not opened for it: that can take long, and switch their lights on.
        let target = SystemFiles.resolved(name) ?? name
        let nodes = nodes()
        if let node = nodes.first(where: { "\(devices)/\($0)" == target }), let found = sighting(at: node) {
            let others = nodes.filter { $0 != node }.map { VideoNode($0, sysfs: sysfs, devices: devices) }
            return withUsers(records(of: [found], beside: others))[0]
        }
        // Open it, so that the error says what is wrong with it instead of that it is not listed.
        do throws(CameraError) {
            let device = try V4L2Device(path: name)
            let capabilities = try device.capabilities()
            try device.requireCamera(capabilities)
            return CameraRecord(path: name, CameraAnswers(device, capabilities), identity: name)
        } catch .noSuchDevice {
            throw .noSuchDevice(name, available: cameras().map(\.listing))
        }
    }
}

extension CameraDirectory {
    /// The camera that a name means, if sysfs shows that most others cannot be meant, which are then not opened: that
    /// can take long, and switch their lights on. Nil if all have to be asked.
    /// - Throws: `ambiguousName` if several cameras have the name.
    private func cameraAmongFew(named name: String) throws(CameraError) -> CameraRecord? {
        guard name != "auto" else { return nil }
        let nodes = nodes().map { VideoNode($0, sysfs: sysfs, devices: devices) }
        let identities = nodes.map { CameraIdentity(of: $0) }
        let all = CameraIdentities(identities)
        let exact = zip(nodes, identities).filter { node, identity in
            let names = [all.name(of: identity, at: node).name, identity.bySerial, identity.byPlace, node.earlierName]
            return names.contains(name) || node.name == name || node.links.contains(name)
        }.map(\.0)
        // Only the camera itself knows its bus, which is a name, too.
        let wanted = name.lowercased()
        let named = name.hasPrefix("usb-") ? [] : nodes.filter { $0.cameraName?.lowercased().contains(wanted) ?? true }
        for few in [exact, named] where !few.isEmpty && few.count < nodes.count {
            let sightings = few.compactMap { sighting(at: $0.name) }
            let seen = Set(sightings.map(\.node))
            let records = records(of: sightings, beside: nodes.filter { !seen.contains($0) })
            let cameras = Self.preferredFirst(records, choices: history?.read().choices ?? [])
            if let found = try cameras.camera(named: name) { return withUsers([found])[0] }
        }
        return nil
    }

    /// Whether udev knows the cameras.
    var isOfThisMachine: Bool { sysfs == Self.standardSysfs }

    /// The names of all video nodes, ordered by number: "video0", "video1", "video10".
    func nodes() -> [String] {
        let listed = SystemFiles.names(in: sysfs)
        let names = listed.isEmpty ? SystemFiles.names(in: devices) : listed
        let numbers = names.compactMap { $0.hasPrefix("video") ? Int($0.dropFirst(5)) : nil }
        return Set(numbers).sorted().map { "video\($0)" }
    }

    /// The node of the camera with an identity, without opening any; nil if it is not connected.
    func path(of identity: String) -> String? {
        // A node that sysfs does not list is its own identity.
        identity.hasPrefix("/") ? identity : node(of: identity)?.path
    }

    /// The physical device of the camera with an identity, as in `CameraRecord.device`, without opening any.
    package func device(of identity: String) -> String? { node(of: identity)?.device }

    /// Whether a camera with that identity is connected, determined without opening any. No path is one.
    package func has(_ identity: String) -> Bool { node(of: identity) != nil }

    private func node(of identity: String) -> VideoNode? {
        let nodes = nodes().map { VideoNode($0, sysfs: sysfs, devices: devices) }
        let identities = nodes.map { CameraIdentity(of: $0) }
        let all = CameraIdentities(identities)
        return zip(nodes, identities).first { all.name(of: $1, at: $0).name == identity }?.0
    }

    /// Asks the camera at a node; nil if there is none.
    func sighting(at name: String, waits: Bool = true) -> Sighting? {
        let node = VideoNode(name, sysfs: sysfs, devices: devices)
        do throws(CameraError) {
            return try ask(node.path, waits).map { Sighting(node: node, answers: $0) }
        } catch {
            switch error {
            case .notACamera, .noSuchDevice, .disconnected: return nil
            // If a camera cannot be opened, its other nodes cannot be distinguished from it. The first node is assumed
            // to be the camera.
            default: guard node.index == 0 else { return nil }
            }
            return Sighting(node: node, answers: CameraAnswers(name: node.label?.saidOnce ?? name, trouble: error))
        }
    }

    /// What is known of each, in the same order. Names depend on all connected cameras, thus on other nodes, too.
    func records(of sightings: [Sighting], beside others: [VideoNode] = []) -> [CameraRecord] {
        let identities = sightings.map { CameraIdentity(of: $0.node) }
        let all = CameraIdentities(identities + others.map { CameraIdentity(of: $0) })
        return zip(sightings, identities).map { sighting, identity in
            let node = sighting.node
            let (name, isTiedToPort) = all.name(of: identity, at: node)
            var record = CameraRecord(path: node.path, sighting.answers, identity: name)
            record.isTiedToPort = isTiedToPort
            record.position = CameraPosition(removable: node.usb?.removable)
            record.device = node.device
            // The driver may say a name twice.
            let longName = node.label.flatMap { $0.saidOnce == record.name ? $0 : nil }
            let names =
                [identity.bySerial, identity.byPlace] + node.links + [node.earlierName, record.bus, longName]
            record.otherNames = names.compactMap(\.self).filter { !$0.isEmpty && $0 != name && $0 != record.name }
            return record
        }
    }

    /// The cameras, each with the processes that have it open.
    func withUsers(_ cameras: [CameraRecord]) -> [CameraRecord] {
        let users = SystemFiles.users(of: cameras.map(\.path))
        return cameras.map { camera in
            var camera = camera
            camera.users = users[camera.path] ?? []
            return camera
        }
    }

    /// The order of preference: cameras that can be used and see something first, of these the user's choices, then
    /// colour, then USB, then the node's number.
    static func preferredFirst(_ cameras: [CameraRecord], choices: [CameraChoice]) -> [CameraRecord] {
        let ranked = cameras.enumerated().map { place, camera in
            let chosen = camera.isUsable ? choices.place(of: camera, among: cameras) ?? .max : .max
            let state = !camera.isUsable ? 2 : camera.isSuspended ? 1 : 0
            return (camera, (state, chosen, camera.rank, place))
        }
        return ranked.sorted { $0.1 < $1.1 }.map(\.0)
    }
}

extension CameraRecord {
    /// A camera as it answered, with nothing known of its place.
    init(path: String, _ answers: CameraAnswers, identity: String) {
        self.init(
            path: path, identity: identity, isTiedToPort: false, name: answers.name,
            kind: CameraKind(of: answers.offers),
            bus: answers.bus, position: .unknown, driver: answers.driver, offers: answers.offers,
            controls: answers.controls, users: [], trouble: answers.trouble, otherNames: [], device: path)
    }

    /// The lower, the better, among cameras that can be used.
    fileprivate var rank: Int {
        let kindRank =
            switch kind {
            case .color, nil: 0
            case .infrared: 2
            case .depth: 4
            }
        return kindRank + (bus.hasPrefix("usb") ? 0 : 1)
    }

    /// Such as "/dev/video0 (HD Webcam)", for lists in errors.
    var listing: String { "\(path) (\(name))" }
}

extension VideoNode {
    /// The name that the camera will report, or one that it is the beginning of; nil if only the camera knows. uvcvideo
    /// gives its nodes the cameras' names, other drivers names of their own.
    fileprivate var cameraName: String? { driver == "uvcvideo" ? label : nil }

    /// The name that earlier versions gave a camera on USB without udev.
    fileprivate var earlierName: String? {
        usb.map { usb in
            let model = usb.model.split(separator: ":").joined(separator: "-")
            return (["usb", model] + [usb.serial].compactMap(\.self)).joined(separator: "-")
        }
    }
}
