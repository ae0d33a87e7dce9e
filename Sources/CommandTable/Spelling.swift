// SPDX-License-Identifier: MIT
// Suggests the intended word for a misspelt one.

/// Edit distances between words, and the nearest of several words.
enum Spelling {
    /// The known word nearest to `word`: the only one it is a prefix of, or else the one with the fewest typing errors;
    /// nil if none is near.
    static func nearest(to word: String, among known: [String]) -> String? {
        let typed = word.lowercased()
        if let exact = known.first(where: { $0.lowercased() == typed }) { return exact }
        if typed.count >= 2 {
            let begun = known.filter { $0.lowercased().hasPrefix(typed) }
            if begun.count == 1 { return begun[0] }
        }
        // Allow one error per three letters, because two errors in a word of two letters leave nothing of it. The
        // dashes of options are no letters: '--time' has as little of '--size' as 'time' has of 'size'.
        let near = known.map { (word: $0, letters: letters($0), distance: distance(typed, $0.lowercased())) }
            .filter { $0.distance <= max(1, max(letters(typed), $0.letters) / 3) && $0.distance < $0.letters }
        return near.min { $0.distance < $1.distance }?.word
    }

    /// The number of a word's letters, without leading dashes.
    private static func letters(_ word: String) -> Int { word.drop { $0 == "-" }.count }

    /// The number of letters to insert, delete, change or swap with their neighbour to turn `a` into `b`, editing no
    /// letter twice (restricted Damerau-Levenshtein distance).
    static func distance(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a.unicodeScalars), Array(b.unicodeScalars))
        var rows = [Array(0...b.count)]
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
