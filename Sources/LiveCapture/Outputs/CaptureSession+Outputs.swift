// SPDX-License-Identifier: MIT
// The outputs of a session, besides its photos.

import LivecapFrames
import LivecapStreams

extension CaptureSession {
    /// Adds an output, which delivers pictures from the next frame on, or once the session is started. Returns at once.
    /// - Throws: what `canAdd` returns.
    public func add(_ output: FrameOutput) throws(OutputError) {
        if let refusal = canAdd(output) { throw refusal }
        try sinks.add(output)
    }

    /// Whether the session can take an output: nil if it can, or else why `add` would throw. What it
    /// would cost is estimated.
    public func canAdd(_ output: FrameOutput) -> OutputError? {
        sinks.refusal(of: output, source, memory: options.outputMemory)
    }

    /// Removes an output. It delivers the pictures that wait, and no more. Has no effect on one that is not part of the
    /// session.
    public func remove(_ output: FrameOutput) { sinks.remove(output) }

    /// The outputs that were added, in that order.
    public var outputs: [FrameOutput] { sinks.outputs }

    /// What the outputs and movies cost, all together.
    public var outputCost: OutputCost { sinks.cost(source, rotation?.capture ?? .upright) }

    /// Its present stream, for what is added to it.
    package var view: StreamView {
        StreamView(source: source, ring: ring, mount: { [rotation] in rotation?.capture ?? .upright }, sinks: sinks)
    }
}
