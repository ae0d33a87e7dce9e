// SPDX-License-Identifier: MIT
// Draws reactions into pictures, behind and before their people.

import LivecapCFusionKernels
import LivecapDetection
import LivecapFrames

/// Draws the reactions that were begun, until they end. It owns its working memory, most of which is made for the first
/// reaction. Used by one thread.
final class ReactionPainter {
    /// What is drawn first, and what over it.
    enum Layer {
        /// Behind people.
        case behind
        /// Before them.
        case before
    }

    private let kind: PictureKind
    private let codes: PaintCodes
    private let field: ReactionField
    private let drawer: SpriteDrawer
    private let washer: Washer
    /// The sprites of the reactions that were begun so far.
    private var sprites: [Reaction: [Sprite]] = [:]
    private var running: [Running] = []
    /// Made when something is drawn behind people for the first time.
    private var people: PeopleMask?

    private struct Running {
        let reaction: Reaction
        let scene: any ReactionScene
        var time: Double
        /// What is visible now.
        var poses: [ReactionPose] = []
        var wash: ReactionWash?
    }

    /// So many reactions are drawn at once; further ones are not begun. More would not be calm.
    static let most = EffectBoard.mostReactions
    /// Sprites are painted for pictures of up to this height, and enlarged for larger ones: it must not take long.
    private static let mostUnit = 1080.0

    /// For pictures of a kind.
    init(_ kind: PictureKind) {
        self.kind = kind
        codes = PaintCodes(kind.colorimetry)
        field = ReactionField(kind.size)
        drawer = SpriteDrawer(kind)
        washer = Washer(kind)
    }

    /// Whether nothing is drawn.
    var isIdle: Bool { running.isEmpty }

    /// The reactions that are drawn.
    var performed: ReactionSet {
        var set = ReactionSet()
        for reaction in running { set.insert(reaction.reaction) }
        return set
    }

    /// Begins a reaction, as if `elapsed` seconds ago. `seed`: where its parts fly. `face`: whose it is, in shares of
    /// the picture.
    func begin(_ reaction: Reaction, seed: UInt64, elapsed: Double = 0, beside face: Face? = nil) {
        guard running.count < Self.most, elapsed < reaction.duration.seconds else { return }
        if sprites[reaction] == nil {
            let unit = Float(min(field.unit, Self.mostUnit))
            sprites[reaction] = reaction.scene.paintings(unit: unit).map { Sprite($0, codes) }
        }
        var dice = ReactionDice(seed: seed)
        var field = field
        if let face {
            let middle = SIMD2(Double(face.middle.x) * field.width, Double(face.middle.y) * field.height)
            field.face = (middle, Double(face.height) * field.height / 2)
        }
        running.append(Running(reaction: reaction, scene: reaction.scene.init(field, &dice), time: elapsed))
        pose(running.count - 1)
    }

    /// Ends all reactions.
    func forget() { running.removeAll() }

    /// Lets time pass. Reactions that are over are drawn no more.
    func advance(by seconds: Double) {
        guard !running.isEmpty else { return }
        for index in running.indices {
            running[index].time += seconds
            pose(index)
        }
        running.removeAll { Self.rounded($0.time) >= $0.reaction.duration.seconds }
    }

    private func pose(_ index: Int) {
        let time = Self.rounded(running[index].time)
        running[index].poses.removeAll(keepingCapacity: true)
        running[index].scene.show(at: time, in: &running[index].poses)
        running[index].wash = running[index].scene.wash(at: time)
    }

    /// To a millisecond: sums of different steps to the same time must show the same picture.
    private static func rounded(_ time: Double) -> Double { (time * 1000).rounded() / 1000 }

    /// Where people are to be kept for `draw`; nil if nothing is drawn behind them.
    var mask: PeopleMask? {
        guard running.contains(where: { $0.wash != nil || $0.poses.contains { $0.isBehind } }) else { return nil }
        let mask = people ?? PeopleMask(kind)
        people = mask
        return mask
    }

    /// Draws a layer into a picture. `mask`: where people are in it. Without it, all is drawn before them.
    func draw(_ layer: Layer, into planes: PicturePlanes, behind mask: PeopleMask? = nil) {
        for reaction in running {
            if layer == .behind, let wash = reaction.wash { washer.draw(wash, codes, into: planes, behind: mask) }
            guard let sprites = sprites[reaction.reaction] else { continue }
            for pose in reaction.poses where pose.isBehind == (layer == .behind) {
                let place = SpritePlace(
                    middle: pose.middle * field.unit, size: pose.size * field.unit, turn: pose.turn,
                    opacity: pose.opacity)
                drawer.draw(sprites[pose.painting], at: place, into: planes, behind: mask)
            }
        }
    }
}

extension Reaction {
    /// What is drawn for it.
    var scene: any ReactionScene.Type {
        switch self {
        case .thumbsUp: BubbleScene.self
        case .thumbsDown: ThumbsDownScene.self
        case .heart: HeartScene.self
        case .hearts: HeartsScene.self
        case .balloons: BalloonScene.self
        case .rain: RainScene.self
        case .confetti: ConfettiScene.self
        case .lasers: LaserScene.self
        case .fireworks: FireworkScene.self
        }
    }
}
