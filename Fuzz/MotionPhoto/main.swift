// SPDX-License-Identifier: MIT
// Fuzzes the search for a movie in a photo's file: XMP of phones in JPEG, boxes in HEIC.

import FuzzSupport
import LivecapStills

fuzz { bytes, count in
    let file = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let found = MotionPhoto(file) {
        precondition(found.still.upperBound <= found.movie.lowerBound && found.movie.upperBound <= file.count)
        // The still without its movie is smaller, and the same movie can be added to it again.
        let still = MotionPhoto.still(of: file)
        precondition(still.count < file.count, "a still that grows")
        let movie = Array(file[found.movie])
        if let again = MotionPhoto.file(still, movie: movie, moment: .seconds(1)), let second = MotionPhoto(again) {
            precondition(Array(again[second.movie]) == movie, "a movie that changes")
        }
    }
    return 0
}
