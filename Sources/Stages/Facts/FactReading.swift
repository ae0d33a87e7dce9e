// SPDX-License-Identifier: MIT
// What finds facts in one picture after the other.

import Fusion
import LivecapDetection
import LivecapFrames
import LivecapPictures

/// Finds facts in pictures of one size. Used by one thread.
package protocol FactReading: AnyObject {
    /// Where the next picture is to be.
    var planes: PicturePlanes { get }
    /// What is known of the people in `planes`, which come `seconds` after the ones before: nil for what is not looked
    /// for.
    func read(after seconds: Double) -> (faces: [FaceFacts]?, hands: [HandFacts]?)
    /// The next picture has nothing to do with the one before.
    func forget()
}

extension FactReader: FactReading {}

/// Decodes frames into the planes in which facts are found. Used by one thread.
final class FrameReading {
    let kinds: Set<FactKind>
    private let frames: FrameFormat
    private let reading: any FactReading
    private let size: FrameSize
    /// Made with the first frame that can be decoded, which shows how chroma is shared.
    private var stage: (converter: PlanarConverter, folding: PlaneFolding)?
    private let reader = PlaneReader()
    private var last: FrameMetadata?

    /// A frame that comes later than this after the one before has nothing to do with it.
    private static let longGap = Duration.seconds(1)

    /// Finds `kinds` of facts in frames of a format, whose JPEG frames are decoded together with others' in `planes`.
    init(
        _ frames: FrameFormat, _ kinds: Set<FactKind>, decodedIn planes: SharedPlanes, by make: FactFinder.Maker,
        _ level: KernelLevel
    ) throws(NetError) {
        self.frames = frames
        self.kinds = kinds
        let pictures = PlaneFolding.pictures(of: frames)
        size = pictures.size
        reading = try make(PictureKind(pictures.size, pictures.colorimetry, level), kinds)
        reader.follow(planes)
    }

    /// What is known of the people in a frame; nil if it cannot be decoded.
    func facts(_ frame: FrameMetadata, _ bytes: RawSpan) -> FrameFacts? {
        if stage == nil, let converter = try? PlanarConverter(frames, first: bytes, by: reader) {
            stage = (converter, PlaneFolding(converter.sampling, frames.size, to: size))
        }
        guard let (converter, folding) = stage, converter.convert(bytes, frame.id) else { return nil }
        let planes = reading.planes
        converter.withSamples {
            folding.fold(
                $0, to: [planes.luma.base, planes.cb.base, planes.cr.base],
                [planes.luma.stride, planes.cb.stride, planes.cr.stride])
        }
        var seconds = 0.0
        if let last, frame.id.epoch == last.id.epoch, frame.time - last.time <= Self.longGap {
            seconds = (frame.time - last.time).seconds
        } else {
            reading.forget()
        }
        last = frame
        let (faces, hands) = reading.read(after: seconds)
        return FrameFacts(frame: frame.id, time: frame.time, faces: faces, hands: hands)
    }
}
