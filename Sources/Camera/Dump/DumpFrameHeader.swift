// SPDX-License-Identifier: MIT
// What stands before every frame of a dump.

import Frames

/// A frame's record header: which record it is, what is known of the frame, and the checksum of its payload.
struct DumpFrameHeader: Hashable {
    /// Counts the recording's records from 0, so that it is known how many a damaged stretch cost.
    var ordinal: UInt64
    /// What is known of the frame; `byteCount` is the payload's length.
    var metadata: FrameMetadata
    /// The payload's XXH3-64, unseeded.
    var payloadChecksum: UInt64

    static let byteCount = 80
    static let magic: UInt64 = 0x656D_6172_6643_4C89  // 89 "LCframe"

    /// Writes the header, its checksum last.
    func encode(into bytes: UnsafeMutableRawBufferPointer, recording: UInt64) {
        var fields = FieldWriter(bytes)
        fields.put(Self.magic)
        fields.put(ordinal)
        fields.put(metadata.time.nanoseconds)
        fields.put(metadata.uncertainty.nanoseconds)
        fields.put(metadata.id.counter)
        fields.put(metadata.id.epoch)
        fields.put(metadata.sequence)
        fields.put(metadata.lostBefore)
        fields.put(metadata.flags.rawValue)
        fields.put(metadata.timeSource.rawValue)
        fields.put(metadata.damage.rawValue)
        fields.put(UInt64(metadata.byteCount))
        fields.put(payloadChecksum)
        fields.putChecksum(seed: recording)
    }

    /// Reads a header; nil unless it is one of this recording's, whole and of a possible length.
    init?(
        decoding bytes: UnsafeRawBufferPointer, recording: UInt64, format: FrameFormat, ignoringChecksum: Bool = false
    ) {
        guard bytes.count >= Self.byteCount else { return nil }
        var fields = FieldReader(bytes)
        guard fields.take() == Self.magic else { return nil }
        ordinal = fields.take()
        let time = Timestamp(nanoseconds: fields.take())
        let uncertainty = TimeSpan(nanoseconds: fields.take()).magnitude
        let counter = fields.take(UInt64.self)
        let epoch = fields.take(UInt32.self)
        let (sequence, lostBefore) = (fields.take(UInt32.self), fields.take(UInt32.self))
        let flags = FrameFlags(rawValue: fields.take())
        let timeSource = TimestampSource(rawValue: fields.take()) ?? .file
        // A reason this version has no name for is a reason all the same.
        var damage = Damage(rawValue: fields.take()) ?? .driverFlag
        let length = fields.take(UInt64.self)
        payloadChecksum = fields.take()
        let isSound = fields.take() == Self.checksum(of: bytes, recording: recording)
        guard isSound || ignoringChecksum, length <= UInt64(format.byteCount) else { return nil }
        // Whoever reads an undamaged frame may rely on its planes being there.
        if damage == .none, !flags.contains(.damaged), Int(length) < format.leastByteCount { damage = .short }
        metadata = FrameMetadata(
            time: time, byteCount: Int(length), sequence: sequence, timeSource: timeSource, uncertainty: uncertainty,
            flags: flags, damage: damage, lostBefore: lostBefore, id: FrameID(epoch: epoch, counter: counter))
    }

    init(ordinal: UInt64, metadata: FrameMetadata, payloadChecksum: UInt64) {
        self.ordinal = ordinal
        self.metadata = metadata
        self.payloadChecksum = payloadChecksum
    }

    private static func checksum(of bytes: UnsafeRawBufferPointer, recording: UInt64) -> UInt64 {
        Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<(byteCount - 8)]), seed: recording)
    }
}
