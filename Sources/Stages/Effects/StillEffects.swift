// SPDX-License-Identifier: MIT
// Effects drawn into stills, in their full precision.

import Fusion
import LivecapDetection
import LivecapFrames

/// Draws effects into stills of one size: each by itself, whatever came before. Nets look at a map of the still, and
/// the still itself says where exactly people end. It owns its working memory. Used by one thread at a time.
///
/// Framing is left out: what part of the picture a still shows is the photographer's choice (`DigitalZoom`).
package final class StillEffects {
    /// What it draws.
    package let settings: EffectSettings
    private let kind: PictureKind
    private let grid: StillGrid
    private let map: QuadMap
    private let matte: PersonMatte?
    private let finder: FaceFinder?
    private let cut: PersonCut
    private let backdrop: Backdrop
    /// A picture behind people, in the size of the still.
    private let background: BackgroundPicture
    private let light: LightMap

    /// For stills of a size. Nets are loaded for `settings`.
    /// - Throws: what prevents a net from being loaded.
    package init(
        _ size: FrameSize, _ colorimetry: Colorimetry, _ settings: EffectSettings, by nets: Nets,
        at level: KernelLevel
    ) throws(NetError) {
        self.settings = settings.ofStills
        grid = StillGrid(size)
        kind = PictureKind(grid.mapped, colorimetry, level)
        map = QuadMap(grid.mapped)
        matte = self.settings.needMatte ? try PersonMatte(nets, of: kind) : nil
        finder = self.settings.needFaces ? try FaceFinder(nets, of: kind) : nil
        let blur = BoxBlur(kind)
        cut = PersonCut(kind, blur)
        backdrop = Backdrop(kind, blur)
        let even = FrameSize(width: (size.width + 1) & ~1, height: (size.height + 1) & ~1)
        background = BackgroundPicture(PictureKind(even, colorimetry, level))
        light = LightMap(grid.mapped)
    }

    /// Whether it draws into stills like this one.
    package func fits(_ picture: FusedPicture) -> Bool {
        picture.size == grid.size && picture.colorimetry == kind.colorimetry
    }

    /// Draws the effects into a still, and returns where it found people; nil if nothing needs to know that. If a net
    /// fails, nobody is there: what would be covered is.
    package func draw(into picture: FusedPicture, on pool: any FusionPool = CallersThread()) -> StillMask? {
        precondition(fits(picture), "stills have one size")
        guard let matte else { return nil }
        grid.gather(picture, into: map)
        matte.forget()
        let isSeen = matte.look(at: map)
        if isSeen { cut.refine(matte, by: map) } else { forgetPeople() }
        let behind = drawBackdrop()
        if let finder {
            light.forget()
            light.light(finder.faces(in: map) ?? [], strength: Float(settings.light))
        }
        StillPainter(
            picture, grid, kind, people: cut.lines, backdrop: behind,
            light: settings.light > 0 ? light : nil
        ).paint(on: pool)
        return mask(isSeen: isSeen)
    }

    /// What is shown behind people; nil if that stays as it is.
    private func drawBackdrop() -> Backdrop.Image? {
        switch settings.background {
        case .picture(let path): return .planes(background.planes(of: path))
        case .some(let colour): backdrop.show(colour)
        case nil:
            guard settings.portrait > 0 else { return nil }
            backdrop.blur(map, behind: cut.lines, strength: settings.portrait)
        }
        return backdrop.image
    }

    private func forgetPeople() {
        for y in 0..<cut.lines.height { cut.lines.row(y).update(repeating: 0, count: cut.lines.rowCount) }
    }

    /// How much of a person is in a place, by its line of brightness: from 0 to 1, with soft ends.
    static func alpha(_ line: Float) -> Float {
        let held = min(max(line, 0), 1)
        return held * held * (3 - 2 * held)
    }

    private func mask(isSeen: Bool) -> StillMask {
        var mask = StillMask(width: map.width, height: map.height, isSeen: isSeen)
        for y in 0..<map.height {
            let (line, own) = (cut.lines.row(y), map.row(y))
            for x in 0..<map.width {
                let place = QuadMap.lanes * x
                let alpha = Self.alpha(line[place] * own[place] + line[place + 1])
                mask.samples[y * map.width + x] = UInt8((255 * alpha).rounded())
            }
        }
        return mask
    }
}

/// Where people are in a still.
package struct StillMask: Hashable, Sendable {
    /// Its size: at most 512 samples on a side.
    package let width: Int
    package let height: Int
    /// The share of a person in each place: 0 for none, 255 for all. Rows without padding.
    package fileprivate(set) var samples: [UInt8]
    /// Whether the net has looked. If it failed, the mask is empty.
    package let isSeen: Bool

    fileprivate init(width: Int, height: Int, isSeen: Bool) {
        self.width = width
        self.height = height
        self.isSeen = isSeen
        samples = [UInt8](repeating: 0, count: width * height)
    }
}
