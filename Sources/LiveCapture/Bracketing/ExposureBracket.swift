// SPDX-License-Identifier: MIT
// Photos of one scene at several exposures.

import Camera
import FrameRing
import Glibc
import LivecapDeveloping
import LivecapFrames
import LivecapThreads
import Synchronization

/// The photos of a bracket, in the order of its steps.
public struct ExposureBracket: Sendable {
    /// One of its photos.
    public struct Shot: Sendable {
        /// The step that was asked for, in EV.
        public let step: Double
        /// The exposure that was set for it, as near as the camera's range allows.
        public let exposure: Duration
        /// The photo in the making. Its frames are held.
        public let capture: PhotoCapture
    }

    /// The photos.
    public internal(set) var shots: [Shot] = []
    /// Why the camera's exposure could not be made what it was before; nil if it was.
    public internal(set) var notRestored: CameraError?

    /// The most steps of a bracket.
    public static let maxSteps = 9
    /// The largest step in EV, up or down.
    public static let maxStep = 8.0
}

extension CaptureSession {
    /// Takes photos of the same scene at several exposures, and makes the camera's exposure what it was before.
    ///
    /// Each step is in EV, relative to the camera's exposure now: 1 is twice the light, -1 half of it. An exposure is
    /// set, and its photo is made of frames that have it: the past cannot be exposed again, so this takes a few frames
    /// for each step. Frames in between go to whoever takes frames, and other taps meanwhile get what there is. If the
    /// task is cancelled, so are the photos.
    ///
    /// ```swift
    /// let bracket = try await session.captureBracket(of: [-2, 0, 2])
    /// for shot in bracket.shots { use(try await shot.capture.photo(), shot.exposure) }
    /// ```
    /// - Throws: `badSettings` for impossible steps, a camera whose exposure cannot be set, and while another bracket
    ///   is taken; what ends the stream; `cancelled`.
    public func captureBracket(
        of steps: [Double], _ settings: PhotoSettings = PhotoSettings(), into files: PhotoFiles? = nil
    ) async throws(PhotoError) -> ExposureBracket {
        guard (1...ExposureBracket.maxSteps).contains(steps.count),
            steps.allSatisfy({ $0.magnitude <= ExposureBracket.maxStep })
        else {
            throw .badSettings(
                "a bracket has 1 to \(ExposureBracket.maxSteps) steps of at most \(Int(ExposureBracket.maxStep)) EV",
                hint: "such as -2, 0, 2")
        }
        guard isBracketing.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { throw .badSettings("another bracket is being taken", hint: "wait until it is complete") }
        defer { isBracketing.store(false, ordering: .releasing) }
        let isCancelled = Flag()
        let result = await withTaskCancellationHandler {
            await onThread(named: "bracket") { () throws(Never) -> Result<ExposureBracket, PhotoError> in
                Result { () throws(PhotoError) in
                    try self.takeBracket(of: steps, settings, into: files) { isCancelled.isSet }
                }
            }
        } onCancel: {
            isCancelled.set()
            self.ring.wakeWaiters()
        }
        return try result.get()
    }

    /// The same. Blocks, until `isOver` after a call of `wakeWaiters` at the latest.
    private func takeBracket(
        of steps: [Double], _ settings: PhotoSettings, into files: PhotoFiles?,
        unless isOver: @escaping () -> Bool
    ) throws(PhotoError) -> ExposureBracket {
        let use = keepCameraOn()
        defer { withExtendedLifetime(use) {} }
        var follower = ExposureFollower(ring, isOver)
        var level = try follower.settle()
        let plan: ExposureSteps
        let node: ControlNode
        do throws(CameraError) {
            guard let found = try controlNode() else {
                throw .badSettings(
                    "it is no camera of this session's own", hint: "choose a camera that nobody else has")
            }
            node = found
            let controls = try node.controls()
            do throws(ControlError) { plan = try ExposureSteps(steps, from: controls) } catch { throw .control(error) }
        } catch {
            throw .badSettings("the exposure of \(source.name) cannot be set: \(error.message)", hint: error.hint)
        }
        let demand = settings.demand(given: settings.quality, hasPast: photoOutput.isZeroShutterLagEnabled)
        var bracket = ExposureBracket()
        var before = plan.base
        let taken: Result<Void, PhotoError> = Result { () throws(PhotoError) in
            for (number, (step, exposure)) in zip(steps, plan.exposures).enumerated() {
                do throws(CameraError) { _ = try node.set([ControlSetting(.exposure, .duration(exposure))]) } catch {
                    throw .badSettings(error.message, hint: error.hint)
                }
                let arrival = ExposureArrival(change: log2(exposure / before), from: level)
                let tap: FrameID
                (tap, level) = try follower.follow(arrival, thenFrames: demand.before)
                let capture = photoOutput.capture(settings, at: .frame(tap), into: files, number: number + 1)
                bracket.shots.append(.init(step: step, exposure: exposure, capture: capture))
                try follower.skip(demand.after)
                before = exposure
            }
        }
        do throws(CameraError) { _ = try node.set(plan.restoring) } catch { bracket.notRestored = error }
        if case .failure(let error) = taken {
            for shot in bracket.shots { shot.capture.cancel() }
            throw error
        }
        return bracket
    }
}

/// A flag that is set once.
private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
