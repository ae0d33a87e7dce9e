// SPDX-License-Identifier: MIT
// The segment of a JPEG picture that tells of its taking: Exif's, put in without touching the picture.

import Frames

/// Exif's segment in JPEG files.
public enum ExifSegment {
    /// The largest block a segment has room for.
    public static let mostBytes = 65535 - 2 - name.count
    private static let name: [UInt8] = Array("Exif".utf8) + [0, 0]

    /// A copy of `jpeg` with `block`, which begins with its byte order, as its only Exif block: right behind the start of
    /// the image, or behind JFIF's segment where the picture begins with that. All other segments stay. Nil when `jpeg`
    /// has no whole header.
    public static func inserted(_ block: [UInt8], into jpeg: RawSpan) -> [UInt8]? {
        precondition(block.count <= mostBytes, "a segment's length has 16 bits")
        guard let (place, old) = look(through: jpeg) else { return nil }
        let length = 2 + name.count + block.count
        var result: [UInt8] = []
        result.reserveCapacity(jpeg.byteCount + 2 + length)
        jpeg.withUnsafeBytes { jpeg in
            result += jpeg[..<place]
            result += [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)]
            result += name
            result += block
            var rest = place
            for segment in old {
                result += jpeg[rest..<segment.lowerBound]
                rest = segment.upperBound
            }
            result += jpeg[rest...]
        }
        return result
    }

    /// Where a block goes, and where those lie that it replaces.
    private static func look(through jpeg: RawSpan) -> (place: Int, old: [Range<Int>])? {
        guard jpeg.byteCount >= 4, jpeg.byte(0) == 0xFF, jpeg.byte(1) == 0xD8 else { return nil }
        var (place, old): (Int, [Range<Int>]) = (2, [])
        var next = 2
        while let (code, range) = JPEGHeaderWalk.segment(of: jpeg, from: next) {
            switch code {
            case 0xDA: return (place, old)
            case 0xE0 where range.lowerBound == 2 && jpeg.says("JFIF", at: range): place = range.upperBound
            case 0xE1 where jpeg.says("Exif", at: range):
                // With the 0xFF before it, which would make a marker of what follows.
                var start = range.lowerBound
                while start > next, jpeg.byte(start - 1) == 0xFF { start -= 1 }
                old.append(start..<range.upperBound)
            default: break
            }
            next = range.upperBound
        }
        return nil
    }
}

extension RawSpan {
    /// Whether a segment begins with a name and a zero.
    fileprivate func says(_ name: StaticString, at segment: Range<Int>) -> Bool {
        let count = name.utf8CodeUnitCount
        guard segment.count >= 4 + count + 1 else { return false }
        let first = segment.lowerBound + 4
        return (0..<count).allSatisfy { byte(first + $0) == name.utf8Start[$0] } && byte(first + count) == 0
    }
}
