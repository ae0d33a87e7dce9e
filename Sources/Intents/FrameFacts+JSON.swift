// SPDX-License-Identifier: MIT
// What is known of the people in a frame, as JSON: the same for pages, sockets and pipes.

import LivecapFrames

extension FrameFacts {
    /// The facts as an object. What was not looked for is null; places are shares of the picture's width and height.
    package var json: JSON {
        .object([
            ("frame", .string("\(frame)")),
            // Numbers of JavaScript do not have as many digits.
            ("timeNs", .string("\(time.nanoseconds)")),
            ("faces", faces.map { .array($0.map(\.json)) } ?? .null),
            ("hands", hands.map { .array($0.map(\.json)) } ?? .null),
            ("reactions", .array(reactions.map { .string($0.rawValue) })),
        ])
    }
}

extension FaceFacts {
    fileprivate var json: JSON {
        let eyes = eyesOpen.map { JSON.object([("right", share($0.right)), ("left", share($0.left))]) }
        return .object([
            ("id", JSON(id)), ("box", box.json), ("confidence", share(confidence)),
            ("roll", rounded(roll, steps: 10)), ("eyesOpen", eyes ?? .null),
            ("landmarks", .array(landmarks.map(\.json))),
        ])
    }
}

extension HandFacts {
    fileprivate var json: JSON {
        .object([
            ("id", JSON(id)), ("box", box.json), ("confidence", share(confidence)), ("isRight", .bool(isRight)),
            ("gesture", JSON(gesture?.rawValue)), ("landmarks", .array(landmarks.map(\.json))),
        ])
    }
}

extension PictureBox {
    /// Left, top, width and height.
    package var json: JSON { .array([share(origin.x), share(origin.y), share(width), share(height)]) }
}

extension PicturePoint {
    fileprivate var json: JSON { .array([share(x), share(y)]) }
}

/// To a ten-thousandth: less than half a pixel of 4K, and short.
private func share(_ value: Float) -> JSON { rounded(value, steps: 10_000) }

private func rounded(_ value: Float, steps: Double) -> JSON {
    let value = (Double(value) * steps).rounded() / steps
    // Zero has no sign that says anything.
    return .number(value == 0 ? 0 : value)
}
