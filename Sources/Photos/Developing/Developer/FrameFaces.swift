// SPDX-License-Identifier: MIT
// The faces in frames that are prepared for fusion.

import Fusion
import LivecapDetection
import LivecapFrames
import LivecapPictures

/// Finds faces in prepared frames, each by itself. It loads its nets for the first of them. Used by one thread.
final class FrameFaces {
    private let level: KernelLevel?
    private let nets: LazyNets
    private var made: (pictures: FrameFormat, reader: FactReader)?

    /// Kernels of `level`, or of the environment's, work on the frames.
    init(_ level: KernelLevel?, by nets: LazyNets = LazyNets()) {
        self.level = level
        self.nets = nets
    }

    /// Whether its nets are loaded.
    var isLoaded: Bool { made != nil }

    /// The faces in a frame, the largest first.
    /// - Throws: what prevents a net from being loaded or run.
    func faces(in frame: FusionFrame) throws(NetError) -> [FaceFacts] {
        let pictures = PlaneFolding.pictures(of: frame.format)
        let reader = try reader(of: pictures), planes = reader.planes
        PlaneFolding(frame.sampling, frame.format.size, to: pictures.size).fold(
            to: [planes.luma.base, planes.cb.base, planes.cr.base],
            [planes.luma.stride, planes.cb.stride, planes.cr.stride]
        ) { plane in (UnsafeRawPointer(frame.planes[plane].base), frame.planes[plane].stride) }
        // Eyes are steadied from picture to picture, but here each frame counts alone.
        reader.forget()
        guard let faces = reader.read(after: 0).faces else { throw .failed(NetModel.faces.rawValue) }
        return faces
    }

    private func reader(of pictures: FrameFormat) throws(NetError) -> FactReader {
        if let made, made.pictures == pictures { return made.reader }
        // Two would need twice the memory.
        made = nil
        // A level of the environment that this processor lacks keeps frames from being prepared at all.
        let chosen = level ?? (try? KernelLevel.chosen()) ?? .portable
        let kind = PictureKind(pictures.size, pictures.colorimetry, chosen)
        let reader = try FactReader(kind, [.faces], nets.opened())
        made = (pictures, reader)
        return reader
    }
}

extension FusionFrame {
    /// How its chroma is sampled.
    fileprivate var sampling: PlanarSampling {
        switch chroma {
        case .none: .grey
        case .singles: .s444
        case .pairs: .s422
        case .quads: .s420
        }
    }
}
