// SPDX-License-Identifier: MIT
// What a misspelt word was probably meant to be.

/// Distances between words, and the nearest of several.
enum Spelling {
    /// The known word nearest `word`: one it begins, else one few slips of the fingers away; nil when none is near.
    static func nearest(to word: String, among known: [String]) -> String? {
        let typed = word.lowercased()
        if let exact = known.first(where: { $0.lowercased() == typed }) { return exact }
        if typed.count >= 2 {
            let begun = known.filter { $0.lowercased().hasPrefix(typed) }
            if begun.count == 1 { return begun[0] }
        }
        // One slip for every three letters, as a word of two has nothing left after two.
        let near = known.map { (word: $0, distance: distance(typed, $0.lowercased())) }
            .filter { $0.distance <= max(1, max(typed.count, $0.word.count) / 3) && $0.distance < $0.word.count }
        return near.min { $0.distance < $1.distance }?.word
    }

    /// How many letters must be put in, left out, changed, or swapped with their neighbour to turn `a` into `b`, no
    /// letter touched twice (Damerau and Levenshtein's distance, restricted).
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
