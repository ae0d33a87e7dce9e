// SPDX-License-Identifier: MIT
// Reads photo requests from untrusted text.

import LivecapEffects
import LivecapFrames
import LivecapIntents
import LivecapStills

/// Why a text is not a valid photo request, in words for people.
package struct PhotoRequestFault: Error, Hashable, Sendable {
    /// The reason, such as "its frames are not in order".
    package let reason: String
}

extension PhotoRequest {
    /// The longest text accepted, in bytes: longer than any request made here.
    static let longestText = 256 << 10

    /// Reads a request from its `text`. Any other text is refused with an error; no text traps.
    package init(_ text: String) throws(PhotoRequestFault) {
        guard text.utf8.count <= Self.longestText else { throw PhotoRequestFault(reason: "it is too long") }
        guard let json = JSON(parsing: Array(text.utf8)) else { throw PhotoRequestFault(reason: "it is no JSON") }
        let fields = Fields(json)
        let version = try fields.integer("version")
        guard version == Self.version else {
            throw PhotoRequestFault(reason: "it is of version \(version); this program reads \(Self.version)")
        }
        guard let number = UInt64(try fields.string("shot")) else { throw fields.fault("shot") }
        let damaged = try fields.array("damaged").map { json throws(PhotoRequestFault) in try DamagedFrame(Fields(json))
        }
        let tapFrame = try fields.optional("tapFrame") { field, key throws(PhotoRequestFault) in
            try field.frame(key)
        }
        self.init(
            shot: ShotID(number: number), settings: try PhotoSettings(fields.object("settings")),
            tap: Timestamp(nanoseconds: try fields.integer("tapNs")), tapError: try fields.span("tapErrorNs"),
            tapFrame: tapFrame, quality: try fields.word("quality"), isPrioritized: try fields.flag("prioritized"),
            frames: try fields.frames("frames"), nearest: try fields.frame("nearest"),
            spares: try fields.frames("spares"), damaged: damaged,
            // Requests written before the shortage was kept have none.
            shortage: try fields.isMissing("shortage")
                ? nil
                : fields.optional("shortage") { field, key throws(PhotoRequestFault) in
                    try FrameShortage(field.object(key))
                },
            isExposureSettled: try fields.flag("exposureSettled"),
            // Older requests are of cameras that were always on.
            wasCameraOff: try fields.isMissing("cameraWasOff") ? false : fields.flag("cameraWasOff"),
            // Older requests count pressure as prioritization.
            isRelieved: try fields.isMissing("relieved") ? false : fields.flag("relieved"),
            manual: try fields.manual() ?? ManualSettings(),
            wallTime: try fields.optionalTime("wallTime"))
        if let problem { throw PhotoRequestFault(reason: problem) }
    }

    /// Why the request is inconsistent; nil if it is valid.
    private var problem: String? {
        if let problem = settings.problem { return problem.message }
        guard FrameDemand.range.contains(frames.count) else { return "it has \(frames.count) frames" }
        guard zip(frames, frames.dropFirst()).allSatisfy({ $0 < $1 && $0.epoch == $1.epoch }) else {
            return "its frames are not in order"
        }
        guard frames.contains(nearest) else { return "the frame nearest its tap is none of its frames" }
        guard spares.count <= 2, !spares.contains(where: frames.contains) else {
            return "its spare frames make no sense"
        }
        // Only a camera that delivers almost nothing but damaged frames has more of them in one window.
        guard damaged.count <= 4096 else { return "it has \(damaged.count) damaged frames" }
        return nil
    }
}

extension FrameShortage {
    fileprivate init(_ fields: Fields) throws(PhotoRequestFault) {
        let (asked, missing) = (try fields.count("asked"), try fields.count("missing"))
        guard FrameDemand.range.contains(asked), (1..<asked).contains(missing) else { throw fields.fault("missing") }
        self.init(asked: asked, missing: missing, reason: try fields.word("reason"))
    }
}

extension PhotoRequest.DamagedFrame {
    fileprivate init(_ fields: Fields) throws(PhotoRequestFault) {
        let name = try fields.string("damage")
        guard let damage = Damage.allCases.first(where: { $0.name == name && $0 != .none }) else {
            throw fields.fault("damage")
        }
        self.init(id: try fields.frame("id"), damage: damage)
    }
}

extension PhotoSettings {
    fileprivate init(_ fields: Fields) throws(PhotoRequestFault) {
        let depth = try fields.optional("depth") { field, key throws(PhotoRequestFault) in
            guard let depth = SampleDepth(rawValue: try field.count(key)) else { throw field.fault(key) }
            return depth
        }
        // Older requests have none.
        let zoom = try fields.isMissing("zoom") ? nil : fields.optionalText("zoom")
        let effects = try fields.isMissing("effects") ? nil : fields.optionalText("effects")
        let group =
            try fields.isMissing("group")
            ? nil
            : fields.optional("group") { field, key throws(PhotoRequestFault) in try PhotoGroup(field.object(key)) }
        let date = try fields.isMissing("date") ? nil : fields.optionalText("date")
        let count = { (field: Fields, key: String) throws(PhotoRequestFault) in try field.count(key) }
        self.init(
            quality: try fields.word("quality"), frames: try fields.optional("frames", count),
            laterFrames: try fields.count("after"), reference: try fields.word("reference"),
            format: try fields.word("format"),
            depth: depth, encodeQuality: try fields.optional("encodeQuality", count),
            metadata: try PhotoMetadata(fields.object("metadata")),
            zoom: try zoom.map { text throws(PhotoRequestFault) in
                guard let zoom = DigitalZoom(text) else { throw fields.fault("zoom") }
                return zoom
            },
            effects: try effects.map { list throws(PhotoRequestFault) in
                guard let effects = EffectSettings(list: list) else { throw fields.fault("effects") }
                return effects
            },
            date: try date.map { text throws(PhotoRequestFault) in
                guard let date = DateFormat(text) else { throw fields.fault("date") }
                return date
            },
            includesComparison: try fields.flag("compare"),
            includesExplanation: try fields.flag("explain"), deferral: try fields.word("deferral"))
        self.group = group
    }
}

