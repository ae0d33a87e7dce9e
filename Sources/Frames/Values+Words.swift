// SPDX-License-Identifier: MIT
// How this module's values print: short, and exact.

extension Timestamp: CustomStringConvertible {
    /// The time since the clock's origin: `12.5 s`.
    public var description: String { Duration.nanoseconds(nanoseconds).inSeconds }
}

extension Duration {
    /// The exact number of seconds, to the nanosecond: `-0.25 s`.
    package var inSeconds: String {
        let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        var digits = "\(1_000_000_000 + rest)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(nanoseconds < 0 ? "-" : "")\(whole)\(digits.isEmpty ? "" : ".\(digits)") s"
    }
}

extension Damage: CustomStringConvertible {
    /// The reason's name.
    public var description: String { name }
}

extension FrameMetadata: CustomStringConvertible {
    /// Such as `frame 0:12 at 1.5 s, 921600 bytes, damaged: short`.
    public var description: String {
        let lost = lostBefore > 0 ? ", \(lostBefore) lost before it" : ""
        return "frame \(id) at \(time), \(byteCount) bytes\(isUsable ? "" : ", damaged: \(damage)")\(lost)"
    }
}

extension FrameFormat: CustomStringConvertible {
    /// Such as `YUYV 1280x720`.
    public var description: String { "\(pixelFormat) \(size)" }
}

extension Colorimetry: CustomStringConvertible {
    /// Range, matrix, transfer and primaries: `limited bt601 sRGB bt709`.
    public var description: String { "\(range) \(matrix) \(transfer) \(primaries)" }
}

extension SourceDescription: CustomStringConvertible {
    /// Such as `HD Webcam: MJPG 1280x720 at 30 fps`.
    public var description: String { "\(name): \(format)\(rate.map { " at \($0) fps" } ?? "")" }
}

extension WallClockAnchor: CustomStringConvertible {
    /// Such as `5.25 s is 2026-11-21T22:30:15.042+02:00`.
    public var description: String { "\(monotonic) is \(calendar)" }
}
