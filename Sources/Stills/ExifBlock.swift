// SPDX-License-Identifier: MIT
// A photo's metadata as an Exif block: a TIFF file with two directories and no picture.

import Glibc
import LivecapFrames

extension PhotoMetadata {
    /// The block for a picture of a size, starting with its byte order. PNG stores it as it is, JPEG after a name. At
    /// most 34 kB. `hasProfile`: whether the file has an ICC profile, which may say something else than `colorimetry`.
    func exif(of size: FrameSize, _ colorimetry: Colorimetry, hasProfile: Bool = false) -> [UInt8] {
        let moment = time.flatMap(LocalMoment.init)
        var picture = TIFFDirectory()
        picture.add(0x010E, description, limit: 32768)
        picture.add(0x0110, cameraModel)
        picture.add(0x0112, short: orientation.rawValue)
        // For an unknown resolution, the standard prescribes 72 dots per inch.
        picture.add(0x011A, 72, over: 1)
        picture.add(0x011B, 72, over: 1)
        picture.add(0x0128, short: 2)
        picture.add(0x0131, software)
        // Chroma lies in the middle of the pixels it covers.
        picture.add(0x0213, short: 1)

        var taking = TIFFDirectory()
        taking.add(0x829A, manual?.exposure)
        taking.add(0x9000, undefined: Array("0232".utf8))
        taking.add(0x9003, moment?.dateAndTime)
        taking.add(0x9011, moment?.utcOffset)
        // Y', Cb and Cr, in this order.
        taking.add(0x9101, undefined: [1, 2, 3, 0])
        if let contentIdentifier { taking.add(0x927C, undefined: AppleMakerNote.bytes(contentIdentifier)) }
        taking.add(0x9291, moment?.fraction)
        taking.add(0xA000, undefined: Array("0100".utf8))
        // Exif distinguishes only sRGB and everything else.
        taking.add(0xA001, short: colorimetry.isSRGB && !hasProfile ? 1 : 0xFFFF)
        taking.add(0xA002, long: UInt32(clamping: size.width))
        taking.add(0xA003, long: UInt32(clamping: size.height))
        // Set by hand. That it was automatic is not known of every camera.
        if manual?.exposure != nil { taking.add(0xA402, short: 1) }
        if manual?.whiteBalance != nil { taking.add(0xA403, short: 1) }
        if let digitalZoom { taking.add(0xA404, UInt32(digitalZoom * 1000), over: 1000) }

        let start = 8
        // The link has the same size wherever it points.
        var linked = picture
        linked.add(0x8769, long: 0)
        let place = start + linked.byteCount
        picture.add(0x8769, long: UInt32(place))
        return Array("II".utf8) + littleEndian(UInt16(42)) + littleEndian(UInt32(start))
            + picture.bytes(at: start) + taking.bytes(at: place)
    }
}

/// A time in Exif's form: local time, with its offset from UTC in a separate field.
private struct LocalMoment {
    let dateAndTime: String
    let utcOffset: String
    /// The fraction of the second in digits: microseconds.
    let fraction: String

    /// Nil if the clock is a day or more off UTC, which Exif cannot express.
    init?(_ time: CalendarTime) {
        let second: Int64 = 1_000_000_000
        let minutes = time.utcOffset.nanoseconds / (60 * second)
        let local = time.sinceEpoch + time.utcOffset
        // Rounded down, including before 1970.
        var (seconds, nanoseconds) = local.nanoseconds.quotientAndRemainder(dividingBy: second)
        if nanoseconds < 0 { (seconds, nanoseconds) = (seconds - 1, nanoseconds + second) }
        var (moment, parts) = (time_t(seconds), tm())
        guard gmtime_r(&moment, &parts) != nil, abs(minutes) < 24 * 60 else { return nil }
        let date =
            "\(padded(Int(parts.tm_year) + 1900, 4)):\(padded(Int(parts.tm_mon) + 1)):\(padded(Int(parts.tm_mday)))"
        dateAndTime = "\(date) \(padded(Int(parts.tm_hour))):\(padded(Int(parts.tm_min))):\(padded(Int(parts.tm_sec)))"
        let (hours, rest) = abs(Int(minutes)).quotientAndRemainder(dividingBy: 60)
        utcOffset = "\(minutes < 0 ? "-" : "+")\(padded(hours)):\(padded(rest))"
        fraction = padded(Int(nanoseconds / 1000), 6)
    }
}

private func padded(_ number: Int, _ digits: Int = 2) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}
