// SPDX-License-Identifier: MIT
// The finals that somebody waits for: they are made before all others, and at once.

import LivecapThreads

/// The finals of a library that tasks of this program wait for, in the order in which they were asked for.
package final class FinalDemand: Sendable {
    private struct State: Sendable {
        /// With a number for each, because several may ask for one photo.
        var asked: [(number: Int, photo: PhotoID)] = []
        var listeners: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Guarded(State())

    /// Whether anybody waits for a final.
    package var isThere: Bool { state.withLock { !$0.asked.isEmpty } }

    /// Asks for the final of a photo, for as long as the result exists.
    func ask(for photo: PhotoID) -> any AnyObject & Sendable {
        let (number, listeners) = state.withLock { state in
            let number = state.nextNumber()
            state.asked.append((number, photo))
            return (number, Array(state.listeners.values))
        }
        for listener in listeners { listener() }
        return Asking { [weak self] in self?.state.withLock { $0.asked.removeAll { $0.number == number } } }
    }

    /// Calls `body` whenever a final is asked for, for as long as the result exists.
    package func listen(_ body: @escaping @Sendable () -> Void) -> any AnyObject & Sendable {
        let number = state.withLock { state in
            let number = state.nextNumber()
            state.listeners[number] = body
            return number
        }
        return Asking { [weak self] in _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) } }
    }

    /// These photos, those first that were asked for.
    func first(_ photos: [PhotoID]) -> [PhotoID] {
        let asked = state.withLock { $0.asked.map(\.photo) }
        guard !asked.isEmpty else { return photos }
        let there = Set(photos)
        var taken = Set<PhotoID>()
        return (asked.filter(there.contains) + photos).filter { taken.insert($0).inserted }
    }

    /// Does something when it is released.
    private final class Asking: Sendable {
        private let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }
}
