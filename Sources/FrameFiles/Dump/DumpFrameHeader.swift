// SPDX-License-Identifier: MIT
// The header before every frame of a dump.

import LivecapFrames

/// A frame's record header: the record's number, the frame's metadata, and the checksum of its payload.
struct DumpFrameHeader: Hashable {
    /// Counts the recording's records from 0, so that the number of records lost in a damaged stretch is known.
    var ordinal: UInt64
    /// The frame's metadata. `byteCount` is the length of the payload.
    var metadata: FrameMetadata
    /// The unseeded XXH3-64 of the payload.
    var payloadChecksum: UInt64

    static let byteCount = 80
    static let magic: UInt64 = 0x656D_6172_6643_4C89  // 89 "LCframe"

    /// Writes the header, ending with its checksum.
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

    /// Reads a header; nil unless it belongs to this recording, is undamaged and has a plausible length.
    init?(
        decoding bytes: UnsafeRawBufferPointer, recording: UInt64, format: FrameFormat, ignoringChecksum: Bool = false
    ) {
        guard bytes.count >= Self.byteCount else { return nil }
        var fields = FieldReader(bytes)
        guard fields.take() == Self.magic else { return nil }
        ordinal = fields.take()
        let time = Timestamp(nanoseconds: fields.take())
        let uncertainty = Duration.nanoseconds(fields.take(Int64.self)).magnitude
        let counter = fields.take(UInt64.self)
        let epoch = fields.take(UInt32.self)
        let (sequence, lostBefore) = (fields.take(UInt32.self), fields.take(UInt32.self))
        let flags = FrameFlags(rawValue: fields.take())
        let timeSource = TimestampSource(rawValue: fields.take()) ?? .file
        // A damage reason that this version does not know still counts as damage.
        var damage = Damage(rawValue: fields.take()) ?? .driverFlag
        let length = fields.take(UInt64.self)
        payloadChecksum = fields.take()
        let isSound = fields.take() == Self.checksum(of: bytes, recording: recording)
        guard isSound || ignoringChecksum, length <= UInt64(format.byteCount) else { return nil }
        // Code that reads an undamaged frame may rely on its planes being complete.
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
