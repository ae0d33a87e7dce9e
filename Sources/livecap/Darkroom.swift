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
        let nearest = shot.window.metadata(shot.index)
        var photo = Photo(number: shot.number, tap: shot.tap, reference: nearest, given: settings.method.name)
        photo.rejected = shot.damaged.map { ($0.id, "damaged: \($0.damage.name)") }
        let isJPEG = source.pixelFormat.layout == .jpeg
        let isAsItCame = settings.method == .single && settings.format == .jpeg && isJPEG
        if isAsItCame && settings.reference == .tap { return try developAlone(shot, shot.index, photo) }

        guard let (fuser, picture) = try bench(for: shot) else {
            if !isJPEG {
                photo.notes.append(
                    "\(source.pixelFormat) frames of \(source.size) cannot be merged: each picture is one")
            }
            return try developAlone(shot, shot.index, photo)
        }
        let frames = prepare(shot, with: fuser, &photo)
        guard let reference = reference(among: frames, nearest: shot.tap) else {
            photo.notes.append("no frame around the moment can be decoded: the picture is one as it came")
            return try developAlone(shot, shot.index, photo)
        }
        if settings.reference == .tap && frames[reference].metadata.id != nearest.id {
            photo.notes.append(
                "frame \(nearest.id) cannot be decoded: the picture shows \(frames[reference].metadata.id)")
        }
        if isAsItCame { return try developAlone(shot, frames[reference].index, photo) }
        _ = consume shot
        try fuse(frames, reference, with: fuser, into: picture, &photo)
        let begun = Timestamp.now
        photo.bytes = try encoder.encode(picture)
        photo.took(.now - begun, in: "encode")
        return photo
    }

    /// A frame by itself, which needs no fuser.
    private mutating func developAlone(
        _ shot: borrowing Shot, _ index: Int, _ unfinished: Photo
    ) throws(Failure) -> Photo {
        var photo = unfinished
        let begun = Timestamp.now
        photo.bytes = try encoder.encode(shot.window, index)
        photo.took(.now - begun, in: "encode")
        photo.reference = shot.window.metadata(index)
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
        } catch { throw .unfused(error) }
        return bench
    }

    /// The shot's frames, oldest first, as many as are needed and can be read; failing all, one of their neighbours.
    private mutating func prepare(_ shot: borrowing Shot, with fuser: Fuser, _ photo: inout Photo) -> [ReadyFrame] {
        var ready: [ReadyFrame] = []
        let needed = settings.method.needsOneFrame && settings.reference == .tap ? 1 : shot.chosen.count
        for (rank, index) in shot.inOrderOfNearness.enumerated() {
            guard ready.count < needed, ready.isEmpty || rank < shot.chosen.count else { break }
            let metadata = shot.window.metadata(index)
            do throws(UnusableFrame) {
                let frame = try preparedFrame(shot, index, with: fuser, &photo)
                ready.append(ReadyFrame(index: index, metadata: metadata, frame: frame))
            } catch {
                photo.rejected.append((metadata.id, error.reason))
            }
        }
        return ready.sorted { $0.metadata.id < $1.metadata.id }
    }

    private mutating func preparedFrame(
        _ shot: borrowing Shot, _ index: Int, with fuser: Fuser, _ photo: inout Photo
    ) throws(UnusableFrame) -> FusionFrame {
        let id = shot.window.metadata(index).id
        if let frame = prepared[id] { return frame }
        let frame = prepared.memory(needed: shot.window.metadata(shot.chosen.lowerBound).id, of: fuser)
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
        } catch {
            prepared.giveBack(frame)
            throw error
        }
        prepared.keep(frame, as: id)
        if reader.decodes { photo.took(read - begun, in: "decode") }
        photo.took(.now - read, in: "prepare")
        return frame
    }

    /// Which of the frames is the picture's moment; of equally sharp ones the nearest. Nil where there is none.
    private func reference(among frames: [ReadyFrame], nearest tap: Timestamp) -> Int? {
        let isSharpest = settings.reference == .sharpest
        return frames.indices.min { a, b in
            let (first, second) = (frames[a], frames[b])
            if isSharpest && first.frame.sharpness != second.frame.sharpness {
                return first.frame.sharpness > second.frame.sharpness
            }
            return (first.metadata.time - tap).magnitude < (second.metadata.time - tap).magnitude
        }
    }

    private func fuse(
        _ ready: [ReadyFrame], _ chosen: Int, with fuser: Fuser, into picture: FusedPicture, _ photo: inout Photo
    ) throws(Failure) {
        let (frames, reference) = settings.method.needsOneFrame ? ([ready[chosen]], 0) : (ready, chosen)
        let report: FusionReport
        do throws(FusionError) {
            report = try fuser.fuse(frames.map(\.frame), reference: reference, into: picture)
        } catch { throw .unfused(error) }
        photo.reference = frames[reference].metadata
        for (frame, share) in zip(frames, report.shares) {
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
    /// Its place in the shot's window.
    let index: Int
    let metadata: FrameMetadata
    let frame: FusionFrame
}

extension Shot {
    /// The chosen frames, the nearest to the moment first, and behind them, in the same order, their neighbours.
    fileprivate var inOrderOfNearness: [Int] {
        (0..<window.count).filter { window.metadata($0).id.epoch == window.metadata(index).id.epoch }.sorted { a, b in
            guard chosen.contains(a) == chosen.contains(b) else { return chosen.contains(a) }
            let (first, second) = (window.metadata(a), window.metadata(b))
            let (near, far) = ((first.time - tap).magnitude, (second.time - tap).magnitude)
            return near == far ? first.id < second.id : near < far
        }
    }
}

extension Failure {
    /// The fuser refused what it takes.
    fileprivate static func unfused(_ error: FusionError) -> Failure {
        .camera(.badSettings("frames cannot be merged: \(error)", hint: "take --quality single"))
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
