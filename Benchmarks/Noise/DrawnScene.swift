// SPDX-License-Identifier: MIT
// Pictures drawn to mislead estimates of noise: print, lawn, checks, things that move in part of a picture.

import Glibc
import LivecapFrames
import LivecapPictureMetrics
import LivecapSeededRandom

/// A grey scene of 320x240 whose texture, motion or noise resembles something else. The same bits on every machine.
enum DrawnScene: String, CaseIterable {
    /// Sharp print that moves by fractions of a sample, so that it cannot be read between samples.
    case page
    /// The same, on paper that is clipped.
    case whitePage
    /// Blades at every angle, with little noise.
    case lawn
    /// A texture that matches itself one period away, and moves back and forth.
    case weave
    /// One frame beside the reference has its lower half displaced.
    case torn
    /// A smooth gradient, and fine checks at a brightness that nothing else has.
    case badge
    /// The camera stands still, and half of what is steep moves.
    case leaves
    /// The camera stands still, and things pass by in a third of the picture.
    case crowd
    /// Ripples that no two frames share.
    case water
    /// One frame beside the reference has five times the noise of the others.
    case interference
    /// Smooth texture without an even place, with weak white noise.
    case clouds
    /// The same beside an even wall that shows the noise.
    case wall
    /// Small print, with smooth noise.
    case leaflet
    /// Grain that belongs to the scene, does not move, and has hardly any noise.
    case grain
    /// Hardly anything but noise.
    case storm

    private static let size = FrameSize(width: 320, height: 240)
    private static let count = 8

    /// The standard deviation of the noise in codes, and whether neighbouring samples share it.
    private var noise: (deviation: Double, isSmooth: Bool) {
        switch self {
        case .page, .whitePage: (4, false)
        case .lawn: (1.2, false)
        case .weave, .badge, .wall: (2, false)
        case .torn, .interference: (3, false)
        case .leaves, .crowd, .water: (1.5, false)
        case .clouds: (1, false)
        case .leaflet: (7, true)
        case .grain: (0.4, false)
        case .storm: (45, false)
        }
    }

    /// How far the picture moves from a frame to the next.
    private var step: (across: Double, down: Double) {
        switch self {
        case .page, .whitePage, .badge: (1.33, -0.67)
        case .lawn, .weave, .clouds, .wall: (1.37, -0.81)
        case .torn, .leaves, .crowd, .water, .interference, .leaflet, .grain, .storm: (0, 0)
        }
    }

    /// The brightness of a frame without noise.
    private func brightness(_ frame: Int, _ x: Double, _ y: Double) -> Double {
        let (across, down) = (x + step.across * Double(frame), y + step.down * Double(frame))
        switch self {
        case .page: return 215 - 185 * Self.ink(across, down)
        case .whitePage: return min(235, 260 - 185 * Self.ink(across, down))
        case .lawn: return Self.blades.reduce(120) { $0 + 5 * sin($1.0 * across + $1.1 * down + $1.2) }
        case .weave: return 130 + 40 * sin(2 * .pi * across / 5) + 40 * sin(2 * .pi * down / 4.3)
        case .torn:
            let shift = frame == 3 && y > 120 ? 11.0 : 0
            return 110 + 60 * Self.cloud(x + shift, y, 14)
        case .badge:
            let isChecked = (100..<140).contains(across) && (60..<180).contains(down)
            let checks = sin(2 * .pi * across / 3.3) * sin(2 * .pi * down / 3.7)
            return isChecked ? 205 + 18 * checks : 50 + across / 4
        case .leaves:
            let shift = Int(x / 16 + (y / 16).rounded(.down) * 3) % 2 == 0 ? 0.6 * sin(Double(frame) * 2.1) : 0
            return 120 + 45 * Self.cloud(x + shift, y - shift, 5)
        case .crowd:
            let passes = Self.random(Int(x / 16), 900 + Int(y / 16)) < 0.35
            return 120 + 60 * Self.cloud(passes ? x + 40 * Double(frame) : x, y, 4)
        case .water:
            let phase = 2.1 * Double(frame)
            return 120 + 50 * Self.cloud(x + 4 * sin(phase + y / 9), y + 4 * cos(1.3 * phase + x / 11), 6)
        case .interference: return 110 + 60 * Self.cloud(x, y, 14)
        case .clouds: return 120 + 30 * Self.cloud(across, down, 6)
        case .wall: return across < 70 ? 50 : 140 + 10 * Self.cloud(across, down, 6)
        case .leaflet:
            let (column, row) = (Int(x), Int(y))
            let isInk = column % 6 < 5 && row % 8 < 6 && Self.random(column / 2, 500 + row / 2) > 0.6
            return isInk ? 155 : 180
        case .grain: return 128 + 40 * (Self.random(Int(x), Int(y)) - 0.5)
        case .storm: return 128 + 15 * Self.cloud(x, y, 20)
        }
    }

