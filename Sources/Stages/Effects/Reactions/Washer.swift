// SPDX-License-Identifier: MIT
// Dims a picture behind people.

import Fusion
import LivecapCFusionKernels
import LivecapDetection

/// Lays a colour over pictures. It owns its working memory.
final class Washer {
    private let kernels: UnsafePointer<fusion_kernels>
    private let width: Int
    private let memory: UnsafeMutablePointer<UInt8>
    private let colour: UnsafeMutablePointer<UInt8>
    private let alpha: UnsafeMutablePointer<UInt8>
    private let none: UnsafeMutablePointer<UInt8>

    /// Without a matte people are dimmed, too: by this share.
    private static let overPeople = 0.5

    init(_ kind: PictureKind) {
        kernels = kind.kernels
        width = kind.size.width
        let row = (width + 63) & ~63
        memory = .allocate(capacity: 3 * row)
        memory.initialize(repeating: 0, count: 3 * row)
        colour = memory
        alpha = memory + row
        none = memory + 2 * row
    }

    deinit { memory.deallocate() }

    /// Lays `wash` over a picture, behind the people of `people`, if those are given.
    func draw(_ wash: ReactionWash, _ codes: PaintCodes, into planes: PicturePlanes, behind people: PeopleMask?) {
        let sample = codes.sample(Paint(wash.colour))
        cover(wash, planes.luma, with: sample.luma) { people?.row($0) }
        cover(wash, planes.cb, with: sample.cb) { people?.chromaRow($0) }
        cover(wash, planes.cr, with: sample.cr) { people?.chromaRow($0) }
    }

    private func cover(
        _ wash: ReactionWash, _ plane: SamplePlane, with code: UInt8,
        behind people: (Int) -> UnsafeMutablePointer<UInt8>?
    ) {
        colour.update(repeating: code, count: plane.width)
        let effects = kernels.pointee.effects
        for y in 0..<plane.height {
            let share = (Double(y) + 0.5) / Double(plane.height)
            let covered = wash.upper + (wash.lower - wash.upper) * share
            let mask = people(y)
            let whole = UInt8((covered * (mask == nil ? Self.overPeople : 1) * 255).rounded())
            alpha.update(repeating: whole, count: plane.width)
            if let mask { effects.blend_bytes(none, alpha, mask, plane.width, alpha) }
            effects.blend_bytes(colour, plane.row(y), alpha, plane.width, plane.row(y))
        }
    }
}
