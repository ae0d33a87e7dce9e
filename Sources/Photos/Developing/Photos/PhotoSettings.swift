// SPDX-License-Identifier: MIT
// The settings of one photo.

import LivecapEffects
import LivecapFrames
import LivecapStills

/// The settings of one photo.
public struct PhotoSettings: Hashable, Codable, Sendable {
    /// How it is made. Fast capture prioritization may lower the quality; the photo reports it.
    public var quality: PhotoQuality
    /// The total number of frames, 1 to 16 (default: the quality's `defaultFrames`).
    public var frames: Int?
    /// How many of them may be later than the reference. The shot waits a limited time for them.
    public var laterFrames: Int
    /// Which frame's moment it shows.
    public var reference: ReferencePolicy
    /// The format of its file.
    public var format: StillFormat
    /// Bits per sample, one of those the format has (default: the largest).
    public var depth: SampleDepth?
    /// The encoder's quality for lossy formats, 1 to 100 (default: one whose loss is below a camera's own noise).
    public var encodeQuality: Int?
    /// The metadata of its file. If left out, the camera is the session's, and the time is the reference frame's
    /// wall-clock time, if that is known. A JPEG frame stored unchanged gets metadata only if its orientation is not
    /// `up`.
    public var metadata: PhotoMetadata
    /// Whether `metadata.orientation` is replaced by the one that makes the camera's pictures upright, by how it is
    /// mounted and held at the tap (default: true if the metadata's is `up`).
    public var followsRotation: Bool
    /// The part of the frames that fills the photo; nil for all of it. A photo of quality `single` is the frame as it
    /// came, and cannot be zoomed.
    public var zoom: DigitalZoom?
    /// What is drawn into the photo, which then also has its plain picture; nil for nothing. Framing is for frames and
    /// not drawn. A photo of quality `single` is the frame as it came, and has no effects.
    public var effects: EffectSettings?
    /// How the date and time of the reference frame are drawn at the lower left, upright, after all else; the photo
    /// then also has its plain picture. Nil for none. Nothing is drawn where the time is unknown.
    public var date: DateFormat?
    /// Whether to add a picture that shows the reference frame beside the photo.
    public var includesComparison: Bool
    /// Whether to add a picture that shows which frames each part of the photo rests on.
    public var includesExplanation: Bool
    /// Whether its work may be deferred, in a session with a library.
    public var deferral: DeferralPreference
    /// Whether to keep its source frames in the session's library, with a few around them, so that it can be developed
    /// again. The photo is delivered once they are durable, too. Deferred photos keep their frames in either case.
    public var keepsFrames: Bool
    /// The photos that it belongs to, if other cameras take theirs at the same tap. `CaptureGroup` sets it.
    public var group: PhotoGroup?

    /// Creates settings; parameters left out have their defaults.
    public init(
        quality: PhotoQuality = .balanced, frames: Int? = nil, laterFrames: Int = 0, reference: ReferencePolicy = .tap,
        format: StillFormat = .jpeg, depth: SampleDepth? = nil, encodeQuality: Int? = nil,
        metadata: PhotoMetadata = PhotoMetadata(), followsRotation: Bool? = nil, zoom: DigitalZoom? = nil,
        effects: EffectSettings? = nil, date: DateFormat? = nil, includesComparison: Bool = false,
        includesExplanation: Bool = false,
        deferral: DeferralPreference = .automatic, keepsFrames: Bool = false
    ) {
        self.quality = quality
        self.frames = frames
        self.laterFrames = laterFrames
        self.reference = reference
        self.format = format
        self.depth = depth
        self.encodeQuality = encodeQuality
        self.metadata = metadata
        self.includesComparison = includesComparison
        self.includesExplanation = includesExplanation
        self.zoom = zoom
        self.effects = effects
        self.date = date
        self.followsRotation = followsRotation ?? (metadata.orientation == .up)
        self.deferral = deferral
        self.keepsFrames = keepsFrames
    }
}

extension PhotoSettings {
    /// The effects that there is something to draw for.
    package var drawnEffects: EffectSettings? { effects.flatMap { $0.ofStills.areNone ? nil : $0.ofStills } }

    /// Whether something is drawn into the photo, so that it has a plain picture, too.
    package var hasDrawing: Bool { drawnEffects != nil || date != nil }
}

extension PhotoSettings {
    /// These settings with the effects that a board has now; as they are without one.
    package func withEffects(of board: EffectBoard?) -> PhotoSettings {
        guard let board else { return self }
        var settings = self
        settings.effects = board.settings.ofStills
        return settings
    }

    /// These settings with what hides the room in frames with the effects of a board now; as they are if nothing does.
    /// Frames are then merged in any case: effects are not drawn into a single one.
    package func hidingRoom(as board: EffectBoard?) -> PhotoSettings {
        guard let hiding = board?.settings.hidingRoom, !hiding.areNone else { return self }
        var settings = self
        settings.effects = hiding
        if settings.quality == .single { settings.quality = .speed }
        return settings
    }
}

extension EffectSettings {
    /// The list for the file of a photo, which may go anywhere: of a background's path, the last component alone.
    package var listForFiles: String {
        guard case .picture(let path) = background else { return list }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return EffectSettings(
            portrait: portrait, light: light, background: .picture(path: name), framing: framing, brighten: brighten,
            gestures: gestures
        ).list
    }
}
