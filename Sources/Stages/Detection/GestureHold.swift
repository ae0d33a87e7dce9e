// SPDX-License-Identifier: MIT
// Which reaction is asked for by gestures that are held.

import LivecapFrames

/// Fed with the hands of each picture, gives a reaction when a gesture has been held long enough, and not again before
/// it has been let go. The same pictures at the same times give the same reactions.
package struct GestureHold {
    /// How long one gesture, by one hand or by two, has been seen.
    private struct Run {
        var since: Timestamp
        var last: Timestamp
        /// Pictures since it began, and those of them that have it.
        var pictures = 1
        var seen = 1

        /// A gesture is now and then not recognized.
        var isSteady: Bool { 3 * seen >= 2 * pictures }
    }

    private var single: [HandGesture: Run] = [:]
    private var double: [HandGesture: Run] = [:]
    /// Those that have had their reaction, and when they were last seen.
    private var done: [HandGesture: Timestamp] = [:]
    private let aspect: Float

    /// How long a gesture is held.
    package static let held = Duration.milliseconds(700)
    /// How much longer one hand waits if there is another that may be about to do the same.
    package static let secondHand = Duration.milliseconds(300)
    /// A gesture that is not seen for so long has been let go.
    package static let letGo = Duration.milliseconds(500)
    /// One that is not seen for longer must be held anew.
    private static let gap = Duration.milliseconds(250)
    /// The tips of the first fingers of two hands that make a heart, and those of their thumbs, are at most this far
    /// apart: as a share of how large the hands are.
    private static let heartGap: Float = 0.4

    /// For pictures of this size.
    package init(_ size: FrameSize) { aspect = Float(size.width) / Float(size.height) }

    /// The next picture has nothing to do with the one before.
    package mutating func forget() {
        single = [:]
        double = [:]
        done = [:]
    }

    /// The reaction that the hands of the next picture, taken at `time`, ask for.
    package mutating func next(_ hands: [HandFacts], at time: Timestamp) -> Reaction? {
        var reaction: Reaction?
        for gesture in HandGesture.allCases {
            let count = hands.count { $0.gesture == gesture }
            let areTwo = gesture == .halfHeart ? isHeart(hands) : count >= 2
            Self.follow(&single[gesture], count > 0, time)
            Self.follow(&double[gesture], areTwo, time)
            if let last = done[gesture] {
                let isLetGo = time - last >= Self.letGo || time < last
                done[gesture] = count > 0 ? time : isLetGo ? nil : last
                continue
            }
            guard reaction == nil, let found = asked(by: gesture, hands.count > count, time) else { continue }
            reaction = found
            done[gesture] = time
        }
        return reaction
    }

    /// Continues a run, begins one or ends it.
    private static func follow(_ run: inout Run?, _ isSeen: Bool, _ time: Timestamp) {
        if let last = run?.last, time - last > gap || time < last { run = nil }
        guard run != nil else {
            if isSeen { run = Run(since: time, last: time) }
            return
        }
        run?.pictures += 1
        guard isSeen else { return }
        run?.seen += 1
        run?.last = time
    }

    /// The reaction to a gesture that is held now. Two hands win over one: while both make it, one is not looked at.
    private func asked(by gesture: HandGesture, _ isOtherHand: Bool, _ time: Timestamp) -> Reaction? {
        if let two = double[gesture] { return Self.isHeld(two, Self.held, time) ? gesture.reactionOfTwo : nil }
        guard let one = single[gesture], let reaction = gesture.reaction else { return nil }
        return Self.isHeld(one, isOtherHand ? Self.held + Self.secondHand : Self.held, time) ? reaction : nil
    }

    private static func isHeld(_ run: Run, _ least: Duration, _ time: Timestamp) -> Bool {
        run.last == time && time - run.since >= least && run.isSteady
    }

    /// Whether two hands touch so that their halves make a heart.
    private func isHeart(_ hands: [HandFacts]) -> Bool {
        let halves = hands.filter { $0.gesture == .halfHeart && $0.landmarks.count == 21 }
        return halves.indices.contains { a in
            halves[(a + 1)...].contains { b in
                let size = max(extent(halves[a]), extent(b))
                return [4, 8].allSatisfy { tip in
                    let across = (halves[a].landmarks[tip].x - b.landmarks[tip].x) * aspect
                    let down = halves[a].landmarks[tip].y - b.landmarks[tip].y
                    return (across * across + down * down).squareRoot() <= Self.heartGap * size
                }
            }
        }
    }

    /// How large a hand is, in the picture's heights.
    private func extent(_ hand: HandFacts) -> Float { max(hand.box.width * aspect, hand.box.height) }
}

extension HandGesture {
    /// What one hand asks for.
    fileprivate var reaction: Reaction? {
        switch self {
        case .thumbUp: .thumbsUp
        case .thumbDown: .thumbsDown
        case .victory: .balloons
        case .horns, .halfHeart: nil
        }
    }

    /// What two hands ask for.
    fileprivate var reactionOfTwo: Reaction {
        switch self {
        case .thumbUp: .fireworks
        case .thumbDown: .rain
        case .victory: .confetti
        case .horns: .lasers
        case .halfHeart: .hearts
        }
    }
}
