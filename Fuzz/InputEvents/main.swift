// SPDX-License-Identifier: MIT
// Fuzzes the reader of input events: every key goes down and up alternately, however the bytes are split.

import FuzzSupport
import LivecapFrames
import Shutter

fuzz { bytes, count in
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    let whole = changes(in: input, piece: max(1, count))
    precondition(changes(in: input, piece: 5) == whole, "events depend on how they came")
    var down = InputKeySet()
    for change in whole {
        switch change.event {
        case .pressed:
            precondition(!down[change.key], "a key that is down goes down no more")
            down[change.key] = true
        case .released:
            precondition(down[change.key], "a key that is up goes up no more")
            down[change.key] = false
        }
    }
    return 0
}

private func changes(in input: UnsafeRawBufferPointer, piece: Int) -> [InputEvents.Change] {
    var events = InputEvents(keys: nil)
    var changes: [InputEvents.Change] = []
    for start in stride(from: 0, to: input.count, by: piece) {
        changes += events.changes(in: input[start..<min(start + piece, input.count)])
    }
    return changes + events.resync(down: InputKeySet(), at: .zero)
}
