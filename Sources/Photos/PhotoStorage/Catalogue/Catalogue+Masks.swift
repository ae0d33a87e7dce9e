// SPDX-License-Identifier: MIT
// Masks in the catalogue: small pictures of where people are in photos.

import LivecapFrameFiles

/// A mask as stored in the catalogue.
struct MaskRow: Sendable {
    let png: [UInt8]
    /// The XXH3-64 checksum of its bytes.
    let checksum: UInt64
}

extension Connection {
    /// The columns that `PhotoRow.init` reads. A catalogue that could not be migrated keeps no masks, and
    /// knows nothing of a trash and of groups.
    mutating func photoColumns() throws(SQLiteError) -> String {
        let hasMask = try keepsMasks() ? "EXISTS (SELECT 1 FROM masks WHERE masks.photo = photos.id)" : "0"
        return "\(PhotoRow.columns), \(hasMask), \(try opinionColumns()), \(try groupColumns())"
    }

    /// The mask of a photo's current picture, if it has one.
    mutating func mask(of id: PhotoID) throws(SQLiteError) -> MaskRow? {
        guard try keepsMasks() else { return nil }
        return try first("SELECT png, checksum FROM masks WHERE photo = ?", [.number(id.number)]) {
            MaskRow(png: $0.blob(0), checksum: $0.bits(1))
        }
    }

    /// Stores the mask of a photo's current picture in place of an earlier picture's; nil if it has none.
    mutating func setMask(_ png: [UInt8]?, of id: PhotoID) throws(SQLiteError) {
        guard try keepsMasks() else { return }
        guard let png else { return try run("DELETE FROM masks WHERE photo = ?", [.number(id.number)]) }
        try run(
            """
            INSERT INTO masks (photo, checksum, png) VALUES (?, ?, ?)
            ON CONFLICT (photo) DO UPDATE SET checksum = excluded.checksum, png = excluded.png
            """, [.number(id.number), .bits(png.withUnsafeBytes { Checksum.of($0) }), .blob(png)])
    }

    private mutating func keepsMasks() throws(SQLiteError) -> Bool { try hasSchema(3) }
}
