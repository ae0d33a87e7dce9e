// SPDX-License-Identifier: MIT
// What a movie's file says of itself: when and with which camera it was taken, how it was made, which side is up.

import LivecapFrames
import LivecapIntents
import LivecapStabilization

/// The account of a movie that its file carries: in MP4 by the names of QuickTime's keys, in Matroska by those of its
/// tags. `livecap info` reads it back, and so do exiftool and ffprobe.
struct MovieAccount {
    /// When the first picture was taken, and the zone of that place; nil if that is not known.
    var start: CalendarTime?
    /// The camera, or the recording.
    var source: SourceDescription
    /// The program, such as `livecap 1.0`.
    var software: String
    /// What makes the pictures upright. They are stored as the camera delivered them.
    var mount = CameraMount.upright
    /// What part of the frames is enlarged.
    var zoom: DigitalZoom?
    /// Whether each picture is fused of several frames.
    var isFused = false
    /// Whether the source's frames were steadied before.
    var isSteadied = false
    /// How the pictures are steadied.
    var stabilization = StabilizationMode.off
    /// How the pictures are compressed.
    var format: MovieFormat
    /// FFmpeg's encoder of the pictures; nil if they are the camera's own.
    var encoder: String?
    /// The codec of the sound, if there is any.
    var sound: SoundCodec?
    /// Which part of a movie it is, from 1 on, if that is split.
    var part: Int?
    /// How the time of a timelapse passes.
    var lapse: MovieLapse?
    /// What a still has in common with this movie, if they are a pair.
    var contentIdentifier: String?

    /// What libavformat calls the kind of file. A movie that belongs to a still is QuickTime's, as Apple's programs
    /// want it.
    var muxer: String { contentIdentifier == nil ? format.container.muxer : "mov" }

    /// The name of the tag that holds `provenance`.
    static let provenanceTag = "livecap_provenance"

    /// The texts in the file, by name.
    var tags: [(name: String, value: String)] {
        // Every container has a place of its own for this one, in UTC.
        var tags = start.map { [("creation_time", $0.inUTC)] } ?? []
        switch format.container {
        case .mp4:
            if let start { tags.append(("com.apple.quicktime.creationdate", "\(start)")) }
            tags += [("com.apple.quicktime.model", source.name), ("com.apple.quicktime.software", software)]
            if let contentIdentifier { tags.append(("com.apple.quicktime.content.identifier", contentIdentifier)) }
        case .mkv, .webm:
            if let start { tags.append(("DATE_RECORDED", "\(start)".replacing("T", with: " "))) }
            tags += [("ENCODED_BY", software), ("MODEL", source.name)]
        }
        return tags + [("comment", words), (Self.provenanceTag, provenance.text)]
    }

    /// For people: `Eye, 1280x720 MJPG at 30 fps, unchanged`.
    var words: String {
        let rate = source.rate.map { " at \($0) fps" } ?? ""
        let isSteady = stabilization != .off
        let made = encoder.map { "encoded by \($0)" } ?? (isSteady ? "made JPEG again" : "unchanged")
        let lapse = lapse.map { ", \($0.words)" } ?? ""
        return "\(source.name), \(source.format.size) \(source.format.pixelFormat)\(rate), "
            + "\(isFused ? "fused, " : "")\(isSteadied || isSteady ? "steadied, " : "")\(made)\(lapse)"
    }

    /// For programs.
    var provenance: JSON {
        .object([
            ("version", 1), ("engine", .string(software)), ("begin", JSON(start.map { "\($0)" })),
            ("source", Self.object(source)), ("fused", .bool(isFused)),
            ("steadied", .bool(isSteadied)), ("codec", .string(format.codec.rawValue)),
            ("stabilization", .string(stabilization.rawValue)),
            ("unchanged", .bool(encoder == nil && stabilization == .off)), ("encoder", JSON(encoder)),
            ("sound", JSON(sound?.rawValue)), ("turn", JSON(mount.angle.degrees)),
            ("mirrored", .bool(mount.isMirrored)), ("zoom", JSON(zoom.map { "\($0)" })), ("part", JSON(part)),
            ("timelapse", lapse.map(Self.object) ?? .null),
        ])
    }

    private static func object(_ source: SourceDescription) -> JSON {
        .object([
            ("name", .string(source.name)), ("id", .string(source.identity)),
            ("format", .string("\(source.format.pixelFormat)")), ("width", JSON(source.format.size.width)),
            ("height", JSON(source.format.size.height)), ("fps", JSON(source.rate?.framesPerSecond)),
            ("range", .string("\(source.format.colorimetry.range)")),
            ("matrix", .string("\(source.format.colorimetry.matrix)")),
        ])
    }

    private static func object(_ lapse: MovieLapse) -> JSON {
        .object([("intervalMs", .number(lapse.interval.milliseconds)), ("factor", .number(lapse.factor))])
    }

    /// The matrix of ISO/IEC 14496-12 by which players turn the pictures; nil if they do not. Only MP4 has a place for
    /// it that every FFmpeg writes.
    var matrix: [Int32]? {
        guard mount != .upright, format.container == .mp4 else { return nil }
        let (cosine, sine): (Int32, Int32) =
            switch mount.angle {
            case .none: (1, 0)
            case .quarter: (0, 1)
            case .half: (-1, 0)
            case .threeQuarters: (0, -1)
            }
        // Rows are what becomes of a step to the right, and of one down. Mirroring comes first.
        let right = mount.isMirrored ? (-cosine, -sine) : (cosine, sine)
        let one: Int32 = 1 << 16
        return [right.0 * one, right.1 * one, 0, -sine * one, cosine * one, 0, 0, 0, 1 << 30]
    }
}

extension CalendarTime {
    /// In ISO 8601 and UTC, to the millisecond.
    fileprivate var inUTC: String {
        let utc = CalendarTime(sinceEpoch: sinceEpoch).local
        return "\(utc.date)T\(utc.time).\(utc.milliseconds)Z"
    }
}
