// SPDX-License-Identifier: MIT
// Describes one photo as text and as a JSON object.

import Fusion
import LiveCapture
import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage

struct ShotReport {
    let photo: Photo
    let threads: Int
    let droppedByRing: UInt64
    /// The movie in its file, if there is one.
    var movie: LiveMovie?
    /// What has taken it, if not a hand.
    var cause: TriggerCause.Kind?
    /// How it was exposed, in EV relative to the camera, if it is one of a bracket.
    var step: Double?
    /// Whether people get everything, and not one short line.
    var isVerbose = false

    private var path: String { photo.file ?? "" }

    func print(to console: inout Console) throws(Failure) {
        if console.writesJSON { try console.print(object) } else { try console.print(words) }
    }

    /// Such as "now.jpg: 8 frames, +3.21 ms from the moment, 239 kB".
    var words: String {
        let sign = photo.lag.nanoseconds >= 0 ? "+" : ""
        let moment = "\(sign)\(fixed(photo.lag.milliseconds, 2)) ms from the moment"
        let size = "\(byteCount / 1000) kB\(around)\(later)"
        guard isVerbose else {
            let rejected = photo.rejected.isEmpty ? "" : ", \(photo.rejected.count) left out"
            return "\(path): \(frames)\(rejected), \(moment), \(size)"
        }
        let bound = "(within \(fixed(photo.lagBound.milliseconds, 2)) ms)"
        return "\(path): \(gain), frame \(photo.reference.id), \(moment) \(bound), \(size)"
    }

    private var byteCount: Int { movie?.fileBytes ?? photo.byteCount }
    private var around: String { movie.map { ", \(isVerbose ? $0.words : $0.brief)" } ?? "" }

    private var later: String {
        guard let id = photo.libraryID else { return "" }
        if photo.isProxy { return "; \(isVerbose ? "the " : "")proxy of photo \(id), whose final follows" }
        guard isVerbose else { return "; photo \(id)" }
        return "; photo \(id)" + (photo.keptFrames > 0 ? ", \(counted(photo.keptFrames, "frame")) kept" : "")
    }

    /// Such as "8 frames", and what is unusual about them.
    private var frames: String {
        var words = counted(photo.used.count, "frame")
        if photo.isPrioritized || photo.isRelieved {
            let reason = photo.isRelieved ? "under pressure" : "to keep up"
            words += " (\(photo.qualityGiven.rawValue) \(reason))"
        }
        if photo.qualityGiven == .single && photo.qualityAsked != .single { words += ", unchanged" }
        if !photo.isExposureSettled { words += ", before the exposure had settled" }
        if photo.wasCameraOff { words += ", no history because the camera was off" }
        if let effects = photo.effects { words += ", with \(effects.list)" }
        if photo.date != nil { words += ", with its date" }
        if let step { words += ", \(step < 0 ? "" : "+")\(fixed(step, 1)) EV" }
        return words
    }

    /// Such as "8 frames, noise 5.1 -> about 2.0 codes".
    private var gain: String {
        var words = frames
        if let fusion = photo.fusion, fusion.noise > 0 {
            words += ", noise \(fixed(fusion.noise, 1))"
            // The effect of merging alone: that of the mean of so many frames.
            if fusion.evidence > 1 { words += " -> about \(fixed(fusion.noise / fusion.evidence.squareRoot(), 1))" }
            words += " codes"
            let reasons = Refusal.allCases.filter { fusion.refused[$0] >= 0.01 }
            if !reasons.isEmpty {
                let shares = reasons.map { "\($0.words) (\(fixed(100 * fusion.refused[$0], 0)) %)" }
                words += ", from fewer frames where " + shares.joined(separator: ", ")
            }
            if fusion.hotPixels > 0 { words += ", \(counted(fusion.hotPixels, "hot pixel")) taken out" }
        }
        if !photo.rejected.isEmpty { words += ", \(photo.rejected.count) left out (\(reasons))" }
        return words
    }

    /// Each reason once, in the order of the frames: "damaged: truncated, could not be aligned".
    private var reasons: String {
        var seen: Set<String> = []
        return photo.rejected.map(\.reason).filter { seen.insert($0).inserted }.joined(separator: ", ")
    }

    var object: JSON {
        .object(
            [("file", .string(path))] + photo.looks + photo.account + photo.costs + [
                ("threads", JSON(threads)), ("bytes", JSON(byteCount)), ("droppedByRing", JSON(droppedByRing)),
            ] + photo.effectMembers + photo.libraryMembers + (step.map { [("stepEV", .number($0))] } ?? [])
                + (movie?.members ?? []) + (cause.map { [("trigger", .string($0.rawValue))] } ?? []))
    }
}

extension Photo {
    /// The effects of a photo, its date, and the path of its plain picture; none where nothing is drawn.
    var effectMembers: [(String, JSON)] {
        let drawn = [effects.map { ("effects", JSON($0.list)) }, date.map { ("date", JSON($0.text)) }].compactMap(
            \.self)
        return drawn.isEmpty ? [] : drawn + [("plainFile", JSON(plainFile))]
    }

    /// The calendar time of its moment, if its frames' clock allows, and the size and format of the picture.
    var looks: [(String, JSON)] {
        [
            ("time", JSON(taken.map { "\($0)" })), ("width", JSON(size.width)), ("height", JSON(size.height)),
            ("format", .string(format.rawValue)),
        ]
    }

    /// The members that describe a photo in a library; none for others.
    var libraryMembers: [(String, JSON)] {
        libraryID.map {
            [("libraryId", .integer($0.number)), ("deferred", .bool(isProxy)), ("keptFrames", JSON(keptFrames))]
        } ?? []
    }
}

extension Refusal {
    /// What is the case where frames are missing.
    fileprivate var words: String {
        switch self {
        case .motion: "they differ"
        case .noise: "they barely agree"
        case .color: "their colour differs"
        case .clipped: "the picture is clipped"
        }
    }
}
