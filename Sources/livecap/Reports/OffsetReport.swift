// SPDX-License-Identifier: MIT
// What is said of how far the times of two cameras are apart.

import Camera
import LiveCapture
import LivecapFrames
import LivecapIntents

/// An offset, for people and for programs.
struct OffsetReport {
    let first: String
    let second: String
    let firstName: String?
    let secondName: String?
    let value: Duration
    let bound: Duration
    /// What only a measurement knows.
    var more: [(String, JSON)] = []

    /// Of one that is kept, with the names of cameras that are connected.
    init(_ entry: CameraOffsets.Entry, names: [String: String]) {
        first = entry.first
        second = entry.second
        firstName = names[entry.first]
        secondName = names[entry.second]
        value = entry.offset.value
        bound = entry.offset.bound
    }

    /// Such as `usb-2 (BRIO): 12.34 ms later than usb-1 (C920), within 0.80 ms`.
    var words: String {
        let way = value < .zero ? "earlier" : "later"
        return "\(called(second, secondName)): \(fixed(value.magnitude.milliseconds, 2)) ms \(way) than "
            + "\(called(first, firstName)), within \(fixed(bound.milliseconds, 2)) ms"
    }

    private func called(_ key: String, _ name: String?) -> String { name.map { "\(key) (\($0))" } ?? key }

    var json: JSON {
        .object(
            [
                ("camera", .string(second)), ("name", JSON(secondName)), ("from", .string(first)),
                ("fromName", JSON(firstName)), ("offsetMs", JSON(milliseconds: value)),
                ("boundMs", JSON(milliseconds: bound)),
            ] + more)
    }

    func print(to console: inout Console) throws(Failure) {
        if console.writesJSON { try console.print(json) } else { try console.print(words) }
    }
}

extension OffsetRefusal {
    /// The name for programs.
    var code: String {
        switch self {
        case .tooShort: "too-few-frames"
        case .tooLittleChange: "too-little-change"
        case .differentViews: "different-views"
        case .ambiguous: "ambiguous-offset"
        case .tooFar: "offset-too-large"
        case .inexact: "inexact-offset"
        }
    }
}
