// SPDX-License-Identifier: MIT
// A photo, and everything known about it.

import Fusion
import LivecapEffects
import LivecapFrames
import LivecapPhotoStorage
import LivecapStills

/// A photo, and the record of how it was made.
public struct Photo: Hashable, Codable, Sendable {
    /// The shot of the session that made it.
    public let shot: ShotID
    /// The picture file's bytes; empty if they are in `file`.
    public package(set) var bytes: [UInt8] = []
    /// A PNG of the reference frame beside the photo, if `includesComparison` was set and frames were fused.
    public package(set) var comparison: [UInt8]?
    /// A PNG that shows how many frames each part of the photo rests on, if `includesExplanation` was set and frames
    /// were fused.
    public package(set) var explanation: [UInt8]?
    /// The path it was written to; nil if it was not written.
    public package(set) var file: String?
    /// If it has effects or a date: the bytes of its plain picture, which is the same without them; empty if they are
    /// in `plainFile`.
    public package(set) var plain: [UInt8]?
    /// The path of its plain picture; nil if there is none, or it was not written.
    public package(set) var plainFile: String?
    /// The effects that are drawn into it; nil for none.
    public package(set) var effects: EffectSettings?
    /// How the date is written that is drawn into it; nil for none.
    public package(set) var date: DateFormat?
    /// A PNG of where people are in it, if it has effects: white where they are.
    package var mask: [UInt8]?
    /// The photo's id in the session's library; nil if it did not go there. A proxy has the id of its final.
    public package(set) var libraryID: PhotoID?
    /// How many of its source frames the session's library keeps.
    public package(set) var keptFrames = 0
    /// The wall-clock time of the reference frame, in the time zone of the capture; nil if only the source's own clock
    /// is known.
    public package(set) var taken: CalendarTime?
    /// The photos that it belongs to, which other cameras took at the same tap; nil if it was taken alone.
    public let group: PhotoGroup?
    /// Whether it is the proxy of a photo that is made later.
    public package(set) var isProxy = false
    /// A small JPEG of it, made if it goes into a library.
    package var thumbnail: [UInt8]?
    /// The account of its making that its file carries, as JSON.
    package var provenance: String?
    /// The size of its file in bytes.
    public package(set) var byteCount = 0
    /// The moment that was asked for, on the source's clock.
    public let tap: Timestamp
    /// The frame whose moment it shows.
    public package(set) var reference: FrameMetadata
    /// The frames it was made of, with the mean weight of each.
    public package(set) var used: [UsedFrame] = []
    /// The frames that were considered but not used, and why.
    public package(set) var rejected: [RejectedFrame] = []
    /// The format of its file.
    public let format: StillFormat
    /// Its size in pixels as stored in its file.
    public package(set) var size = FrameSize(width: 0, height: 0)
    /// The quality asked for.
    public let qualityAsked: PhotoQuality
    /// The quality it was made with.
    public package(set) var qualityGiven: PhotoQuality
    /// Whether fast capture prioritization lowered the quality, to keep up with taps.
    public let isPrioritized: Bool
    /// Whether the quality was lowered because the machine was under pressure.
    public let isRelieved: Bool
    /// Whether the camera's exposure had settled when its frames were taken.
    public let isExposureSettled: Bool
    /// Whether the camera was off at the moment asked for, and was switched on for it: there was no history to choose
    /// from, and the photo shows the first frame whose exposure had settled.
    public let wasCameraOff: Bool
    /// The fusion's report; nil for a frame delivered unchanged.
    public package(set) var fusion: FusionReport?
    /// Further remarks for people.
    public package(set) var notes: [String] = []
    /// The duration of each stage of its making, including waits.
    public package(set) var stages: [Stage] = []

    /// When it was requested and when it was finished, on CLOCK_MONOTONIC. `tap` and `reference.time` are on the
    /// source's clock, which is the same for cameras only: recordings and scenes at the fast pace have their own.
    public package(set) var requested = Timestamp.zero, finished = Timestamp.zero

