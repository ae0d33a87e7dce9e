// SPDX-License-Identifier: MIT
// Steadies frames of any format.

import Fusion
import LivecapFrames
import LivecapPictures

/// Decodes frames and steadies them: pictures are planes of 4:2:0, as most movies have them, whatever the frames are.
/// Used by one thread.
package final class FrameSteadier {
    /// How frames are steadied.
    package let mode: StabilizationMode
    /// The format of the pictures.
    package let format: FrameFormat
    private let frames: FrameFormat
    private let stabilizer: Stabilizer
    /// Made with the first frame that can be decoded, which shows how chroma is shared.
    private var stage: (converter: PlanarConverter, folding: PlaneFolding)?
    private let reader = PlaneReader()
    private var samples: [UInt8]
    /// Frames that were added and not drawn, oldest first.
    private var waiting: [FrameMetadata] = []
    private var newest: FrameMetadata?

    /// Longer gaps than this begin another path.
    private static let longGap = Duration.seconds(1)

    /// Steadies frames of a format that come at a rate.
    /// - Throws: `unsupportedLevel` if the environment names an unknown level of kernels.
    package init(_ frames: FrameFormat, at rate: FrameRate?, _ mode: StabilizationMode) throws(FusionError) {
        self.frames = frames
        self.mode = mode
        format = PlaneFolding.pictures(of: frames)
        stabilizer = try Stabilizer(format.size, .s420, at: rate, mode)
        samples = [UInt8](repeating: 0, count: stabilizer.byteCount)
        waiting.reserveCapacity(stabilizer.delay + 2)
    }

    /// Bytes that it keeps frames in, of frames at a rate.
    package static func memory(_ frames: FrameFormat, at rate: FrameRate?, _ mode: StabilizationMode) -> Int {
        mode == .off ? 0 : Stabilizer.memory(PlaneFolding.pictures(of: frames).size, .s420, at: rate, mode)
    }

    /// How many frames are added before the first is drawn.
    package var delay: Int { stabilizer.delay }

    /// The JPEG frames that follow are of the stream of `planes`, and decoded together with its other readers.
    package func follow(_ planes: SharedPlanes?) { reader.follow(planes) }

    /// Adds a frame. All pictures that are ready have been drawn before. Returns false if it cannot be decoded.
    package func add(_ frame: FrameMetadata, _ bytes: RawSpan) -> Bool {
        if stage == nil, let converter = try? PlanarConverter(frames, first: bytes, by: reader) {
            stage = (converter, PlaneFolding(converter.sampling, frames.size, to: format.size))
        }
        guard let (converter, folding) = stage, converter.convert(bytes, frame.id) else { return false }
        let (width, height) = (format.size.width, format.size.height), chroma = width / 2 * (height / 2)
        samples.withUnsafeMutableBytes { samples in
            let base = samples.baseAddress!, first = base + width * height
            converter.withSamples {
                folding.fold($0, to: [base, first, first + chroma], [width, width / 2, width / 2])
            }
        }
        stabilizer.add(samples.span.bytes, begins: isCut(frame))
        waiting.append(frame)
        return true
    }

    /// Draws the oldest picture, if enough of what follows is known, or if `isOver`. Returns its frame.
    package func draw(into picture: UnsafeMutableRawBufferPointer, isOver: Bool = false) -> FrameMetadata? {
        guard stabilizer.draw(into: picture, isOver: isOver) != nil else { return nil }
        return waiting.removeFirst()
    }

    /// Whether a frame has nothing to do with the one before.
    private func isCut(_ frame: FrameMetadata) -> Bool {
        defer { newest = frame }
        guard let newest else { return true }
        return frame.id.epoch != newest.id.epoch || frame.time - newest.time > Self.longGap
    }
}
