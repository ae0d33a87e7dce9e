// SPDX-License-Identifier: MIT
// What each cell of a picture usually looks like, and by how much it varies.

/// The usual brightness of each cell, its noise, and how busy it is: what leaves, water or a screen do all the time is
/// nothing new. All rates are by the frames' times, so that they hold for every frame rate.
struct CellMemory {
    /// The usual brightness.
    private(set) var usual: [Float]
    /// The variance around it, without what moved.
    private var variance: [Float]
    /// How far cells differ while something moves there, for as long as that lasts.
    private var busy: [Float]
    /// What may become usual: how a cell that differs has looked for `stillness` seconds.
    private var other: [Float]
    private var stillness: [Float]
    private(set) var frames = 0
    private(set) var seconds: Float = 0

    /// Time constants, in seconds.
    private static let follows: Float = 1
    private static let learnsNoise: Float = 2
    private static let becomesBusy: Float = 20
    private static let calmsDown: Float = 60
    /// A thing that has come, or gone, and rests for so long is part of the picture.
    private static let settles: Float = 1.5
    /// How far above white the memory of a clipped cell may be.
    private static let brightest: Float = 1000
    /// The variance that no cell is below: rounding, and the steps in which JPEG keeps means.
    private static let least: Float = 0.25
    /// By how much more than its usual motion a busy cell must differ.
    private static let busyFactor: Float = 1.2

    init(count: Int) {
        usual = [Float](repeating: 0, count: count)
        variance = [Float](repeating: 0, count: count)
        busy = [Float](repeating: 0, count: count)
        other = [Float](repeating: 0, count: count)
        stillness = [Float](repeating: 0, count: count)
    }

    /// Forgets everything.
    mutating func forget() { self = CellMemory(count: usual.count) }

    /// From which difference on a cell has changed: `deviations` of its noise, and no less than `contrast`.
    func threshold(_ cell: Int, deviations: Float, contrast: Float) -> Float {
        let noise = deviations * (variance[cell] + Self.least).squareRoot()
        return max(contrast, noise) + Self.busyFactor * busy[cell]
    }

    /// Takes a picture as it is, while the memory is new: everything that varies is noise.
    mutating func learn(_ picture: [Float], expected: [Float], after elapsed: Float) {
        frames += 1
        seconds += elapsed
        let share = 1 / Float(min(frames, 1 << 20))
        for cell in usual.indices {
            let difference = frames == 1 ? 0 : picture[cell] - expected[cell]
            usual[cell] += max(share, min(1, elapsed / Self.follows)) * (picture[cell] - usual[cell])
            variance[cell] +=
                max(share, min(1, elapsed / Self.learnsNoise)) * (difference * difference - variance[cell])
            other[cell] = picture[cell]
        }
    }

    /// Takes a picture in which some cells have changed: `expected` is how all would look in its light.
    mutating func learn(
        _ picture: [Float], expected: [Float], changed: [Bool], after elapsed: Float, deviations: Float, contrast: Float
    ) {
        frames += 1
        seconds += elapsed
        let follow = min(1, elapsed / Self.follows)
        for cell in usual.indices {
            // Of what is clipped only the light is known.
            let isClipped = picture[cell] >= RowLight.clipped && expected[cell] >= RowLight.clipped
            let seen = isClipped ? min(expected[cell], Self.brightest) : picture[cell]
            let difference = seen - expected[cell]
            guard changed[cell] else {
                usual[cell] += follow * (seen - usual[cell])
                variance[cell] += min(1, elapsed / Self.learnsNoise) * (difference * difference - variance[cell])
                busy[cell] -= min(1, elapsed / Self.calmsDown) * busy[cell]
                other[cell] = picture[cell]
                stillness[cell] = 0
                continue
            }
            // It follows the light alone.
            usual[cell] += follow * (expected[cell] - usual[cell])
            busy[cell] += min(1, elapsed / Self.becomesBusy) * max(0, abs(difference) - busy[cell])
            let limit = max(contrast, deviations * (variance[cell] + Self.least).squareRoot())
            if abs(picture[cell] - other[cell]) <= limit {
                stillness[cell] += elapsed
                other[cell] += 0.2 * (picture[cell] - other[cell])
            } else {
                other[cell] = picture[cell]
                stillness[cell] = 0
            }
            if stillness[cell] >= Self.settles {
                usual[cell] = other[cell]
                stillness[cell] = 0
            }
        }
    }
}