    /// Renders the frames.
    func burst() -> Burst {
        let size = Self.size, reference = Self.count / 2
        var format = FrameFormat(pixelFormat: .grey, size: size)
        format.colorimetry = .webcam
        let places = 0..<size.area
        func truth(_ frame: Int) -> [Double] {
            places.map { brightness(frame, Double($0 % size.width), Double($0 / size.width)) }
        }
        let frames = (0..<Self.count).map { frame in
            zip(truth(frame), noise(ofFrame: frame)).map { UInt8(max(0, min(white, ($0 + $1).rounded()))) }
        }
        return Burst(
            format: format, frames: frames, reference: reference,
            truth: CodePlane(width: size.width, height: size.height, samples: truth(reference).map { Float($0) }))
    }

    private var white: Double { self == .whitePage ? 235 : 255 }

    private func noise(ofFrame frame: Int) -> [Double] {
        let size = Self.size, isSmooth = noise.isSmooth
        let deviation = noise.deviation * (self == .interference && frame == 3 ? 5 : 1)
        var random = SeededRandom(seed: UInt64(1 + frame))
        // The sum of four uniform values has a variance of a third.
        let white = (0..<size.area).map { _ in
            deviation * 3.0.squareRoot() * (0..<4).reduce(-2) { sum, _ in sum + Double(random.next() >> 11) * 0x1p-53 }
        }
        guard isSmooth else { return white }
        return white.indices.map { place in
            let (right, below) = ((place + 1) % size.area, (place + size.width) % size.area)
            return (white[place] + white[right] + white[below] + white[(below + 1) % size.area]) / 2
        }
    }

    /// A number from 0 to 1 that belongs to a place.
    private static func random(_ column: Int, _ row: Int) -> Double {
        var random = SeededRandom(seed: UInt64(bitPattern: Int64(row * 7919 + column)))
        return Double(random.next() >> 11) * 0x1p-53
    }

    /// The angles, periods and phases of blades of grass.
    private static let blades: [(Double, Double, Double)] = (0..<32).map { blade in
        let angle = 0.7 * Double(blade), period = 3 + 9 * random(blade, 1)
        return (2 * .pi * cos(angle) / period, 2 * .pi * sin(angle) / period, 2 * .pi * random(blade, 2))
    }

    /// Smooth texture from -1 to 1, with details as wide as `side`.
    private static func cloud(_ x: Double, _ y: Double, _ side: Double) -> Double {
        func smooth(_ share: Double) -> Double { share * share * share * (share * (6 * share - 15) + 10) }
        let (left, top) = ((x / side).rounded(.down), (y / side).rounded(.down))
        let (across, down) = (smooth(x / side - left), smooth(y / side - top))
        let (column, row) = (Int(left), Int(top))
        let above = random(column, row) * (1 - across) + random(column + 1, row) * across
        let below = random(column, row + 1) * (1 - across) + random(column + 1, row + 1) * across
        return 2 * (above * (1 - down) + below * down) - 1
    }

    /// How much of a sample is covered by strokes as thin as print.
    private static func ink(_ x: Double, _ y: Double) -> Double {
        func share(_ place: Double, _ first: Double, _ length: Double) -> Double {
            max(0, min(place + 0.5, first + length) - max(place - 0.5, first))
        }
        let (line, letter) = (Int((y / 12).rounded(.down)), Int((x / 8).rounded(.down)))
        var ink = 0.0
        for row in line - 1...line + 1 {
            for column in letter - 1...letter + 1 {
                for stroke in 0..<3 {
                    let random = random(column, 3 * row + stroke), isUpright = random < 0.5
                    let left = Double(8 * column) + (random * 32).rounded(.down).remainder(dividingBy: 4) + 1
                    let top = Double(12 * row) + (random * 64).rounded(.down).remainder(dividingBy: 5) + 2
                    ink += share(x, left, isUpright ? 1.4 : 5) * share(y, top, isUpright ? 7 : 1.3)
                }
            }
        }
        return min(1, ink)
    }
}
