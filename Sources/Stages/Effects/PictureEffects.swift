// SPDX-License-Identifier: MIT
// Pictures in, pictures with effects out.

import Fusion
import LivecapCFusionKernels
import LivecapDetection
import LivecapFrames
import LivecapStabilization

/// Draws effects into a stream of pictures of one size. It owns its working memory. Used by one thread.
final class PictureEffects {
    private var settings = EffectSettings()
    private let kind: PictureKind
    /// Loaded with the first net.
    private let nets: LazyNets
    /// The picture to draw into.
    let planes: PicturePlanes
    private let kernels: UnsafePointer<fusion_kernels>
    private let picture: QuadMap
    private var matte: PersonMatte?
    private var finder: FaceFinder?
    private let cut: PersonCut
    private let backdrop: Backdrop
    private let light: LightMap
    private let painter: EffectPainter
    private let lowLight: LowLight
    private let view: ViewPainter
    /// Made for the first reaction.
    private var reactions: ReactionPainter?
    private var framing = FramingPath()
    /// How much work goes into the next picture.
    var effort = EffectEffort.full
    private var faces: [Face] = []
    /// Pictures until faces are looked for again.
    private var untilFaces = 0
    /// Pictures until people are looked at again, and what is behind them is blurred again.
    private var untilMatte = 0
    private var untilBackdrop = 0
    /// How often in a row fewer were found than there are.
    private var unseen = 0

    /// For so many pictures may fewer faces be found than there are: for a second, at 30 frames per second.
    private static let longestUnseen = 30

    /// For pictures of a kind. Nothing is drawn before `use`.
    init(_ kind: PictureKind, _ nets: LazyNets) {
        self.kind = kind
        self.nets = nets
        kernels = kind.kernels
        planes = PicturePlanes(kind.size)
        picture = QuadMap(kind.size)
        let blur = BoxBlur(kind)
        cut = PersonCut(kind, blur)
        backdrop = Backdrop(kind, blur)
        light = LightMap(kind.size)
        painter = EffectPainter(kind)
        lowLight = LowLight(kind)
        view = ViewPainter(width: kind.size.width, kind.kernels)
    }

    /// Draws these from the next picture on. Nets that it lacks are loaded; they stay.
    /// - Throws: what prevents that; it then goes on as before.
    func use(_ settings: EffectSettings) throws(NetError) {
        guard settings != self.settings else { return }
        if settings.needMatte, matte == nil { matte = try PersonMatte(nets.opened(), of: kind) }
        if settings.needFaces, finder == nil { finder = try FaceFinder(nets.opened(), of: kind) }
        // What was seen before a rest says nothing about what follows.
        if settings.needMatte, !self.settings.needMatte { forgetMatte() }
        if settings.needFaces, !self.settings.needFaces { forgetFaces() }
        if settings.framing == 0 { framing = FramingPath() }
        if settings.brighten == 0 { lowLight.forget() }
        renewSoon()
        self.settings = settings
    }

    /// Lets reactions go on. Those begun after this are at their beginning in the next picture.
    func advanceReactions(by seconds: Double) { reactions?.advance(by: seconds) }

    /// Begins a reaction with the next picture, as if `elapsed` seconds ago.
    func begin(_ call: ReactionCall, elapsed: Double) {
        let painter = reactions ?? ReactionPainter(kind)
        reactions = painter
        let largest = faces.max { $0.height < $1.height }
        painter.begin(call.reaction, seed: call.number, elapsed: elapsed, beside: largest)
    }

    /// The reactions that were drawn into the last picture.
    var performed: ReactionSet { reactions?.performed ?? ReactionSet() }

    /// The next picture has nothing to do with the one before.
    func forget() {
        forgetMatte()
        forgetFaces()
        lowLight.forget()
        reactions?.forget()
    }

    private func forgetMatte() {
        matte?.forget()
        renewSoon()
    }

    /// Nothing of earlier pictures is used for the next one.
    private func renewSoon() {
        untilMatte = 0
        untilBackdrop = 0
    }

