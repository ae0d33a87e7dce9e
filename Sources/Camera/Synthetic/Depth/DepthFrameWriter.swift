// SPDX-License-Identifier: MIT
// Draws what a depth camera measures into frames of the formats that such cameras have.

import LivecapFrames

/// Draws frames of depth. Used by one thread at a time; allocates only in `init`.
final class DepthFrameWriter {
    private let scene: SyntheticScene
    private let format: FrameFormat
    private let layout: DepthLayout
    private let planes: [Plane]
    private let meter: DepthMeter

    /// A writer of frames of a scene's room; nil if the format is none of depth.
    init?(_ scene: SyntheticScene, format: FrameFormat, isNoisy: Bool) {
        guard let room = scene.room, let layout = DepthLayout(format.pixelFormat) else { return nil }
        self.scene = scene
        self.format = format
        self.layout = layout
        planes = format.planes
        meter = DepthMeter(room, DepthSensor(strength: isNoisy ? scene.settings.noise : 0))
    }

    /// Draws a whole frame, with the mark where there are words for it.
    func write(_ frame: Int, into memory: UnsafeMutableRawBufferPointer) {
        let picture = scene.picture(ofFrame: frame), start = memory.baseAddress!
        meter.measure(picture, at: scene.seconds(ofFrame: frame)) { y in
            switch layout {
            case .depth: write(words: meter.counts, to: start + planes[0].offset + y * planes[0].stride)
            case .infraredThenDepth:
                write(words: meter.infrared, to: start + planes[0].offset + y * planes[0].stride)
                write(words: meter.counts, to: start + planes[1].offset + y * planes[1].stride)
            case .confidence: writeHalves(to: start + planes[0].offset + y * planes[0].stride)
            }
        }
        if layout.hasDepth { scene.mark?.draw(UInt32(truncatingIfNeeded: frame), into: memory, format: format) }
    }

    private func write(words: UnsafeMutablePointer<UInt16>, to memory: UnsafeMutableRawPointer) {
        for x in 0..<format.size.width {
            memory.storeBytes(of: words[x].littleEndian, toByteOffset: 2 * x, as: UInt16.self)
        }
    }

    private func writeHalves(to memory: UnsafeMutableRawPointer) {
        let width = format.size.width
        for x in stride(from: 0, to: width, by: 2) {
            let next = x + 1 < width ? meter.confidence[x + 1] : 0
            memory.storeBytes(of: meter.confidence[x] | next << 4, toByteOffset: x / 2, as: UInt8.self)
        }
    }
}
