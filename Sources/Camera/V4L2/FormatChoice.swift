// SPDX-License-Identifier: MIT
// Which of a camera's offers to take: what the user asked for, else the largest that still moves.

import Frames

/// What a user asks of a camera; what is nil is left to livecap.
public struct FormatRequest: Hashable, Sendable {
    /// The kind of bytes.
    public var pixelFormat: PixelFormat?
    /// Pixels across and down.
    public var size: FrameSize?
    /// Frames a second.
    public var rate: FrameRate?

    /// A request with any of its parts.
    public init(pixelFormat: PixelFormat? = nil, size: FrameSize? = nil, rate: FrameRate? = nil) {
        self.pixelFormat = pixelFormat
        self.size = size
        self.rate = rate
    }
}

extension FormatRequest {
    /// The rate below which a picture does not pass for moving; 24 and its 1000/1001 cousin do.
    private static let usableRate = 23.9

    /// The best of `offers`: of those that answer the request, usable rates before slow ones, then the largest, then
    /// formats read without decoding, then the fastest. Nil when none answers it.
    func choose(from offers: [FormatOffer]) -> (offer: FormatOffer, rate: FrameRate?)? {
        let answers = offers.filter { offer in
            (pixelFormat == nil || offer.pixelFormat == pixelFormat) && (size == nil || offer.size == size)
                && (rate == nil || offer.rates.isEmpty || offer.rates.contains { isNear($0) })
        }
        let best = answers.max { rank($0) < rank($1) }
        return best.map { ($0, fastestRate(of: $0)) }
    }

    /// What `choose` compares, most important first.
    private func rank(_ offer: FormatOffer) -> (Int, Int, Int, Double) {
        let fastest = fastestRate(of: offer)?.framesPerSecond
        // Who asked for a rate finds it usable; a driver that does not tell its rates is given the benefit. A grabber
        // is left at its picture's own size, unless another is asked for.
        let isFluent = rate != nil || (fastest ?? .infinity) >= Self.usableRate
        let isUsable = isFluent && (size != nil || !offer.isScaled)
        // Among slow offers speed matters before size; grey ones are infrared sensors as a rule.
        let area = isUsable ? offer.size.area : Int((fastest ?? 0) * 1000)
        let isPicture = offer.pixelFormat.isReadable && offer.pixelFormat != .grey
        return ((isPicture ? 2 : 0) + (isUsable ? 1 : 0), area, offer.pixelFormat.easeOfReading, fastest ?? 0)
    }

    /// The fastest rate that answers the request; rates are listed fastest first.
    private func fastestRate(of offer: FormatOffer) -> FrameRate? { offer.rates.first(where: isNear) ?? rate }

    /// Rates within one percent are the same to a user: 30 and 29.97.
    private func isNear(_ other: FrameRate) -> Bool {
        guard let rate else { return true }
        return abs(other.framesPerSecond - rate.framesPerSecond) <= rate.framesPerSecond * 0.01
    }

    /// What the camera has instead, nearest first, for the error message.
    func alternatives(among offers: [FormatOffer]) -> [String] {
        let wantedArea = size?.area ?? 0
        let sorted = offers.sorted { a, b in distance(a, wantedArea) < distance(b, wantedArea) }
        return sorted.prefix(12).map { offer in
            let rates =
                offer.rates.isEmpty ? "" : " at " + offer.rates.map(\.description).joined(separator: ", ") + " fps"
            return "\(offer.pixelFormat) \(offer.size)\(rates)"
        }
    }

    private func distance(_ offer: FormatOffer, _ wantedArea: Int) -> (Int, Int, Double) {
        let otherFormat = pixelFormat == nil || offer.pixelFormat == pixelFormat ? 0 : 1
        let otherRate = rate.map { wanted in
            offer.rates.map { abs($0.framesPerSecond - wanted.framesPerSecond) }.min() ?? 0
        }
        return (otherFormat, abs(offer.size.area - wantedArea), otherRate ?? 0)
    }
}

extension FormatRequest: CustomStringConvertible {
    /// The request in a user's words.
    public var description: String {
        let parts = [pixelFormat?.description, size?.description, rate.map { "\($0) fps" }].compactMap { $0 }
        return parts.isEmpty ? "any format" : parts.joined(separator: " ")
    }
}

extension PixelFormat {
    /// Whether livecap reads the format without libv4lconvert.
    var isReadable: Bool { layout != .opaque }

    /// Uncompressed 4:2:2 and 4:2:0 need no decoding; RGB has no chroma saved; the rest is last.
    fileprivate var easeOfReading: Int {
        switch layout {
        case .packed422: 5
        case .semiPlanar, .planar: 4
        case .jpeg: 3
        case .rgb: 2
        case .grey: 1
        case .opaque: 0
        }
    }
}
