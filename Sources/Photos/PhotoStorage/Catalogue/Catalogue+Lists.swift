// SPDX-License-Identifier: MIT
// Lists of photos in the catalogue: pages, ranges of numbers, totals.

import LivecapCSQLite
import LivecapFrames

extension Connection {
    /// A page of photos. If they are ordered by moment, it begins after a given moment and number.
    mutating func photos(
        _ page: LibraryPage, after place: (utc: Int64, id: PhotoID)?
    ) throws(SQLiteError) -> [PhotoRow] {
        var conditions = ["\(page.trashOnly ? "" : "NOT ")\(try isInTrash())"]
        var values: [SQLiteValue] = []
        if let place {
            conditions.append("(taken_utc_ns, id) \(page.order == .oldest ? ">" : "<") (?, ?)")
            values += [.number(place.utc), .number(place.id.number)]
        }
        if page.unfinishedOnly { conditions.append("state <> 0") }
        if let stars = page.minimumRating, stars > 0 {
            guard try keepsOpinions() else { return [] }
            conditions.append("EXISTS (SELECT 1 FROM ratings WHERE ratings.photo = photos.id AND rating >= ?)")
            values.append(.number(stars))
        }
        if let group = page.group {
            guard try keepsGroups() else { return [] }
            conditions.append("EXISTS (SELECT 1 FROM groups WHERE groups.photo = photos.id AND groups.id = ?)")
            values.append(.text(group))
        }
        if let days = page.days {
            // The index finds the days by UTC, with one more at each end; local time decides.
            conditions.append(
                "taken_utc_ns BETWEEN ? AND ? AND taken_utc_ns + zone_offset_s * 1000000000 BETWEEN ? AND ?")
            for range in [days.aroundUTC, days.local] {
                values += [.number(range.lowerBound), .number(range.upperBound)]
            }
        }
        return try all(
            """
            SELECT \(photoColumns()) FROM photos WHERE \(conditions.joined(separator: " AND "))
            ORDER BY \(page.order.terms) LIMIT ?
            """,
            values + [.number(max(0, page.limit))]
        ) { PhotoRow($0) }
    }

    /// The photos of a range of numbers, the smallest first: those in the trash, or those that are not.
    mutating func photoIDs(
        in numbers: ClosedRange<PhotoID>, ofTrash: Bool = false
    ) throws(SQLiteError) -> [PhotoID] {
        let filter = "\(ofTrash ? "" : "NOT ")\(try isInTrash())"
        return try all(
            "SELECT id FROM photos WHERE id BETWEEN ? AND ? AND \(filter) ORDER BY id",
            [.number(numbers.lowerBound.number), .number(numbers.upperBound.number)]
        ) { PhotoID(number: $0.integer(0)) }
    }

    /// The totals. Sums are rounded rather than refused if a foreign catalogue contains absurd numbers.
    mutating func summary() throws(SQLiteError) -> LibrarySummary {
        let isInTrash = try isInTrash()
        var summary =
            try first(
                """
                SELECT count(*), ifnull(sum(state <> 0), 0),
                    CAST(total(CASE state WHEN 0 THEN final_bytes ELSE proxy_bytes END) AS INTEGER) FROM photos
                WHERE NOT \(isInTrash)
                """
            ) { LibrarySummary(photos: $0.int(0), unfinished: $0.int(1), bytes: $0.int(2)) } ?? LibrarySummary()
        let kept = try first("SELECT count(*), CAST(total(bytes) AS INTEGER) FROM frames") { ($0.int(0), $0.int(1)) }
        (summary.keptFrames, summary.keptBytes) = kept ?? (0, 0)
        summary.trashed = try keepsOpinions() ? try first("SELECT count(*) FROM trash") { $0.int(0) } ?? 0 : 0
        return summary
    }
}

extension LibraryOrder {
    /// The SQL terms of the order; photos that are otherwise equal are ordered by moment.
    fileprivate var terms: String {
        switch self {
        case .newest: "taken_utc_ns DESC, id DESC"
        case .oldest: "taken_utc_ns, id"
        case .size:
            "ifnull(CASE state WHEN 0 THEN final_bytes ELSE proxy_bytes END, 0) DESC, taken_utc_ns DESC, id DESC"
        case .kept: "\(PhotoRow.keptBytes) DESC, taken_utc_ns DESC, id DESC"
        }
    }
}
