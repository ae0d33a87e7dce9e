// SPDX-License-Identifier: MIT
// Writes photo requests as text for a library to keep.

import LivecapFrames
import LivecapIntents
import LivecapStills

extension PhotoRequest {
    /// The version of the format, the first member of every text.
    package static let version: Int64 = 1

    /// The request as JSON on one line; `init(_:)` reads it.
    package var text: String { json.text }

    private var json: JSON {
        .object([
            ("version", .integer(Self.version)), ("shot", .string("\(shot.number)")), ("settings", settings.json),
            ("tapNs", .integer(tap.nanoseconds)), ("tapErrorNs", .integer(tapError.nanoseconds)),
            ("tapFrame", JSON(tapFrame?.description)), ("quality", .string(quality.rawValue)),
            ("prioritized", .bool(isPrioritized)), ("frames", .array(frames.map { .string("\($0)") })),
            ("nearest", .string("\(nearest)")), ("spares", .array(spares.map { .string("\($0)") })),
            ("damaged", .array(damaged.map(\.json))), ("shortage", shortage?.json ?? .null),
            ("exposureSettled", .bool(isExposureSettled)), ("cameraWasOff", .bool(wasCameraOff)),
            ("relieved", .bool(isRelieved)),
            ("manual", manual.json), ("wallTime", wallTime?.json ?? .null),
        ])
    }
}

extension FrameShortage {
    fileprivate var json: JSON {
        .object([("asked", JSON(asked)), ("missing", JSON(missing)), ("reason", .string(reason.rawValue))])
    }
}

extension PhotoRequest.DamagedFrame {
    fileprivate var json: JSON { .object([("id", .string("\(id)")), ("damage", .string(damage.name))]) }
}

extension PhotoSettings {
    fileprivate var json: JSON {
        .object([
            ("quality", .string(quality.rawValue)), ("frames", JSON(frames)),
            ("after", JSON(laterFrames)),
            ("reference", .string(reference.rawValue)), ("format", .string(format.rawValue)),
            ("depth", JSON(depth?.rawValue)),
            ("encodeQuality", JSON(encodeQuality)), ("metadata", metadata.json),
            ("compare", .bool(includesComparison)), ("explain", .bool(includesExplanation)),
            ("deferral", .string(deferral.rawValue)), ("zoom", JSON(zoom?.description)),
            ("effects", JSON(drawnEffects?.list)), ("group", group?.json ?? .null),
            ("date", JSON(date?.text)),
        ])
    }
}

extension PhotoGroup {
    fileprivate var json: JSON { .object([("id", .string(id)), ("stream", .string(stream))]) }
}

extension PhotoMetadata {
    fileprivate var json: JSON {
        .object([
            ("orientation", JSON(orientation.rawValue)), ("time", time?.json ?? .null), ("software", JSON(software)),
            ("cameraModel", JSON(cameraModel)), ("manual", manual?.json ?? .null), ("description", JSON(description)),
            ("provenance", JSON(provenance)),
        ])
    }
}

extension CalendarTime {
    fileprivate var json: JSON {
        .object([("ns", .integer(sinceEpoch.nanoseconds)), ("aheadNs", .integer(utcOffset.nanoseconds))])
    }
}

extension ManualSettings {
    fileprivate var json: JSON {
        .object([
            ("exposureNs", JSON(exposure?.nanoseconds)),
            ("gain", JSON(gain)),
            ("whiteBalance", JSON(whiteBalance)),
            ("focus", JSON(focus)),
        ])
    }
}