    private func forgetFaces() {
        light.forget()
        framing = FramingPath()
        faces = []
        untilFaces = 0
        unseen = 0
    }

    /// The faces of the last picture; nil if it was not looked at.
    private(set) var seen: [Face]?

    /// Draws effects into `planes`, which come `seconds` after the ones before, and the result into `out`: planes of
    /// 4:2:0 without padding.
    func draw(after seconds: Double, into out: UnsafeMutableRawPointer) {
        seen = nil
        guard !settings.leavePictures else {
            react(behind: nil)
            return show(.whole, into: out)
        }
        planes.gather(into: picture, kernels)
        // First, so that nets see more, too.
        let people = settings.needMatte ? matte : nil
        if lowLight.brighten(planes, seen: picture, people: people, settings, after: seconds) {
            planes.gather(into: picture, kernels)
        }
        let found = look()
        let mask = settings.needMatte ? reactions?.mask : nil
        if let matte, settings.needMatte {
            let isBlended = settings.portrait > 0 || settings.background != nil
            let isLookedAt = Self.isTime(&untilMatte, every: effort.matteEvery(hides: isBlended))
            // If the net fails, nothing becomes visible: people are where they were, or nobody is there.
            if isLookedAt { _ = matte.look(at: picture) }
            cut.refine(matte, by: picture)
            drawBackdrop()
            let isLit = settings.light > 0
            if isLit, isLookedAt || effort.alwaysMovesLight { light.light(faces, strength: Float(settings.light)) }
            painter.draw(
                planes, people: cut.lines, backdrop: isBlended ? backdrop.image : nil,
                light: isLit ? light : nil, keeping: mask)
        }
        react(behind: mask)
        seen = found
        let shown = settings.framing > 0 ? framing.next(found, after: seconds, strength: settings.framing) : .whole
        show(shown, into: out)
    }

    /// Draws reactions, partly behind people, if it is known where those are.
    private func react(behind mask: PeopleMask?) {
        reactions?.draw(.behind, into: planes, behind: mask)
        reactions?.draw(.before, into: planes)
    }

    /// Looks for faces, if it is time to; nil if not.
    private func look() -> [Face]? {
        guard let finder, settings.needFaces else { return nil }
        untilFaces -= 1
        guard untilFaces < 0, let found = finder.faces(in: picture) else { return nil }
        untilFaces = effort.facesEvery - 1
        // One that is overlooked is still there.
        unseen = found.count < faces.count ? unseen + 1 : 0
        if unseen == 0 || unseen * effort.facesEvery > Self.longestUnseen { faces = found }
        return found
    }

    private func drawBackdrop() {
        if let background = settings.background {
            backdrop.show(background)
        } else if settings.portrait > 0, Self.isTime(&untilBackdrop, every: effort.backdropEvery) {
            backdrop.blur(picture, behind: cut.lines, strength: settings.portrait)
        }
    }

    /// Whether it is time for what is done in every picture of so many. Counts down until then.
    private static func isTime(_ until: inout Int, every count: Int) -> Bool {
        until -= 1
        // With more effort than before, it may be overdue.
        guard until <= 0 || until >= count else { return false }
        until = count
        return true
    }

    private func show(_ shown: Framing, into out: UnsafeMutableRawPointer) {
        var place = out.assumingMemoryBound(to: UInt8.self)
        for plane in planes.all {
            if shown == .whole {
                for y in 0..<plane.height { (place + y * plane.width).update(from: plane.row(y), count: plane.width) }
            } else {
                plane.fillMargins()
                view.draw(plane, motion(shown, plane), into: place)
            }
            place += plane.width * plane.height
        }
    }

    /// Leads from the samples of what is shown to those of the plane.
    private func motion(_ shown: Framing, _ plane: SamplePlane) -> AffineMotion {
        var motion = AffineMotion(width: plane.width, height: plane.height)
        motion.shiftX = Float((shown.x - 0.5) * Double(plane.width))
        motion.shiftY = Float((shown.y - 0.5) * Double(plane.height))
        motion.xx = Float(shown.size - 1)
        motion.yy = Float(shown.size - 1)
        return motion
    }
}
