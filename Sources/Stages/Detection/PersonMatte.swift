// SPDX-License-Identifier: MIT
// Who is in a picture: the share of a person in each of its places.

import LivecapCFusionKernels
import LivecapFrames

/// The matte of the newest picture, steadied by those before it. Used by one thread at a time.
package final class PersonMatte {
    private let kernels: UnsafePointer<fusion_kernels>
    private let net: Net
    private let input: NetPicture
    private let fresh: UnsafeMutableBufferPointer<Float>
    /// What was seen lately: where a matte hardly changes, it follows slowly, so that noise does not make edges
    /// flicker.
    private let kept: UnsafeMutableBufferPointer<Float>
    /// What is shown of it.
    private let shown: UnsafeMutableBufferPointer<Float>
    /// What the net gives for things that are no person, and what is surely one.
    private static let none: Float = 0.12, all: Float = 0.88
    private let islands: MatteIslands
    private var isBegun = false

    /// For pictures of a kind.
    /// - Throws: what prevents the net from being loaded.
    package init(_ nets: Nets, of kind: PictureKind) throws(NetError) {
        kernels = kind.kernels
        net = try nets.open(.matte)
        guard let output = net.outputs.first, output.values.count == output.width * output.height else {
            throw .failed(NetModel.matte.rawValue)
        }
        fresh = output.values
        kept = .allocate(capacity: fresh.count)
        kept.initialize(repeating: 0)
        islands = MatteIslands(count: fresh.count)
        shown = .allocate(capacity: fresh.count)
        shown.initialize(repeating: 0)
        input = NetPicture(net.input, of: kind, values: 0...1)
    }

    deinit {
        kept.deallocate()
        shown.deallocate()
    }

    /// The next picture has nothing to do with the one before.
    package func forget() { isBegun = false }

    /// Looks at the next picture. Returns false if the net fails; the matte is then that of the picture before, and of
    /// nobody before the first.
    package func look(at picture: QuadMap) -> Bool {
        input.draw(picture, .whole)
        guard net.run(), fresh.reduce(0, +).isFinite else { return false }
        if isBegun {
            kernels.pointee.effects.steady_matte(fresh.baseAddress!, fresh.count, kept.baseAddress!)
        } else {
            kept.baseAddress!.update(from: fresh.baseAddress!, count: fresh.count)
        }
        isBegun = true
        for place in kept.indices { shown[place] = min(max((kept[place] - Self.none) / (Self.all - Self.none), 0), 1) }
        islands.remove(from: shown, width: net.outputs[0].width)
        return true
    }

    /// Writes a row of the matte, from 0 to 1, for a map of that size.
    package func draw(row y: Int, of map: QuadMap, into out: UnsafeMutablePointer<Float>) {
        let (width, height) = (net.outputs[0].width, net.outputs[0].height)
        let place = min(
            max((Float(y) + 0.5) * Float(height) / Float(map.height) - 0.5, 0), Float(height - 1))
        let upper = Int(place), lower = min(upper + 1, height - 1), step = 65536 * width / map.width
        kernels.pointee.effects.enlarge_matte(
            shown.baseAddress! + upper * width, shown.baseAddress! + lower * width, place - Float(upper), width,
            Int32(step / 2 - 32768), Int32(step), map.width, out)
    }
}
