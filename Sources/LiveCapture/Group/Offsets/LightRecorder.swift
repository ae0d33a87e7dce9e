// SPDX-License-Identifier: MIT
// Reads off the frames of a session how the light in them changes.

import Camera
import FrameRing
import LivecapFrames
import LivecapThreads
import LivecapTriggers
import Synchronization

/// Follows the frames of a session on a thread of its own, and keeps of each how bright it is and how much its parts
/// have changed. Uncompressed frames are read where they are; of JPEG frames, an eighth of their width and height is
/// decoded.
package final class LightRecorder: Sendable {
    private struct State {
        var samples: [LightSample] = []
        var sources: Set<TimestampSource> = []
    }

    private let state = Guarded(State())
    private let isOver = Atomic(false)
    private let ring: Ring
    private let subscription: Guarded<FrameSubscription>
    private let thread = Guarded<SystemThread?>(nil)

    /// Follows a session's frames from its next one on. At the fast pace, `gate` is that of its source.
    /// Throws `badSettings` for frames that cannot be read, and `shortage`.
    package init(_ session: CaptureSession, gate: FollowerGate? = nil) throws(CameraError) {
        let format = session.source.format
        guard GridReader.reads(format) else {
            throw .badSettings(
                "light cannot be read off \(format.pixelFormat) \(format.size) frames",
                hint: "choose another format of the camera, such as MJPG or YUYV")
        }
        ring = session.ring
        subscription = Guarded(FrameSubscription(to: ring, gate: gate))
        let started = try CameraError.wrapping { () throws(SystemShortage) in
            try SystemThread(name: "light") { self.follow(format) }
        }
        thread.withLock { $0 = started }
    }

    private func follow(_ format: FrameFormat) {
        guard let reader = GridReader(format) else { return }
        let side = reader.shape.side
        let markedRows = ((FrameMark(fitting: format.size)?.height ?? 0) + side - 1) / side
        subscription.withLock { frames in
            var last: (map: [Float], id: FrameID)?
            while !isOver.load(ordering: .acquiring) {
                switch frames.next(unless: { isOver.load(ordering: .acquiring) }) {
                case .ended: return
                case .timedOut: continue
                case .frame(let lease):
                    let frame = lease.metadata
                    guard frame.isUsable, lease.withBytes({ reader.read($0) }) else {
                        last = nil
                        continue
                    }
                    // Of a change that took longer than usual it is not known when it was.
                    let isNext =
                        last.map { $0.id.epoch == frame.id.epoch && $0.id.counter + 1 == frame.id.counter } ?? false
                    let earlier = isNext && frame.lostBefore == 0 ? last?.map : nil
                    // The number that is drawn into a scene's frames is not what it shows.
                    let hidden = frame.timeSource == .scene ? markedRows * reader.shape.columns : 0
                    let map = hidden < reader.map.count ? Array(reader.map.dropFirst(hidden)) : reader.map
                    take(frame, map, after: earlier)
                    last = (map, frame.id)
                }
            }
        }
    }

    private func take(_ frame: FrameMetadata, _ map: [Float], after earlier: [Float]?) {
        let count = Double(map.count)
        let brightness = map.reduce(0) { $0 + Double($1) } / count
        let motion = earlier.map { zip($0, map).reduce(0) { $0 + Double(abs($1.0 - $1.1)) } / count }
        state.withLock {
            // Times that go back are those of a camera that was away: what was before is of no use.
            if let last = $0.samples.last, frame.time <= last.time { $0 = State() }
            $0.samples.append(
                LightSample(
                    time: frame.time, brightness: brightness, motion: motion, exposure: frame.manual.exposure))
            $0.sources.insert(frame.timeSource)
        }
    }

    /// What was seen so far.
    package var samples: [LightSample] { state.withLock { $0.samples } }

    /// What the times of these frames mark.
    package var timeSources: Set<TimestampSource> { state.withLock { $0.sources } }

    /// Ends it, and waits for its thread.
    package func close() {
        isOver.store(true, ordering: .releasing)
        ring.wakeWaiters()
        thread.withLock { $0.take() }?.join()
    }
}