extension PhotoGroup {
    fileprivate init(_ fields: Fields) throws(PhotoRequestFault) {
        guard let group = PhotoGroup(id: try fields.string("id"), stream: try fields.string("stream")) else {
            throw fields.fault("id")
        }
        self = group
    }
}

extension PhotoMetadata {
    fileprivate init(_ fields: Fields) throws(PhotoRequestFault) {
        self.init()
        guard let turned = UInt16(exactly: try fields.integer("orientation")).flatMap(PhotoOrientation.init(rawValue:))
        else { throw fields.fault("orientation") }
        orientation = turned
        time = try fields.optionalTime("time")
        software = try fields.optionalText("software")
        cameraModel = try fields.optionalText("cameraModel")
        manual = try fields.manual()
        description = try fields.optionalText("description")
        provenance = try fields.optionalText("provenance")
    }
}

/// Reads the members of a JSON object, each as the type asked for.
private struct Fields {
    private let json: JSON

    init(_ json: JSON) { self.json = json }

    func fault(_ key: String) -> PhotoRequestFault { PhotoRequestFault(reason: "its '\(key)' makes no sense") }

    private func member(_ key: String) throws(PhotoRequestFault) -> JSON {
        guard let value = json[key] else { throw PhotoRequestFault(reason: "it has no '\(key)'") }
        return value
    }

    func isMissing(_ key: String) -> Bool { json[key] == nil }

    func integer(_ key: String) throws(PhotoRequestFault) -> Int64 {
        guard case .integer(let value) = try member(key) else { throw fault(key) }
        return value
    }

    /// A number from 0 to 1,000,000.
    func count(_ key: String) throws(PhotoRequestFault) -> Int {
        let value = try integer(key)
        guard (0...1_000_000).contains(value) else { throw fault(key) }
        return Int(value)
    }

    /// A duration in nanoseconds, not negative.
    func span(_ key: String) throws(PhotoRequestFault) -> Duration {
        let value = try integer(key)
        guard value >= 0 else { throw fault(key) }
        return .nanoseconds(value)
    }

    func flag(_ key: String) throws(PhotoRequestFault) -> Bool {
        guard case .bool(let value) = try member(key) else { throw fault(key) }
        return value
    }

    func string(_ key: String) throws(PhotoRequestFault) -> String {
        guard case .string(let value) = try member(key) else { throw fault(key) }
        return value
    }

    func array(_ key: String) throws(PhotoRequestFault) -> [JSON] {
        guard case .array(let values) = try member(key) else { throw fault(key) }
        return values
    }

    func object(_ key: String) throws(PhotoRequestFault) -> Fields {
        let value = try member(key)
        guard case .object = value else { throw fault(key) }
        return Fields(value)
    }

    func word<Word: RawRepresentable<String>>(_ key: String) throws(PhotoRequestFault) -> Word {
        guard let word = Word(rawValue: try string(key)) else { throw fault(key) }
        return word
    }

    func frame(_ key: String) throws(PhotoRequestFault) -> FrameID {
        guard let id = FrameID(try string(key)) else { throw fault(key) }
        return id
    }

    func frames(_ key: String) throws(PhotoRequestFault) -> [FrameID] {
        try array(key).map { json throws(PhotoRequestFault) in
            guard case .string(let text) = json, let id = FrameID(text) else { throw fault(key) }
            return id
        }
    }

    func optional<Value>(
        _ key: String, _ read: (Fields, String) throws(PhotoRequestFault) -> Value
    ) throws(PhotoRequestFault) -> Value? {
        if case .null = try member(key) { return nil }
        return try read(self, key)
    }

    func optionalSpan(_ key: String) throws(PhotoRequestFault) -> Duration? {
        try optional(key) { field, key throws(PhotoRequestFault) in try field.span(key) }
    }

    /// What the camera was set to by hand. Older texts have only the exposure time.
    func manual() throws(PhotoRequestFault) -> ManualSettings? {
        guard !isMissing("manual") else {
            return try optionalSpan("exposureNs").map { ManualSettings(exposure: $0) }
        }
        return try optional("manual") { field, key throws(PhotoRequestFault) in
            let manual = try field.object(key)
            return ManualSettings(
                exposure: try manual.optionalSpan("exposureNs"), gain: try manual.optionalSetting("gain"),
                whiteBalance: try manual.optionalSetting("whiteBalance"), focus: try manual.optionalSetting("focus"))
        }
    }

    private func optionalSetting(_ key: String) throws(PhotoRequestFault) -> Int32? {
        try optional(key) { field, key throws(PhotoRequestFault) in
            guard let value = Int32(exactly: try field.integer(key)) else { throw field.fault(key) }
            return value
        }
    }

    func optionalText(_ key: String) throws(PhotoRequestFault) -> String? {
        try optional(key) { field, key throws(PhotoRequestFault) in try field.string(key) }
    }

    func optionalTime(_ key: String) throws(PhotoRequestFault) -> CalendarTime? {
        try optional(key) { field, key throws(PhotoRequestFault) in
            let time = try field.object(key)
            return CalendarTime(
                sinceEpoch: .nanoseconds(try time.integer("ns")), utcOffset: .nanoseconds(try time.integer("aheadNs")))
        }
    }
}
