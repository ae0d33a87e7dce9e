// SPDX-License-Identifier: MIT
// What has to be known of a frame of compressed video before it is decoded: whether it needs others.

import LivecapFrames

/// The beginning of a frame in the byte stream of ITU-T H.264 or H.265, Annex B: units between start codes.
package enum VideoFrame: Hashable, Sendable {
    /// No picture, but other units, such as parameters.
    case noPicture
    /// A picture that builds on earlier ones.
    case dependent
    /// A picture that needs no other: decoding can begin with it, and nothing after it needs what was before.
    case key
    /// A picture of H.264 that needs no other, sent with its parameters by a camera that expects decoders to begin
    /// there, without saying so by its type.
    case intra
    /// A picture from which decoding can begin, by the stream's own account (a recovery point): pictures are whole
    /// again after that many more, 0 if it is whole itself. Cameras that refresh part of the picture at a time send it.
    case recovery(after: Int)
    /// Bytes without any unit.
    case garbage

    /// Reads the units up to the first of a picture. Accepts any bytes, and allocates nothing.
    package init(_ bytes: UnsafeRawBufferPointer, of format: PixelFormat) {
        let isHEVC = format == .hevc
        var reader = FrameReader()
        var units = VideoUnits(bytes)
        while let unit = units.next() {
            if isHEVC { reader.readHEVC(unit) } else { reader.readH264(unit) }
            if reader.isDone { break }
        }
        // Where each part of a picture has a type of its own, all of them count.
        while reader.isUndecided, let unit = units.next() { reader.readNextPart(unit) }
        self = reader.frame
    }

    /// Whether decoding can begin here so that the picture that many frames later is whole.
    func isBeginning(within frames: Int) -> Bool {
        switch self {
        case .key, .intra: true
        case .recovery(let count): count <= frames
        case .noPicture, .dependent, .garbage: false
        }
    }
}

/// What the units of a frame have said so far.
private struct FrameReader {
    /// The frame, as far as it is known.
    private(set) var frame = VideoFrame.garbage
    /// Whether the first part of a picture was read.
    private(set) var isDone = false
    /// Whether the frame is intra only if its other parts are so, too.
    private(set) var isUndecided = false
    private var hasSequence = false
    private var hasPicture = false
    /// What a recovery point says that came before the picture.
    private var recovery: Int?

    /// By the first byte of a unit (ITU-T H.264, table 7-1).
    mutating func readH264(_ unit: VideoUnit) {
        switch unit.bytes[0] & 0x1F {
        case 1, 2: readSlice(unit)
        case 5: finish(.key)
        case 6: note(RecoveryPoint.frames(ofH264: unit))
        case 7: hasSequence = true
        case 8: hasPicture = true
        default: break
        }
        if !isDone { frame = .noPicture }
    }

    /// A part of a picture whose unit's type does not say whether decoding can begin there. Its header says which other
    /// pictures it needs.
    private mutating func readSlice(_ unit: VideoUnit) {
        if let recovery { return finish(.recovery(after: recovery)) }
        guard hasSequence, hasPicture, let kind = Self.sliceType(unit), kind % 5 == 2 else {
            return finish(.dependent)
        }
        finish(.intra)
        // From 5 on, all other parts have the same type.
        isUndecided = kind < 5
    }

    /// Another unit of a picture whose first part is intra.
    mutating func readNextPart(_ unit: VideoUnit) {
        guard [1, 2].contains(unit.bytes[0] & 0x1F) else { return }
        guard let kind = Self.sliceType(unit), kind % 5 == 2 else { return finish(.dependent) }
    }

    /// The type of an H.264 slice: 0 to 9, of which 2 and 7 need no other picture.
    private static func sliceType(_ unit: VideoUnit) -> UInt32? {
        var bits = UnitBits(unit, from: 1)
        guard bits.number() != nil, let kind = bits.number(), kind < 10 else { return nil }
        return kind
    }

    /// Pictures of types 16 to 23 need no other (ITU-T H.265, table 7-1). Some of them may be followed by pictures that
    /// need earlier ones, and are shown before them; the decoder leaves those out.
    mutating func readHEVC(_ unit: VideoUnit) {
        switch unit.bytes[0] >> 1 & 0x3F {
        case 0..<16: finish(recovery.map { .recovery(after: $0) } ?? .dependent)
        case 16..<24: finish(.key)
        case 39: note(RecoveryPoint.frames(ofHEVC: unit))
        default: break
        }
        if !isDone { frame = .noPicture }
    }

    private mutating func note(_ frames: Int?) { recovery = frames ?? recovery }

    private mutating func finish(_ frame: VideoFrame) {
        self.frame = frame
        isDone = true
        isUndecided = false
    }
}

/// The supplement to a frame that says that decoding can begin there (both standards, annex D: recovery point).
private enum RecoveryPoint {
    /// The number of the payload's kind.
    private static let kind = 6
    /// A point that is further away than this is of no use; H.264 allows 65535.
    private static let most: UInt32 = 3600

    static func frames(ofH264 unit: VideoUnit) -> Int? {
        guard var bits = payload(of: unit, from: 1), let count = bits.number(), count <= most else { return nil }
        return Int(count)
    }

    /// HEVC counts in the order of pictures, whose numbers grow by one or more with each.
    static func frames(ofHEVC unit: VideoUnit) -> Int? {
        guard var bits = payload(of: unit, from: 2), let code = bits.number() else { return nil }
        // Signed numbers: 0, 1, -1, 2, -2, ... A negative one means a picture before.
        let count = code % 2 == 1 ? code / 2 + 1 : 0
        return count <= most ? Int(count) : nil
    }

    /// Finds the payload among those of a unit.
    private static func payload(of unit: VideoUnit, from begin: Int) -> UnitBits? {
        var bits = UnitBits(unit, from: begin)
        while let kind = extended(&bits), let size = extended(&bits) {
            if kind == Self.kind {
                bits.end(after: size)
                return bits
            }
            guard bits.skip(bytes: size) else { return nil }
        }
        return nil
    }

    /// A number as payloads write their kinds and sizes: bytes of 255, and one that is less.
    private static func extended(_ bits: inout UnitBits) -> Int? {
        var sum = 0
        while let byte = bits.byte() {
            sum += Int(byte)
            if byte < 255 { return sum }
        }
        return nil
    }
}
