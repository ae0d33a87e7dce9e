// SPDX-License-Identifier: MIT
// A photo and everything that is told of it.

import Frames
import FusionKernels
import PhotoLibrary
import Stills

/// A photo, and its account of itself.
public struct Photo: Sendable {
    /// Which shot of the session it is.
    public let shot: ShotID
    /// The picture file's bytes; empty where they are in `file`.
    public internal(set) var bytes: [UInt8] = []
    /// A PNG picture of the reference frame beside the photo, where that was asked for and frames were fused.
    public internal(set) var comparison: [UInt8]?
    /// A PNG picture of how many frames each part of the photo rests on, where that was asked for and frames were fused.
    public internal(set) var explanation: [UInt8]?
    /// Where it was written; nil where nobody asked for that.
    public internal(set) var file: String?
    /// Which photo of the session's library it is, or is to become; nil where it was put nowhere, or elsewhere.
    public internal(set) var libraryID: PhotoID?
    /// How many source frames the session's library keeps of it.
    public internal(set) var keptFrames = 0
    /// When the frame was taken whose moment it shows, by the wall clock there; nil where only the source's clock is known.
    public internal(set) var taken: PhotoTime?
    /// Whether it stands for a photo that is made later.
    public internal(set) var isProxy = false
    /// A small JPEG of it, where it goes into a library.
    var thumbnail: [UInt8]?
    /// What its file says of its making.
    var provenance: String?
    /// How many bytes its file has.
    public internal(set) var byteCount = 0
    /// The moment that was asked for, on the source's clock.
    public let tap: Timestamp
    /// The frame whose moment it shows.
    public internal(set) var reference: FrameMetadata
    /// The frames in it, and the mean weight of each.
    public internal(set) var used: [(frame: FrameMetadata, weight: Double)] = []
    /// The frames that were there and are not in it, and why.
    public internal(set) var rejected: [(id: FrameID, reason: String)] = []
    /// The picture's kind.
    public let format: StillFormat
    /// Its pixels across and down, as its file has them.
    public internal(set) var size = FrameSize(width: 0, height: 0)
    /// How it was to be made.
    public let asked: PhotoQuality
    /// How it was made.
    public internal(set) var given: PhotoQuality
    /// Whether less was given than asked for to keep up with taps.
    public let isPrioritized: Bool
    /// Whether the camera's exposure had settled when its frames were taken.
    public let isExposureSettled: Bool
    /// The fusion's account of itself; nil for a frame as it came.
    public internal(set) var fusion: FusionReport?
    /// What people should know beside that.
    public internal(set) var notes: [String] = []
    /// How long each part of the work took, and what it waited for.
    public internal(set) var stages: [(name: String, time: TimeSpan)] = []

    /// When it was asked for and when it was done, on CLOCK_MONOTONIC.
    public internal(set) var requested = Timestamp.zero, finished = Timestamp.zero

    /// The reference's time minus the tap.
    public var lag: TimeSpan { reference.time - tap }
    /// How wrong the tap's own time may be.
    public let tapError: TimeSpan
    /// How long its frames were exposed, where the camera's driver told.
    public let exposure: TimeSpan?
    /// The lag is true within this much, as far as can be known: of when the light was gathered, and of the tap.
    public var lagBound: TimeSpan { reference.lightBound(exposure: exposure) + tapError }

    init(_ request: PhotoRequest, reference: FrameMetadata) {
        (shot, tap, self.reference) = (request.shot, request.tap, reference)
        (tapError, exposure) = (request.tapError, request.exposure)
        (asked, given, isPrioritized) = (request.settings.quality, request.quality, request.isPrioritized)
        (isExposureSettled, format) = (request.isExposureSettled, request.settings.format)
    }

    /// Adds to the time of a stage.
    mutating func took(_ time: TimeSpan, in name: String) {
        if let place = stages.firstIndex(where: { $0.name == name }) {
            stages[place].time = stages[place].time + time
        } else {
            stages.append((name, time))
        }
    }
}

extension FrameMetadata {
    /// The light was gathered within this much of `time`. An exposure that nobody tells counts nothing.
    func lightBound(exposure: TimeSpan?) -> TimeSpan {
        guard let exposure else { return uncertainty }
        return switch timeSource {
        // In practice that of the first packet: the first row was exposed before, the last is read within `uncertainty` after.
        case .startOfExposure: max(uncertainty, exposure)
        // All of it lies before: reading the rows, and before that exposing them.
        case .endOfFrame, .dequeue: uncertainty + exposure
        case .file, .scene: uncertainty
        }
    }
}
