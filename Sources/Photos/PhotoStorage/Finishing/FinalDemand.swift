// SPDX-License-Identifier: MIT
// The finals that programs are waiting for: they are made before all others.

import LivecapThreads

/// The finals of a library that tasks of this program wait for, in the order in which they were asked for.
package final class FinalDemand: Sendable {
    private struct State: Sendable {
        /// With a number for each, because several may ask for one photo.
        var asked: [(number: Int, photo: PhotoID)] = []
        /// Those among them that are made, or cannot be made here for now.
        var settled: Set<PhotoID> = []
        var listeners: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Guarded(State())

    /// Whether a task is waiting for a final that may be made here.
    package var isThere: Bool { state.withLock { state in state.asked.contains { !state.settled.contains($0.photo) } } }

    /// Notes which photo is made next. If nobody waits for it, those that are waited for cannot be made here for now.
    func noteNext(_ photo: PhotoID?) {
        state.withLock { state in
            guard !state.asked.contains(where: { $0.photo == photo }) else { return }
            state.settled.formUnion(state.asked.map(\.photo))
        }
    }

    /// Notes that a final is there, or will never be.
    func settle(_ photo: PhotoID) { state.withLock { _ = $0.settled.insert(photo) } }

    /// Notes that nothing can be made here for now.
    package func settleAll() { noteNext(nil) }

    /// Asks for the final of a photo, for as long as the result exists.
    func ask(for photo: PhotoID) -> any AnyObject & Sendable {
        let (number, listeners) = state.withLock { state in
            let number = state.nextNumber()
            state.asked.append((number, photo))
            state.settled.remove(photo)
            return (number, Array(state.listeners.values))
        }
        for listener in listeners { listener() }
        return Asking { [weak self] in self?.forget(number) }
    }

    private func forget(_ number: Int) {
        state.withLock { state in
            state.asked.removeAll { $0.number == number }
            state.settled.formIntersection(state.asked.map(\.photo))
        }
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
        let asked = state.withLock { state in state.asked.map(\.photo).filter { !state.settled.contains($0) } }
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
