// SPDX-License-Identifier: MIT
// Numbers a session's photos in the library by their moments, whichever is done first.

import LivecapDeveloping
import LivecapFrames
import LivecapPhotoStorage
import LivecapThreads

/// Numbers a session's photos by their moments. A photo that is stored while photos of earlier moments are still in
/// progress leaves the numbers before its own to them; a photo that fails leaves a gap. A tap in the past gets a later
/// number if photos of later moments are already stored. Any thread may use it.
final class PhotoNumbering: Sendable {
    private struct Ticket {
        let shot: ShotID
        let moment: Timestamp
        var number: PhotoID?
    }

    /// Shots in progress, by moment. Locked only briefly: the desk must not wait for a library.
    private let tickets = Guarded<[Ticket]>([])
    /// Locked while numbers are reserved, by one store thread at a time.
    private let turn = Guarded(false)

    /// Records that a shot of a moment is in progress.
    func expect(_ shot: ShotID, at moment: Timestamp) {
        tickets.withLock { tickets in
            guard !tickets.contains(where: { $0.shot == shot }) else { return }
            let place = tickets.lastIndex { ($0.moment, $0.shot) < (moment, shot) }.map { $0 + 1 } ?? 0
            tickets.insert(Ticket(shot: shot, moment: moment), at: place)
        }
    }

    /// Records that a shot has ended.
    func forget(_ shot: ShotID) { tickets.withLock { $0.removeAll { $0.shot == shot } } }

    /// The number for a shot that is to be stored; nil if the library is to assign the next one.
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
