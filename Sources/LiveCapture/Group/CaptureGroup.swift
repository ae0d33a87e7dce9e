// SPDX-License-Identifier: MIT
// Several cameras of one machine that answer one tap with the same instant.

import Camera
import FrameRing
import LivecapDeveloping
import LivecapFrames
import LivecapThreads

/// Several cameras that answer one tap with a photo each, of the same instant.
///
/// ```swift
/// let group = try await CaptureGroup([.camera("Front"), .camera("Side")])
/// try await group.start()
/// let photo = try await group.capture().photo()
/// print(photo.spread as Any)
/// await group.stop()
/// ```
///
/// Each camera has a session of its own, with its ring, controls, readiness and power, and may come and go by itself:
/// the others go on. What they share is the clock. A tap is resolved to one instant, and each camera's ring is asked
/// for the frame nearest to it, which is there already: nothing has to be fired at the same time.
public final class CaptureGroup: Sendable {
    /// One camera of a group.
    public struct Stream: Sendable {
        /// Its name in the group: the camera's, with a number if others have the same.
        public let name: String
        /// Its session. It may be used by itself, except that the group starts and stops it.
        public let session: CaptureSession
        /// How much later the times of its frames are than those of the first camera.
        public let offset: ClockOffset
    }

    /// The cameras, in the order in which they were given. The first one's times are those that others are compared
    /// with.
    public let streams: [Stream]

    /// Makes a group of sessions, which nobody else starts or stops.
    ///
    /// `offset` says how much later the frames' times of a camera are than the first one's, where that was measured.
    /// Throws `differentClocks` if the sessions' frames are on different clocks, and `tooFew` for none.
    public init(
        _ sessions: [CaptureSession], offset: (CaptureSession) -> ClockOffset = { _ in .none }
    ) throws(CaptureGroupError) {
        guard let first = sessions.first else { throw .tooFew }
        for session in sessions where session.source.clock != first.source.clock {
            throw .differentClocks(first.source.name, session.source.name)
        }
        var names: Set<String> = []
        streams = sessions.map { session in
            let name = Self.name(of: session.source.name, besides: names)
            names.insert(name)
            return Stream(name: name, session: session, offset: session === first ? .none : offset(session))
        }
    }

    /// Makes a group of sources, each with the same options, and opens all of them. Together they take as much memory
    /// as `options` allow for one. Throws `source` if one cannot be opened, and `differentClocks` or `tooFew` as for
    /// sessions.
    public convenience init(
        _ sources: [CaptureSource], options: SessionOptions = SessionOptions()
    ) async throws(CaptureGroupError) {
        var options = options
        options.memory = options.memory.map { $0 / max(1, sources.count) }
        options.memoryShare = sources.count
        var sessions: [CaptureSession] = []
        for (index, source) in sources.enumerated() {
            do throws(CameraError) {
                sessions.append(try await CaptureSession(source: source, options: options))
            } catch { throw .source(index, error) }
        }
        try self.init(sessions)
    }

    /// A name that no other has: on one line, and not too long.
    private static func name(of source: String, besides taken: Set<String>) -> String {
        var base = ""
        for scalar in source.unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7f {
            guard base.utf8.count < 100 else { break }
            base.unicodeScalars.append(scalar)
        }
        if base.isEmpty { base = "camera" }
        var (name, number) = (base, 1)
        while taken.contains(name) {
            number += 1
            name = "\(base) \(number)"
        }
        return name
    }

    // MARK: Starting and stopping

    /// Starts all cameras, and returns once each has its first frame.
    ///
    /// Throws `start` if one does not start, once the others are stopped again.
    public func start() async throws(CaptureGroupError) {
        let failure = await withTaskGroup(of: CaptureGroupError?.self) { tasks in
            for (index, stream) in streams.enumerated() {
                tasks.addTask {
                    do throws(SessionError) {
                        try await stream.session.start()
                        return nil
                    } catch { return .start(index, stream.name, error) }
                }
            }
            var failures: [CaptureGroupError] = []
            for await failure in tasks { if let failure { failures.append(failure) } }
            return failures.min { $0.place < $1.place }
        }
        guard let failure else { return }
        await stop(.cancellingShots)
        throw failure
    }

    /// Stops all cameras, ends the shots in progress, and returns once that is done.
    public func stop(_ mode: CaptureSession.StopMode = .finishingShots) async {
        await withTaskGroup(of: Void.self) { tasks in
            for stream in streams { tasks.addTask { await stream.session.stop(mode) } }
        }
    }

    // MARK: Taps

    /// Accepts a tap for all cameras, and returns at once.
    ///
    /// The moment is resolved to one instant for all: `now` to the present, a frame to the time of that frame of the
    /// first camera. Each photo has the group's `id` (default: a new one) and its camera's name in `Photo.group`. A
    /// camera that cannot take its photo, because it is unplugged or its history is too short, fails by itself.
    ///
    /// Throws `frameGone` if the first camera's history does not have the frame, and `badName` for an impossible `id`.
    public func capture(
        _ settings: PhotoSettings = PhotoSettings(), at tap: Tap = .now, tapUncertainty: Duration = .zero,
        id: String? = nil
    ) throws(CaptureGroupError) -> GroupCapture {
        let id = id ?? Self.newID()
        guard PhotoGroup.isID(id) else { throw .badName(id) }
        let instant = try instant(of: tap)
        return GroupCapture(
            id: id,
            members: streams.map { stream in
                var settings = settings
                settings.group = PhotoGroup(id: id, stream: stream.name)
                let capture = stream.session.photoOutput.capture(
                    settings, at: .at(instant + stream.offset.value),
                    tapUncertainty: tapUncertainty + stream.offset.bound)
                return GroupCapture.Member(stream: stream.name, capture: capture, offset: stream.offset)
            })
    }

    /// The instant of a tap by the clock of the first camera's frames.
    package func instant(of tap: Tap) throws(CaptureGroupError) -> Timestamp {
        let first = streams[0].session
        switch tap {
        case .at(let time): return time
        case .frame(let id):
            guard let frame = first.ring.lease(id: id) else { throw .frameGone(id) }
            return frame.metadata.time
        case .now:
            guard first.source.clock == .own else { return .now }
            // What all have seen: the newest frame of the camera that is farthest behind.
            let newest = streams.compactMap { stream in
                stream.session.ring.newestTime.map { $0 - stream.offset.value }
            }
            return newest.min() ?? first.source.firstTime ?? .zero
        case .offset(let span):
            guard first.source.clock == .own else { return .now + span }
            return (first.source.firstTime ?? .zero) + span
        }
    }

    /// A name for a tap that no other has.
    package static func newID() -> String { "tap-" + String(UInt64.random(in: .min ... .max), radix: 36) }
}
