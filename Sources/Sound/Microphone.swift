// SPDX-License-Identifier: MIT
// What is known of a microphone, and which one is used.

/// Through which system a microphone is heard.
public enum SoundSystem: String, Hashable, Sendable, CaseIterable {
    /// ALSA, with a sound card that livecap has for itself, or one of ALSA's other devices.
    case alsa
    /// PipeWire, which lets several programs hear a source at once.
    case pipeWire = "pipewire"
}

/// Something that captures sound: a source of PipeWire's, or a device of a sound card.
public struct Microphone: Hashable, Sendable, Identifiable {
    /// `pipewire:` and the name of PipeWire's node; or ALSA's name of it, such as `hw:CARD=C920,DEV=0`: of the card,
    /// not of its number, which changes.
    public var id: String
    /// The name for people.
    public var name: String
    /// ALSA's short name of the card, such as `C920`; empty if it belongs to none.
    public var card: String
    /// The device's number on the card.
    public var device: Int
    /// The physical device: its folder in sysfs. A camera's own microphone has the same as the camera; nil if there is
    /// none.
    public var place: String?
    /// When it was connected, on any clock: a later one has a greater number. PipeWire's default has the greatest.
    package var connected: Int64

    package init(
        id: String, name: String, card: String, device: Int = 0, place: String? = nil, connected: Int64 = 0
    ) {
        self.id = id
        self.name = name
        self.card = card
        self.device = device
        self.place = place
        self.connected = connected
    }
}

extension Microphone {
    /// What sets names of PipeWire's apart, and those of ALSA's devices that are none of a card.
    static let pipeWirePrefix = "pipewire:"
    static let alsaPrefix = "alsa:"

    /// PipeWire's default, whichever that is at a time.
    static let pipeWireDefault = Microphone(id: "pipewire", name: "PipeWire's default source", card: "")

    /// A device that ALSA may have, such as `default` or one of a plugin.
    static func ofALSA(_ device: String) -> Microphone {
        Microphone(id: alsaPrefix + device, name: "ALSA's device '\(device)'", card: "")
    }

    /// The system that it is heard through.
    public var system: SoundSystem {
        id == Self.pipeWireDefault.id || id.hasPrefix(Self.pipeWirePrefix) ? .pipeWire : .alsa
    }

    /// ALSA's name of it.
    var alsaDevice: String { id.hasPrefix(Self.alsaPrefix) ? String(id.dropFirst(Self.alsaPrefix.count)) : id }

    /// The name of PipeWire's node; empty for whichever is the default.
    var node: String { id.hasPrefix(Self.pipeWirePrefix) ? String(id.dropFirst(Self.pipeWirePrefix.count)) : "" }
}

extension Microphone: CustomStringConvertible {
    /// Such as `HD Pro Webcam C920 (hw:CARD=C920,DEV=0)`.
    public var description: String { "\(name) (\(id))" }
}

/// Which microphone is used, among those that are connected.
public enum MicrophoneChoice: Hashable, Sendable {
    /// The camera's own; without one, PipeWire's default; without PipeWire, the one that was connected last.
    case automatic
    /// This one alone, by its id.
    case only(String)

    /// The candidates in order, best first. `place` is the camera's physical device.
    package func candidates(_ microphones: [Microphone], camera place: String?) -> [Microphone] {
        switch self {
        case .only(let id): microphones.filter { $0.id == id }
        case .automatic:
            microphones.sorted { a, b in
                let (isOwn, isOther) = (place != nil && a.place == place, place != nil && b.place == place)
                if isOwn != isOther { return isOwn }
                // PipeWire may have the device, and then ALSA's is busy.
                if a.system != b.system { return a.system == .pipeWire }
                if a.connected != b.connected { return a.connected > b.connected }
                // A card's first device is its usual one.
                return (a.device, a.id) < (b.device, b.id)
            }
        }
    }
}

extension [Microphone] {
    /// The microphone that a name means: an id, a card, or part of a name. Of a device that PipeWire and ALSA have,
    /// PipeWire's is meant. Nil if it is none of them.
    /// - Throws: `ambiguousName`.
    package func microphone(named name: String) throws(SoundError) -> Microphone? {
        if let exact = first(where: { $0.id == name }) ?? first(where: { $0.node == name && !name.isEmpty }) {
            return exact
        }
        for system in [SoundSystem.pipeWire, .alsa] {
            if let found = try filter({ $0.system == system }).like(name) { return found }
        }
        return nil
    }

    /// The one of a card or name; nil if there is none.
    func like(_ name: String) throws(SoundError) -> Microphone? {
        let wanted = name.lowercased()
        for isMeant in [{ $0.card == name }, { $0.name.lowercased().contains(wanted) }] as [(Microphone) -> Bool] {
            let found = filter(isMeant)
            // Several devices of one card are one choice: the first.
            if Set(found.map { $0.card.isEmpty ? $0.id : $0.card }).count > 1 {
                throw .ambiguousName(name, found.map(\.id))
            }
            if let first = found.min(by: { $0.device < $1.device }) { return first }
        }
        return nil
    }
}
