// SPDX-License-Identifier: MIT
// The outputs of a session, besides its photos.

import LivecapFrames
import LivecapLiveFusion
import LivecapStreams
import LivecapThreads

extension CaptureSession {
    /// Adds an output, which delivers pictures from the next frame on, or once the session is started. Returns at once.
    ///
    /// By default pictures are made of the camera's own frames. With a treatment, they are made of frames that are
    /// fused with their past, have the session's effects (see `setEffects(_:)`), or both; all outputs that ask for the
    /// same share the work.
    /// - Throws: what `canAdd` returns, and `untreated` if the system lacks threads or memory.
    public func add(_ output: FrameOutput, of treatment: FrameTreatment = []) throws(OutputError) {
        if let refusal = canAdd(output, of: treatment) { throw refusal }
        guard !treatment.isEmpty else { return try sinks.add(output) }
        let stage: StageHost
        do throws(SystemShortage) { stage = try stages.use(treatment) } catch { throw .untreated(.shortage(error)) }
        do throws(OutputError) { try stage.sinks.add(output) } catch {
            stages.release(treatment)
            throw error
        }
    }

    /// Whether the session can take an output: nil if it can, or else why `add` would throw. What it
    /// would cost is estimated, without its treatment.
    public func canAdd(_ output: FrameOutput, of treatment: FrameTreatment = []) -> OutputError? {
        if let refusal = refusal(of: treatment) { return .untreated(refusal) }
        let own = treatment.isEmpty ? sinks : stages.stage(treatment)?.sinks ?? HostSinks()
        let others = allSinks.filter { $0 !== own }.map { $0.cost(source, .upright).memory }.reduce(0, +)
        return own.refusal(of: output, source, memory: options.outputMemory - others)
    }

    /// Removes an output. It delivers the pictures that wait, and no more. Has no effect on one that is not part of the
    /// session.
    public func remove(_ output: FrameOutput) {
        sinks.remove(output)
        stages.remove(output)
    }

    /// The outputs that were added: first those of the camera's own frames, in that order.
    public var outputs: [FrameOutput] { allSinks.flatMap(\.outputs) }

    /// What the outputs and movies cost, all together. What is done to frames before is not part of it.
    public var outputCost: OutputCost {
        let mount = rotation?.capture ?? .upright
        var cost = sinks.cost(source, mount)
        for stage in stages.all { cost.add(stage.sinks.cost(source, mount)) }
        return cost
    }

    /// Why the session's frames cannot be treated so; nil if they can.
    private func refusal(of treatment: FrameTreatment) -> CameraError? {
        guard treatment.isSubset(of: [.fused, .withEffects]) else {
            return .badSettings("frames cannot be treated so", hint: "ask for fused, withEffects or both")
        }
        return treatment.refusal(of: source.format)
    }

    private var allSinks: [HostSinks] { [sinks] + stages.all.map(\.sinks) }

    /// Its present stream, for what is added to it.
    package var view: StreamView {
        StreamView(source: source, ring: ring, mount: { [rotation] in rotation?.capture ?? .upright }, sinks: sinks)
    }

    /// The stage of frames that are treated so, for something that is added to it, and what ends its use. It is there
    /// once it has a stream, or will have none. Blocks.
    package func stage(
        _ treatment: FrameTreatment
    ) throws(OutputError) -> (stage: StageHost, release: @Sendable () -> Void) {
        if let refusal = refusal(of: treatment) { throw .untreated(refusal) }
        let stage: StageHost
        do throws(SystemShortage) { stage = try stages.use(treatment) } catch { throw .untreated(.shortage(error)) }
        // Nothing waits for the frames of a session that was not started.
        if ring.newestTime != nil, !hasEnded {
            _ = treatment.beginnings.allSatisfy { stages.stage($0)?.waitForStream() == true }
        }
        return (stage, { [stages] in stages.release(treatment) })
    }
}
