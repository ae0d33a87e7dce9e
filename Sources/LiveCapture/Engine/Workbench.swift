// SPDX-License-Identifier: MIT
// What a worker works with, and how it reads frames.

import FrameRing
import Frames
import FusionKernels

/// A worker's tools. They are made when they are first needed, and used by one thread only.
final class Workbench {
    let desk: Desk
    let store: StoreRoom
    let pool: WorkerPool
    let level: KernelLevel?
    private let track: Trace.Track
    private let reader: FrameReader
    var encoder: PictureEncoder
    /// Prepares frames, also while another fuser of this worker is at work.
    private var preparer: Fuser?
    private var fusers: [FusionMethod: Fuser] = [:]
    private var picture: FusedPicture?

    init(_ desk: Desk, _ store: StoreRoom, _ pool: WorkerPool, level: KernelLevel?, number: Int) throws(PhotoError) {
        let reader = try FrameReader()
        let encoder = try PictureEncoder(desk.description.format, pool)
        (self.desk, self.store, self.pool, self.level, self.reader) = (desk, store, pool, level, reader)
        self.encoder = encoder
        track = .worker(number + 1)
        pool.readFrames = { [unowned self] in
            while let job = desk.takeJob(framesOnly: true) { perform(job) }
        }
    }

    func perform(_ job: Job) {
        switch job {
        case .read(let frame, let held, let shape, let memory):
            desk.finishReading(frame, read(frame, held, shape, memory))
        case .develop(let shot): develop(shot)
        }
    }

    /// A span of this worker's time.
    func trace(_ name: String, from begun: Timestamp, to end: Timestamp, _ shot: Shot?) {
        desk.trace?.span(name, on: track, from: begun, to: end, shot: shot?.id.number)
    }

    private func read(
        _ frame: ShelvedFrame, _ held: HeldFrame, _ shape: FrameShape?, _ memory: FusionFrame?
    ) -> Reading {
        guard frame.form == .prepared else {
            let bytes = held.lease.withBytes { $0.withUnsafeBytes { Array($0) } }
            return Reading(content: .bytes(bytes, reason: nil))
        }
        let begun = Timestamp.now
        var reading = Reading(content: .unusable(reason: ""), unused: memory)
        do throws(UnusableFrame) {
            let prepared = try prepare(held, shape, memory, &reading.times)
            (reading.content, reading.unused, reading.took) = (.prepared(prepared), nil, .now - begun)
        } catch {
            // Bytes that cannot be decoded here may still do for somebody else.
            let bytes = held.lease.withBytes { $0.withUnsafeBytes { Array($0) } }
            reading.content = .bytes(bytes, reason: error.reason)
        }
        trace("read frame", from: begun, to: .now, nil)
        return reading
    }

    /// A frame, decoded if need be, and prepared for fusion.
    func prepare(
        _ held: HeldFrame, _ shape: FrameShape?, _ memory: FusionFrame?,
        _ times: inout [(name: String, time: TimeSpan)]
    ) throws(UnusableFrame) -> FusionFrame {
        let begun = Timestamp.now
        guard let shape else { throw UnusableFrame(reason: "its chroma is sampled in a way not fused") }
        let fuser = try preparer(for: shape.format)
        let frame = memory ?? fuser.makeFrame()
        var read = begun
        try held.lease.withBytes { bytes throws(UnusableFrame) in
            try reader.read(bytes, as: shape) { bytes throws(UnusableFrame) in
                read = .now
                do throws(FusionError) { try fuser.prepare(bytes, into: frame) } catch {
                    throw UnusableFrame(reason: error.reason)
                }
            }
        }
        if shape.layout != nil { times.append(("decode", read - begun)) }
        times.append(("prepare", .now - read))
        return frame
    }

    private func preparer(for format: FrameFormat) throws(UnusableFrame) -> Fuser {
        if let preparer { return preparer }
        do throws(FusionError) {
            let fuser = try Fuser(format, FusionSettings(.mean, level: level))
            preparer = fuser
            return fuser
        } catch { throw UnusableFrame(reason: error.reason) }
    }

    /// The fuser of a method, and the picture it fuses into, which the next photo will overwrite.
    func fuser(_ method: FusionMethod, for format: FrameFormat) throws(PhotoError) -> (Fuser, FusedPicture) {
        do throws(FusionError) {
            // Those that merge work in much memory: it is counted for one of them.
            if method.merges, fusers[method] == nil { fusers = fusers.filter { !$0.key.merges } }
            let fuser =
                if let known = fusers[method] { known } else {
                    try Fuser(format, FusionSettings(method, level: level), pool: pool, links: desk.links)
                }
            fusers[method] = fuser
            let picture = picture ?? fuser.makePicture()
            self.picture = picture
            return (fuser, picture)
        } catch { throw .unprocessed("frames cannot be merged: \(error.reason)") }
    }
}

extension FusionMethod {
    /// Whether frames are aligned and merged.
    fileprivate var merges: Bool {
        switch self {
        case .balanced, .quality, .merge: true
        case .speed, .mean: false
        }
    }
}

extension FusionError {
    /// For people.
    var reason: String {
        switch self {
        case .shortFrame(let bytes, let needed): "\(bytes) bytes of \(needed)"
        case .foreignFormat: "another format than the stream's"
        default: "\(self)"
        }
    }
}
