// SPDX-License-Identifier: MIT
// Groups in the catalogue: photos that several cameras took of one instant.

import LivecapFrames

extension Connection {
    /// Whether there are groups. A catalogue that could not be migrated has none.
    mutating func keepsGroups() throws(SQLiteError) -> Bool { try hasSchema(5) }

    /// The columns of a photo's group that `PhotoRow.init` reads.
    mutating func groupColumns() throws(SQLiteError) -> String {
        guard try keepsGroups() else { return "NULL, NULL" }
        return ["id", "stream"].map { "(SELECT groups.\($0) FROM groups WHERE groups.photo = photos.id)" }
            .joined(separator: ", ")
    }

    /// Notes the group of a photo.
    mutating func setGroup(_ group: PhotoGroup, of id: PhotoID) throws(SQLiteError) {
        guard try keepsGroups() else { return }
        try run(
            "INSERT INTO groups (photo, id, stream) VALUES (?, ?, ?)",
            [.number(id.number), .text(group.id), .text(group.stream)])
    }
}
