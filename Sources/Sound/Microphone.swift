// SPDX-License-Identifier: MIT
// What is known of a microphone, and which one is used.

/// Something that captures sound: a device of a sound card.
public struct Microphone: Hashable, Sendable, Identifiable {
    /// ALSA's name of it, such as `hw:CARD=C920,DEV=0`: of the card, not of its number, which changes.
    public var id: String
    /// The name for people.
    public var name: String
    /// ALSA's short name of the card, such as `C920`.
    public var card: String
    /// The device's number on the card.
    public var device: Int
    /// The physical device: its folder in sysfs. A camera's own microphone has the same as the camera; nil if there is
    /// none.
    public var place: String?
    /// When it was connected, on any clock: a later one has a greater number.
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

extension Microphone: CustomStringConvertible {
    /// Such as `HD Pro Webcam C920 (hw:CARD=C920,DEV=0)`.
    public var description: String { "\(name) (\(id))" }
}

/// Which microphone is used, among those that are connected.
public enum MicrophoneChoice: Hashable, Sendable {
    /// The camera's own; without one, the one that was connected last.
    case automatic
    /// This one alone, by ALSA's name.
    case only(String)

    /// The candidates in order, best first. `place` is the camera's physical device.
    package func candidates(_ microphones: [Microphone], camera place: String?) -> [Microphone] {
        switch self {
        case .only(let id): microphones.filter { $0.id == id }
        case .automatic:
            microphones.sorted { a, b in
                let (isOwn, isOther) = (place != nil && a.place == place, place != nil && b.place == place)
                if isOwn != isOther { return isOwn }
                if a.connected != b.connected { return a.connected > b.connected }
                // A card's first device is its usual one.
                return (a.device, a.id) < (b.device, b.id)
            }
        }
    }
}

extension [Microphone] {
    /// The microphone that a name means: an id, a card, or part of a name. Nil if it is none of them.
    /// - Throws: `ambiguousName`.
    package func microphone(named name: String) throws(SoundError) -> Microphone? {
        if let exact = first(where: { $0.id == name }) { return exact }
        let wanted = name.lowercased()
        for isMeant in [{ $0.card == name }, { $0.name.lowercased().contains(wanted) }] as [(Microphone) -> Bool] {
            let found = filter(isMeant)
            // Several devices of one card are one choice: the first.
            if Set(found.map(\.card)).count > 1 { throw .ambiguousName(name, found.map(\.id)) }
            if let first = found.min(by: { $0.device < $1.device }) { return first }
        }
        return nil
    }
}
