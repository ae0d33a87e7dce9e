// SPDX-License-Identifier: MIT
// Sizes and rates of frames.

/// A picture's width and height in pixels.
public struct FrameSize: Hashable, Sendable, CustomStringConvertible {
    /// Pixels per row.
    public let width: Int
    /// Rows per picture.
    public let height: Int

    /// A size of `width` by `height` pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Parses `WIDTHxHEIGHT`, such as "1280x720"; nil unless both are whole numbers in 1...65535.
    public init?(_ text: some StringProtocol) {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = UInt16(parts[0]), let height = UInt16(parts[1]), width > 0, height > 0
        else { return nil }
        self.init(width: Int(width), height: Int(height))
    }

    /// The number of pixels. Saturates, because sizes are also read from files.
    public var area: Int { saturatingProduct(width, height) }
    /// Formatted as `WIDTHxHEIGHT`.
    public var description: String { "\(width)x\(height)" }
}

/// Frames per second, as the exact fraction that drivers use; never zero.
public struct FrameRate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Frames per `denominator` seconds.
    public let numerator: UInt32
    /// The number of seconds in which `numerator` frames arrive.
    public let denominator: UInt32

    /// Creates a rate of `numerator` frames per `denominator` seconds, both at least 1.
    public init(_ numerator: UInt32, per denominator: UInt32 = 1) {
        precondition(numerator > 0 && denominator > 0, "a frame rate is a positive fraction")
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Parses a rate such as "30", "29.97", "30000/1001" or "30:1"; nil unless it is positive and at most 100000.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "/" || $0 == ":" })
        if parts.count == 2, let n = UInt32(parts[0]), let d = UInt32(parts[1]), n > 0, d > 0, n / d <= 100_000 {
            self.init(n, per: d)
        } else if parts.count == 1, let whole = UInt32(parts[0]), whole > 0, whole <= 100_000 {
            self.init(whole)
        } else if parts.count == 1, let real = Double(parts[0]), real >= 0.001, real <= 100_000 {
            self.init(UInt32((real * 1000).rounded()), per: 1000)
        } else {
            return nil
        }
    }

    /// Frames per second, for people and comparisons.
    public var framesPerSecond: Double { Double(numerator) / Double(denominator) }
    /// The time from one frame to the next.
    public var interval: Duration {
        let (numerator, denominator) = (UInt64(numerator), UInt64(denominator))
        return .nanoseconds(Int64((denominator * 1_000_000_000 + numerator / 2) / numerator))
    }
    /// Whether `a` is slower, compared exactly.
    public static func < (a: FrameRate, b: FrameRate) -> Bool {
        UInt64(a.numerator) * UInt64(b.denominator) < UInt64(b.numerator) * UInt64(a.denominator)
    }
    /// Formatted as people write it: "30", "29.97".
    public var description: String {
        if numerator % denominator == 0 { return "\(numerator / denominator)" }
        return "\((framesPerSecond * 100).rounded() / 100)"
    }
}
