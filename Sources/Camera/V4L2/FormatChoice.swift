// SPDX-License-Identifier: MIT
// Chooses one of a camera's offers: the format the user asked for, or else the largest with a usable frame rate.

import LivecapFrames

/// The format a user requests from a camera. Livecap chooses the parts that are nil.
public struct FormatRequest: Hashable, Codable, Sendable {
    /// The requested pixel format.
    public var pixelFormat: PixelFormat?
    /// The requested width and height in pixels.
    public var size: FrameSize?
    /// The requested frame rate.
    public var rate: FrameRate?

    /// Creates a request from any of its parts.
    public init(pixelFormat: PixelFormat? = nil, size: FrameSize? = nil, rate: FrameRate? = nil) {
        self.pixelFormat = pixelFormat
        self.size = size
        self.rate = rate
    }
}

extension FormatRequest {
    /// Below this rate a picture does not look like continuous motion; 24 fps and its 1000/1001 variant do.
    private static let usableRate = 23.9

    /// Chooses the best of the `offers` that match the request: usable rates before slow ones, then the largest size,
    /// then formats readable without decoding, then the highest rate. Compressed video, whose frames build on earlier
    /// ones, is chosen only if nothing else that can be read has the size and the rate. Nil if no offer matches.
    func choose(from offers: [FormatOffer]) -> (offer: FormatOffer, rate: FrameRate?)? {
        let pixelFormat = spelled(as: offers)
        let answers = offers.filter { offer in
            (pixelFormat == nil || offer.pixelFormat == pixelFormat) && (size == nil || offer.size == size)
                && (rate == nil || offer.rates.isEmpty || offer.rates.contains { isNear($0) })
        }
        let best = answers.max { rank($0) < rank($1) }
        return best.map { ($0, fastestRate(of: $0)) }
    }

    /// The pixel format as the offers spell it: people write "z16" for "Z16", and a camera may have no format of the
    /// case that they used.
    private func spelled(as offers: [FormatOffer]) -> PixelFormat? {
        let offered = offers.map(\.pixelFormat)
        guard let pixelFormat, !offered.contains(pixelFormat) else { return pixelFormat }
        return offered.first { "\($0)".lowercased() == "\(pixelFormat)".lowercased() } ?? pixelFormat
    }

    /// The criteria that `choose` compares, most important first.
    private func rank(_ offer: FormatOffer) -> (Int, Int, Int, Double) {
        let fastest = fastestRate(of: offer)?.framesPerSecond
        // If the user requested a rate, it counts as usable, and so does an offer from a driver that does not report
        // its rates. A grabber keeps its input's own size unless another is requested.
        let isFluent = rate != nil || (fastest ?? .infinity) >= Self.usableRate
        let isUsable = isFluent && (size != nil || !offer.isScaled)
        // Among slow offers, speed matters more than size. Grey formats usually come from infrared sensors.
        let area = isUsable ? offer.size.area : Int((fastest ?? 0) * 1000)
        let isPicture = offer.pixelFormat.isReadable && offer.pixelFormat.samples?.model != .grey
        return ((isPicture ? 2 : 0) + (isUsable ? 1 : 0), area, offer.pixelFormat.easeOfReading, fastest ?? 0)
    }

    /// The highest rate that matches the request. Rates are listed fastest first.
    private func fastestRate(of offer: FormatOffer) -> FrameRate? { offer.rates.first(where: isNear) ?? rate }

    /// Rates within one percent, such as 30 and 29.97, are the same to a user.
    private func isNear(_ other: FrameRate) -> Bool {
        guard let rate else { return true }
        return abs(other.framesPerSecond - rate.framesPerSecond) <= rate.framesPerSecond * 0.01
    }

    /// The camera's other formats, nearest first, for the error message.
    func alternatives(among offers: [FormatOffer]) -> [String] {
        let wantedArea = size?.area ?? 0
        let sorted = offers.sorted { a, b in distance(a, wantedArea) < distance(b, wantedArea) }
        return sorted.prefix(12).map(\.description)
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
    /// The request as a user would write it.
    public var description: String {
        let parts = [pixelFormat?.description, size?.description, rate.map { "\($0) fps" }].compactMap { $0 }
        return parts.isEmpty ? "any format" : parts.joined(separator: " ")
    }
}

extension PixelFormat {
    /// Uncompressed Y'CbCr, which shares chroma, needs no decoding (8 bits are half the bytes of more), JPEG does, and
    /// RGB is larger because it shares none. Of compressed video, H.264 is the easier one. The others come last.
    fileprivate var easeOfReading: Int {
        guard let samples else { return isJPEG || self == .h264 ? 3 : self == .hevc ? 2 : 0 }
        return switch samples.model {
        case .yCbCr: samples.bits > 8 ? 4 : samples.planeCount > 1 ? 5 : 6
        case .rgb: 2
        case .grey: 1
        }
    }
}
