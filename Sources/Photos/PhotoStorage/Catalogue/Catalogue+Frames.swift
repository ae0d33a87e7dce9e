// SPDX-License-Identifier: MIT
// Kept frames in the catalogue: each once, with a row for every photo that uses it.

import LivecapCSQLite
import LivecapFrames

/// A kept frame as stored in the catalogue.
struct FrameRow: Sendable {
    let burst: BurstID
    let ordinal: UInt64
    /// The offset of its bytes in its file.
    let offset: Int
    let byteCount: Int
    let checksum: UInt64
    let id: FrameID
    let time: Timestamp

    static let columns = "burst, ordinal, start, bytes, checksum, epoch, counter, time_ns"

    /// Nil if the numbers are impossible for a file.
    init?(_ row: SQLiteRow) {
        burst = BurstID(recording: row.bits(0))
        ordinal = row.bits(1)
        offset = row.int(2)
        byteCount = row.int(3)
        checksum = row.bits(4)
        id = FrameID(epoch: UInt32(truncatingIfNeeded: row.integer(5)), counter: row.bits(6))
        time = Timestamp(nanoseconds: row.integer(7))
        // A frame in a file has at most 256 MiB.
        guard (0...Int.max >> 1).contains(offset), (0...256 << 20).contains(byteCount) else { return nil }
    }
}

extension Connection {
    /// Stores the frames a photo needs, in their order.
    mutating func insert(_ frames: [KeptFrame], usedBy photo: PhotoID) throws(SQLiteError) {
        var seen: Set<BurstID> = []
        for frame in frames where seen.insert(frame.burst).inserted {
            let end = frames.lazy.filter { $0.burst == frame.burst }.map(\.end).max() ?? 0
            try run(
                """
                INSERT INTO bursts (id, made_utc_ns, used_bytes) VALUES (?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET used_bytes = max(used_bytes, excluded.used_bytes)
                """,
                [.bits(frame.burst.recording), .number(frame.segment.madeUTC), .number(end)])
        }
        for (place, frame) in frames.enumerated() {
            try run(
                "INSERT INTO frames (\(FrameRow.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [
                    .bits(frame.burst.recording), .bits(frame.ordinal), .number(frame.offset),
                    .number(frame.byteCount), .bits(frame.checksum), .number(frame.id.epoch),
                    .bits(frame.id.counter), .number(frame.time.nanoseconds),
                ])
            try run(
                "INSERT INTO uses (photo, place, burst, ordinal) VALUES (?, ?, ?, ?)",
                [.number(photo.number), .number(place), .bits(frame.burst.recording), .bits(frame.ordinal)])
        }
    }

    /// Notes that a photo uses the frames of another one, as far as they have not been removed, and are known to be
    /// durable.
    mutating func shareFrames(of other: PhotoID, with photo: PhotoID) throws(SQLiteError) {
        try run(
            """
            INSERT INTO uses (photo, place, burst, ordinal) SELECT ?1, place, burst, ordinal FROM uses
            WHERE photo = ?2 AND EXISTS (SELECT 1 FROM photos WHERE id = ?2 AND on_disk = 1)
            """, [.number(photo.number), .number(other.number)])
    }

    /// Which frames of a photo only it uses, of all photos that are known to be durable.
    mutating func ownFrames(of id: PhotoID) throws(SQLiteError) -> [FrameRow?] {
        try all(
            """
            SELECT \(FrameRow.columns) FROM uses JOIN frames USING (burst, ordinal) WHERE photo = ?1 AND NOT EXISTS (
                SELECT 1 FROM uses AS others JOIN photos ON photos.id = others.photo
                WHERE others.burst = uses.burst AND others.ordinal = uses.ordinal AND photos.on_disk = 1)
            ORDER BY place
            """, [.number(id.number)]
        ) { FrameRow($0) }
    }

    /// The frames of a photo, in their order; nil stands for a row with impossible numbers.
    mutating func frames(of id: PhotoID) throws(SQLiteError) -> [FrameRow?] {
        try all(
            """
            SELECT \(FrameRow.columns) FROM uses JOIN frames USING (burst, ordinal) WHERE photo = ? ORDER BY place
            """, [.number(id.number)]
        ) { FrameRow($0) }
    }
}
