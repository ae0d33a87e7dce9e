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

    /// The camera's exposure before, which the steps are relative to.
    public let base: Duration
    /// The photos.
    public internal(set) var shots: [Shot] = []
    /// Why later steps have no photo; nil if all have one.
    public internal(set) var failure: PhotoError?
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
    /// set, and its photo is made of frames that have it: the past cannot be exposed again, so this takes about a dozen
    /// frames for each step. All who take frames get those in between, and other taps meanwhile get what there is.
    ///
    /// If the task is cancelled, or a step fails, the photos that were taken stay, and `failure` says why there are no
    /// more.
    ///
    /// ```swift
    /// let bracket = try await session.captureBracket(of: [-2, 0, 2])
    /// for shot in bracket.shots { use(try await shot.capture.photo(), shot.exposure) }
    /// ```
    /// - Throws: if there is not even a first photo: `badSettings` for impossible steps, a camera whose exposure cannot
    ///   be set, and while another bracket is taken; `notRunning`, `cameraAway`, what ended the stream; `cancelled`.
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
        faces.pause(true)
        defer {
            faces.pause(false)
            isBracketing.store(false, ordering: .releasing)
        }
        try await photoOutput.ready(for: settings)
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
        let node = try exposureNode()
        var follower = ExposureFollower(ring, isOver)
        var level = try following { () throws(PhotoError) in try follower.settle() }
        let plan: ExposureSteps
        do throws(CameraError) {
            let controls = try node.controls()
            do throws(ControlError) { plan = try ExposureSteps(steps, from: controls) } catch { throw .control(error) }
        } catch { throw failure(of: error) }
        var bracket = ExposureBracket(base: plan.base)
        do throws(PhotoError) {
            let demand = settings.demand(given: settings.quality, hasPast: photoOutput.isZeroShutterLagEnabled)
            for (number, (step, exposure)) in zip(steps, plan.exposures).enumerated() {
                do throws(CameraError) {
                    _ = try node.set([ControlSetting(.exposure, .duration(exposure))])
                } catch { throw failure(of: error) }
                let before = bracket.shots.last?.exposure ?? plan.base
                let arrival = ExposureArrival(change: log2(exposure / before), from: level)
                let seen = try following { () throws(PhotoError) in
                    try follower.follow(arrival, thenFrames: demand.before)
                }
                level = seen.level
                let capture = photoOutput.capture(settings, at: .frame(seen.frame), into: files, number: number + 1)
                bracket.shots.append(.init(step: step, exposure: exposure, capture: capture))
                try following { () throws(PhotoError) in try follower.skip(demand.after) }
            }
        } catch { bracket.failure = error }
        do throws(CameraError) { _ = try node.set(plan.restoring) } catch { bracket.notRestored = error }
        if let failure = bracket.failure, bracket.shots.isEmpty { throw failure }
        return bracket
    }

    /// The camera's controls.
    private func exposureNode() throws(PhotoError) -> ControlNode {
        do throws(CameraError) {
            if let node = try controlNode() { return node }
            throw .control(.unknown(ControlName.exposure.text, available: []))
        } catch { throw failure(of: error) }
    }

    /// Calls `body`, which follows the ring, and says why the stream has ended if it has.
    private func following<Value>(_ body: () throws(PhotoError) -> Value) throws(PhotoError) -> Value {
        do throws(PhotoError) { return try body() } catch {
            throw error == .streamEnded(nil) ? .streamEnded(failure) : error
        }
    }

    /// Why a bracket cannot be taken of a camera that refuses this.
    private func failure(of error: CameraError) -> PhotoError {
        guard case .control = error else { return .streamEnded(error) }
        return .badSettings(
            "the exposure of \(source.name) cannot be set: \(error.message)",
            hint: "choose a camera whose controls include the exposure")
    }
}

/// A flag that is set once.
private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
