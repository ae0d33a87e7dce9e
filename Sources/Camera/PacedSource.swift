// SPDX-License-Identifier: MIT
// A source of one's own in a few lines: a closure that writes frames, called at a steady pace.

import FrameRing
import LivecapFrames

/// A source whose frames a closure of yours writes, one at a time, at a steady rate.
///
/// ```swift
/// let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 640, height: 480))
/// let source = CaptureSource.custom {
///     PacedSource(name: "ramp", format: format, rate: FrameRate(30)) { number, bytes in
///         for offset in 0..<bytes.byteCount {
///             bytes.storeBytes(of: UInt8(truncatingIfNeeded: number + offset), toByteOffset: offset, as: UInt8.self)
///         }
///         return bytes.byteCount
///     }
/// }
/// let session = try await CaptureSession(source: source)
/// ```
public final class PacedSource: FrameSource {
    /// Writes the frame of a number into the bytes of its slot, and returns how many bytes it has; nil ends the stream.
    ///
    /// A frame with fewer bytes than its format needs is marked as damaged. What it throws ends the stream, as
    /// `CameraError.sourceFailed` unless it is a `CameraError` itself; so does a count that no frame can have. It runs
    /// on the capture thread.
    public typealias Fill = (_ number: Int, _ bytes: inout MutableRawSpan) throws -> Int?

    /// The source and its frames.
    public let description: SourceDescription
    private let rate: FrameRate
    private let fill: Fill
    private let alarm = Alarm()
    private var begin = Timestamp.zero
    private var next = 0
    private var lostBefore: UInt32 = 0

    /// Creates a source. Its frame 0 is due when it is started, and each following one an interval of `rate` later. A
    /// frame that comes too late is left out and counted as lost, as a camera does.
    public init(name: String, format: FrameFormat, rate: FrameRate, fill: @escaping Fill) {
        description = SourceDescription(
            name: name, identity: "custom:\(name)", format: format, rate: rate, clock: .monotonic)
        self.rate = rate
        self.fill = fill
    }

    /// Creates a ring in memory of its own.
    /// - Throws: `noMemory`, or `tooLittleMemory` if `capacity` allows less than the least ring.
    public func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: rate)
    }

    /// Starts with frame 0, now.
    /// - Throws: nothing.
    public func start(_ producer: inout RingProducer) throws(CameraError) {
        (begin, next, lostBefore) = (.now, 0, 0)
    }

    /// Waits until the next frame is due, has it written, and publishes it.
    /// - Throws: `sourceFailed` with the description of the error that was thrown while the frame was written.
    public func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        alarm.wait(until: time(of: next))
        guard !alarm.isOff else { return .nothing }
        skipMissed()
        do {
            let id = try producer.publish { bytes in
                let room = bytes.byteCount
                guard let byteCount = try fill(next, &bytes) else { throw End() }
                guard (0...room).contains(byteCount) else { throw BadCount(count: byteCount, room: room) }
                var frame = FrameMetadata(
                    time: time(of: next), byteCount: byteCount, sequence: UInt32(truncatingIfNeeded: next),
                    timeSource: .scene, flags: lostBefore > 0 ? .gapBefore : [], damage: .none, lostBefore: lostBefore)
                if byteCount < max(1, description.format.neededBytes) { frame.markDamaged(.short) }
                return frame
            }
            if id == nil { producer.drop(lostBefore: lostBefore) }
            (next, lostBefore) = (next + 1, 0)
            return id.map(StepOutcome.published) ?? .dropped
        } catch let error as CameraError {
            throw error
        } catch is End {
            return .ended
        } catch {
            throw .sourceFailed(name: description.name, reason: "\(error)")
        }
    }

    /// Ends all waits for good.
    public func stop() { alarm.switchOff() }

    /// Ends the wait for the next frame's time.
    public var interrupt: @Sendable () -> Void {
        let alarm = alarm
        return { alarm.switchOff() }
    }

    private struct End: Error {}

    private struct BadCount: Error, CustomStringConvertible {
        let count, room: Int
        var description: String { "it gave a frame of \(count) bytes, and 0 to \(room) are possible" }
    }

    /// Counted from the beginning, so that rounding errors do not accumulate.
    private func time(of frame: Int) -> Timestamp {
        begin + .seconds(1) * (frame * Int(rate.denominator)) / Int(rate.numerator)
    }

    /// Counts frames as lost whose time is past by a whole interval.
    private func skipMissed() {
        while time(of: next + 1) <= .now {
            next += 1
            lostBefore &+= 1
        }
    }
}
