// SPDX-License-Identifier: MIT
// Parts of a matte that are too small to be a person.

/// Finds the connected parts of mattes of one size. It owns its working memory.
final class MatteIslands {
    /// Which places were visited.
    private let visited: UnsafeMutableBufferPointer<Bool>
    /// The places of the part at hand.
    private let part: UnsafeMutableBufferPointer<Int32>

    /// The smallest part that is kept, as a share of the matte: of a picture of 1280x720, a square of 70 pixels.
    private static let smallest = 0.005

    /// For mattes of `count` places.
    init(count: Int) {
        visited = .allocate(capacity: count)
        part = .allocate(capacity: count)
    }

    deinit {
        visited.deallocate()
        part.deallocate()
    }

    /// Removes parts that are too small, what is half a person counting as half.
    func remove(from matte: UnsafeMutableBufferPointer<Float>, width: Int) {
        visited.initialize(repeating: false)
        let least = Float(Self.smallest * Double(matte.count))
        for place in matte.indices where !visited[place] && matte[place] > 0 {
            let (count, size) = visit(from: place, matte, width)
            guard size < least else { continue }
            for index in 0..<count { matte[Int(part[index])] = 0 }
        }
    }

    /// Visits the part that a place is in. Returns the number of its places, and the sum of what they hold.
    private func visit(from first: Int, _ matte: UnsafeMutableBufferPointer<Float>, _ width: Int) -> (Int, Float) {
        var (count, next) = (0, 0)
        var size: Float = 0
        func add(_ place: Int) {
            guard !visited[place], matte[place] > 0 else { return }
            visited[place] = true
            part[count] = Int32(truncatingIfNeeded: place)
            count += 1
        }
        add(first)
        while next < count {
            let place = Int(part[next]), column = place % width
            size += matte[place]
            next += 1
            if column > 0 { add(place - 1) }
            if column < width - 1 { add(place + 1) }
            if place >= width { add(place - width) }
            if place + width < matte.count { add(place + width) }
        }
        return (count, size)
    }
}
