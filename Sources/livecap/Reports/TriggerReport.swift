// SPDX-License-Identifier: MIT
// Says what a trigger has noticed, for people and for programs.

import LivecapFrames
import LivecapIntents

extension TriggerCause {
    /// Such as "motion in 2.1 % of the picture, at the left".
    var words: String {
        switch kind {
        case .motion:
            guard let motion else { return "motion" }
            return
                "motion in \(fixed(100 * motion.share, motion.share < 0.01 ? 2 : 1)) % of the picture, \(place(motion.box))"
        case .sound:
            guard let sound else { return "sound" }
            return "a sound of \(fixed(sound.level, 0)) dB, where \(fixed(sound.usual, 0)) dB are usual"
        case .time: return "the time has come"
        }
    }

    /// Where the middle of a part of the picture is.
    private func place(_ box: PictureBox) -> String {
        func third(_ middle: Float) -> Int { min(max(Int(middle * 3), 0), 2) }
        let column = ["left", "", "right"][third(box.origin.x + box.width / 2)]
        let row = ["upper", "", "lower"][third(box.origin.y + box.height / 2)]
        switch (row, column) {
        case ("", ""): return "in the middle"
        case (_, ""): return "at the \(row == "upper" ? "top" : "bottom")"
        case ("", _): return "at the \(column)"
        default: return "at the \(row) \(column)"
        }
    }

    /// The members of its report.
    var members: [(String, JSON)] {
        var members: [(String, JSON)] = [
            ("trigger", .string(kind.rawValue)), ("timeNs", .integer(time.nanoseconds)),
            ("momentNs", .integer(moment.nanoseconds)), ("noticedNs", .integer(noticed.nanoseconds)),
        ]
        if let motion { members += [("share", .number(motion.share)), ("box", motion.box.json)] }
        if let sound { members += [("levelDb", .number(sound.level)), ("usualDb", .number(sound.usual))] }
        return members
    }
}
