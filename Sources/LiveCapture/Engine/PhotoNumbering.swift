// SPDX-License-Identifier: MIT
// Which number of its library a session's photo gets: numbers follow the moments of photos, whichever is done first.

import Frames
import PhotoLibrary
import Threads

/// Numbers a session's photos by their moments. One that is stored before others of earlier moments, which are still on their
/// way, leaves the numbers before its own to them; a photo that fails leaves a gap. A tap in the past that comes when photos of
/// later moments have been stored gets a later number. Any thread may use it.
final class PhotoNumbering: Sendable {
    private struct Ticket {
        let shot: ShotID
        let moment: Timestamp
        var number: PhotoID?
    }

    /// Shots on their way, by moment. Held for a moment only: the desk must not wait for a library.
    private let tickets = Guarded<[Ticket]>([])
    /// Held while numbers are set aside, by one thread of the store at a time.
    private let turn = Guarded(false)

    /// A shot of a moment is on its way.
    func expect(_ shot: ShotID, at moment: Timestamp) {
        tickets.withLock { tickets in
            guard !tickets.contains(where: { $0.shot == shot }) else { return }
            let place = tickets.lastIndex { ($0.moment, $0.shot) < (moment, shot) }.map { $0 + 1 } ?? 0
            tickets.insert(Ticket(shot: shot, moment: moment), at: place)
        }
    }

    /// A shot is done, one way or the other.
    func forget(_ shot: ShotID) { tickets.withLock { $0.removeAll { $0.shot == shot } } }

    /// The number of a shot that is to be stored; nil where the library gives it the next one.
    func number(of shot: ShotID, in library: PhotoLibrary) throws(LibraryError) -> PhotoID? {
        try turn.withLock { _ throws(LibraryError) in
            let (known, waiting) = tickets.withLock { tickets in
                let mine = tickets.firstIndex { $0.shot == shot }
                let upToMine = mine.map { tickets[...$0] } ?? []
                return (mine.flatMap { tickets[$0].number }, upToMine.filter { $0.number == nil }.map(\.shot))
            }
            if let known { return known }
            guard !waiting.isEmpty, let numbers = try library.reserveNumbers(waiting.count) else { return nil }
            tickets.withLock { tickets in
                for index in tickets.indices {
                    guard let place = waiting.firstIndex(of: tickets[index].shot) else { continue }
                    tickets[index].number = numbers[place]
                }
            }
            return numbers.last
        }
    }
}
