// SPDX-License-Identifier: MIT
// What can be chosen when depth is filtered.

import LivecapFrames

/// How far two distances may lie apart and still belong to one surface: a part that is the same everywhere, and one
/// that grows with the square of the distance, as the noise of cameras does that measure disparities.
public struct DepthReach: Hashable, Codable, Sendable {
    /// The part that is the same everywhere, in metres.
    public var metres: Double
    /// Metres at a distance of one metre; four times as much at two.
    public var perSquare: Double

    /// Creates a reach; by default about three standard deviations of a usual stereo camera.
    public init(metres: Double = 0.006, perSquare: Double = 0.01) {
        self.metres = metres
        self.perSquare = perSquare
    }

    /// The reach at a distance in metres.
    public func at(_ distance: Double) -> Double { metres + perSquare * distance * distance }

    /// What kernels take: counts, and their growth in the units of `DepthList.h`.
    func counts(_ unit: DepthUnit) -> (least: UInt32, slope: UInt32) {
        func held(_ number: Double) -> UInt32 { UInt32(min(max(number, 0), 65535).rounded()) }
        return (held(metres / unit.metres), held(perSquare * unit.metres * 0x1p28))
    }
}

/// How depth is filtered. Nothing is, unless it is asked for: filtered depth looks better, and what was measured is
/// gone.
///
/// Filters are applied in this order: steadied over time, small holes filled, smoothed within edges.
public struct DepthFilter: Hashable, Codable, Sendable {
    /// How many frames a depth is the mean of at most, 1 to 256; 1 for no filter over time. What changes by more than
    /// the reach, as where something moves, is taken over at once.
    public var memory: Int
    /// A pixel without depth keeps the one it had if at least this many of the last eight frames had one; 0 for never.
    /// It needs a filter over time.
    public var hold: Int
    /// The most pixels of a hole that is filled; 0 for none. Larger holes stay.
    public var largestHole: Int
    /// Pixels around one that smoothing takes into account, 0 to 3; 0 for none.
    public var radius: Int
    /// The difference of brightness, in codes, at which the picture shows another surface: 1 to 64.
    public var contrast: Int
    /// What belongs to one surface.
    public var reach: DepthReach

    /// No filter.
    public static let off = DepthFilter()
    /// All filters, as is usual: over eight frames, for holes of up to 64 pixels, and edges 2 pixels wide.
    public static let usual = DepthFilter(memory: 8, hold: 3, largestHole: 64, radius: 2)

    /// Creates settings. Numbers are held within what they may be.
    public init(
        memory: Int = 1, hold: Int = 0, largestHole: Int = 0, radius: Int = 0, contrast: Int = 24,
        reach: DepthReach = DepthReach()
    ) {
        self.memory = min(max(memory, 1), 256)
        self.hold = min(max(hold, 0), 8)
        self.largestHole = min(max(largestHole, 0), 1 << 24)
        self.radius = min(max(radius, 0), 3)
        self.contrast = min(max(contrast, 1), 64)
        self.reach = reach
    }

    /// Whether depth stays as it was measured.
    public var isOff: Bool { memory <= 1 && largestHole == 0 && radius == 0 }
    /// Whether depth is filtered over time, so that a frame depends on those before.
    public var isOverTime: Bool { memory > 1 }
    /// Whether the picture's brightness is looked at.
    public var takesLuma: Bool { radius > 0 }
}