    /// The reference frame's time minus the tap's: negative if the frame came before the tap.
    public var lag: Duration { reference.time - tap }
    /// How wrong the tap's own time may be.
    public let tapUncertainty: Duration
    /// What the camera was set to by hand.
    public let manual: ManualSettings
    /// How wrong `lag` may be, as far as can be known: it covers when the light was gathered, and the error of the
    /// tap's time.
    public var lagBound: Duration { lightBound + tapUncertainty }
    /// How far from the reference frame's time the light may have been gathered, as far as can be known.
    public var lightBound: Duration { reference.lightBound(exposure: manual.exposure) }

    init(_ request: PhotoRequest, reference: FrameMetadata) {
        shot = request.shot
        tap = request.tap
        self.reference = reference
        tapUncertainty = request.tapError
        manual = request.manual
        qualityAsked = request.settings.quality
        qualityGiven = request.quality
        isPrioritized = request.isPrioritized
        isExposureSettled = request.isExposureSettled
        format = request.settings.format
        group = request.settings.group
        wasCameraOff = request.wasCameraOff
        isRelieved = request.isRelieved
    }

    /// Notes where its files are, in place of their bytes.
    package mutating func noteWritten(_ written: PhotoFiles.Written?) {
        guard let written else { return }
        file = written.path
        bytes = []
        plainFile = written.plain
        if plain != nil { plain = plainFile == nil ? nil : [] }
    }

    /// Notes that a frame is not used.
    package mutating func reject(_ id: FrameID, because reason: String) {
        rejected.append(RejectedFrame(id: id, reason: reason))
    }

    /// Adds to the duration of a stage.
    package mutating func took(_ time: Duration, in name: String) {
        if let place = stages.firstIndex(where: { $0.name == name }) {
            stages[place].time = stages[place].time + time
        } else {
            stages.append(Stage(name: name, time: time))
        }
    }
}

extension Photo: CustomStringConvertible {
    /// One line for people: its size, format, frames and quality, how far it is from the moment asked for, and its
    /// file.
    public var description: String {
        let lag = (Double(lag.nanoseconds) / 10_000).rounded() / 100
        let frames = used.count == 1 ? "1 frame" : "\(used.count) frames"
        let place = file.map { ", \($0)" } ?? libraryID.map { ", photo \($0) of the library" } ?? ""
        return "\(isProxy ? "proxy" : "photo") \(size) \(format.rawValue), \(frames), \(qualityGiven.rawValue), "
            + "\(lag) ms from the moment, \(byteCount / 1000) kB\(place)"
    }
}

extension Photo {
    /// A frame that is part of a photo.
    public struct UsedFrame: Hashable, Codable, Sendable {
        /// The frame.
        public let frame: FrameMetadata
        /// Its mean weight over the picture: 1 if all of it counts as much as the reference frame.
        public let weight: Double
    }

    /// A frame that was considered but not used.
    public struct RejectedFrame: Hashable, Codable, Sendable {
        /// The frame.
        public let id: FrameID
        /// Why it was not used, in words.
        public let reason: String
    }

    /// A stage of a photo's making.
    public struct Stage: Hashable, Codable, Sendable {
        /// Its name, as reports have it.
        public let name: String
        /// How long it took, including waits.
        public package(set) var time: Duration
    }
}

extension FrameMetadata {
    /// How far from `time` the light may have been gathered. An unknown exposure counts as zero.
    func lightBound(exposure: Duration?) -> Duration {
        guard let exposure else { return uncertainty }
        return switch timeSource {
        // In practice it is the time of the first packet: the first row was exposed before, the last is read within
        // `uncertainty` after.
        case .startOfExposure: max(uncertainty, exposure)
        // All of it lies before: reading the rows, and before that exposing them.
        case .endOfFrame, .dequeue: uncertainty + exposure
        case .file, .scene: uncertainty
        }
    }
}
