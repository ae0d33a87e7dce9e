// SPDX-License-Identifier: MIT
// From the frames of a shot to a photo: prepare, choose, fuse, encode.

import Camera
import FrameRing
import Frames
import FusionKernels
import JPEG
import Stills

/// Develops the shots of one stream, one at a time. Frames that shots share are prepared once.
struct Darkroom: ~Copyable {
    private let settings: ShootSettings
    private let source: FrameFormat
    private let pool: ThreadPool
    private let reader: FrameReader
    private var encoder: StillEncoder
    private var prepared: PreparedFrames
    /// Made with the first frame, which tells what JPEG frames decode to.
    private var bench: (fuser: Fuser, picture: FusedPicture)?

    init(_ settings: ShootSettings, _ source: FrameFormat) throws(Failure) {
        let reader = try FrameReader(source)
        let encoder = try StillEncoder(settings.format, settings.depth)
        (self.settings, self.source, self.reader) = (settings, source, reader)
        self.encoder = encoder
        pool = ThreadPool(threads: settings.threads)
        prepared = PreparedFrames(limit: settings.frames)
    }

    /// A shot's photo. The frames are let go as soon as they are prepared.
    mutating func develop(_ shot: consuming Shot) throws(Failure) -> Photo {
        var photo = Photo(
            number: shot.number, tap: shot.tap, reference: shot.window.metadata(shot.index), given: settings.method.name
        )
        photo.rejected = shot.damaged.map { ($0.id, "damaged: \($0.damage.name)") }
        let asItCame = settings.method == .single && settings.format == .jpeg && source.pixelFormat.layout == .jpeg
        if !asItCame, let (fuser, picture) = try bench(for: shot) {
            let frames = try prepare(shot, with: fuser, &photo)
            if !frames.isEmpty {
                _ = consume shot
                try fuse(frames, with: fuser, into: picture, &photo)
                let begun = Timestamp.now
                photo.bytes = try encoder.encode(picture)
                photo.took(.now - begun, in: "encode")
                return photo
            }
        }
        return try developAlone(shot, photo)
    }

    /// The frame by itself, which needs no fuser.
    private mutating func developAlone(_ shot: borrowing Shot, _ unfinished: Photo) throws(Failure) -> Photo {
        var photo = unfinished
        let begun = Timestamp.now
        photo.bytes = try encoder.encode(shot.window, shot.index)
        photo.took(.now - begun, in: "encode")
        photo.reference = shot.window.metadata(shot.index)
        photo.used = [(photo.reference, 1)]
        photo.rejected.removeAll { $0.id == photo.reference.id }
        photo.given = StillMethod.single.name
        return photo
    }

    /// The fuser for the stream's frames; nil where they cannot be fused.
    private mutating func bench(for shot: borrowing Shot) throws(Failure) -> (fuser: Fuser, picture: FusedPicture)? {
        if let bench { return bench }
        var format: FrameFormat?
        for index in shot.inOrderOfNearness where format == nil {
            format = shot.window.withBytes(index) { reader.format(judging: $0) }
        }
        guard let format, Fuser.takes(format) else { return nil }
        do throws(FusionError) {
            let fuser = try Fuser(format, FusionSettings(settings.method.fusion, level: settings.level), pool: pool)
            bench = (fuser, fuser.makePicture())
        } catch {
            throw .camera(.badSettings("frames cannot be fused: \(error)", hint: "take --quality single"))
        }
        return bench
    }

    /// The shot's frames, oldest first, as many as are needed and can be read.
    private mutating func prepare(
        _ shot: borrowing Shot, with fuser: Fuser, _ photo: inout Photo
    ) throws(Failure) -> [ReadyFrame] {
        var ready: [ReadyFrame] = []
        let needed = settings.method.needsOneFrame && settings.reference == .tap ? 1 : shot.chosen.count
        let oldest = shot.window.metadata(shot.chosen.lowerBound).id
        for index in shot.inOrderOfNearness where ready.count < needed {
            let metadata = shot.window.metadata(index)
            if let frame = prepared[metadata.id] {
                ready.append(ReadyFrame(metadata: metadata, frame: frame))
                continue
            }
            let frame = prepared.memory(needed: oldest, of: fuser)
            let begun = Timestamp.now
            var read = begun
            do throws(UnusableFrame) {
                try shot.window.withBytes(index) { bytes throws(UnusableFrame) in
                    try reader.read(bytes) { bytes throws(UnusableFrame) in
                        read = .now
                        do throws(FusionError) { try fuser.prepare(bytes, into: frame) } catch {
                            throw UnusableFrame(reason: error.reason)
                        }
                    }
                }
                prepared.keep(frame, as: metadata.id)
                ready.append(ReadyFrame(metadata: metadata, frame: frame))
                photo.took(read - begun, in: "decode")
                photo.took(.now - read, in: "prepare")
            } catch {
                prepared.giveBack(frame)
                photo.rejected.append((metadata.id, error.reason))
                photo.took(.now - begun, in: "decode")
            }
        }
        return ready.sorted { $0.metadata.id < $1.metadata.id }
    }

    private mutating func fuse(
        _ frames: [ReadyFrame], with fuser: Fuser, into picture: FusedPicture, _ photo: inout Photo
    ) throws(Failure) {
        let tap = photo.tap
        func distance(_ frame: ReadyFrame) -> TimeSpan { (frame.metadata.time - tap).magnitude }
        var reference = frames.indices.min { distance(frames[$0]) < distance(frames[$1]) }!
        if settings.reference == .sharpest {
            let sharpest = frames.map(\.frame.sharpness).max()!
            reference = frames.indices.filter { frames[$0].frame.sharpness == sharpest }
                .min { distance(frames[$0]) < distance(frames[$1]) }!
        }
        let taken = settings.method.needsOneFrame ? [frames[reference]] : frames
        if settings.method.needsOneFrame { reference = 0 }
        let report: FusionReport
        do throws(FusionError) {
            report = try fuser.fuse(taken.map(\.frame), reference: reference, into: picture)
        } catch {
            throw .camera(.badSettings("frames cannot be fused: \(error)", hint: "take --quality single"))
        }
        photo.reference = taken[reference].metadata
        for (frame, share) in zip(taken, report.shares) {
            if let reason = share.rejection {
                photo.rejected.append((frame.metadata.id, reason.rawValue))
            } else {
                photo.used.append((frame.metadata, share.weight))
            }
        }
        for (stage, time) in report.stages { photo.took(time, in: stage.rawValue) }
        photo.rejected.sort { $0.id < $1.id }
        photo.fusion = report
    }
}

/// A frame with the work done that every shot of it shares.
private struct ReadyFrame {
    let metadata: FrameMetadata
    let frame: FusionFrame
}

extension Shot {
    /// The chosen frames, the nearest to the moment first.
    fileprivate var inOrderOfNearness: [Int] {
        chosen.sorted { a, b in
            let (first, second) = (window.metadata(a), window.metadata(b))
            let (near, far) = ((first.time - tap).magnitude, (second.time - tap).magnitude)
            return near == far ? first.id < second.id : near < far
        }
    }
}

extension FusionError {
    /// Of a frame that was left out, for people.
    fileprivate var reason: String {
        switch self {
        case .shortFrame(let bytes, let needed): "\(bytes) bytes of \(needed)"
        case .foreignFormat: "another format than the stream's"
        default: "\(self)"
        }
    }
}
