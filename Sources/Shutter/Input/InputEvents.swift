// SPDX-License-Identifier: MIT
// What an input device's bytes say: keys going down and up, at the kernel's times.

import CSystem
import Frames

/// Reads `struct input_event`s. Bytes in, presses and releases out: it opens nothing and has no clock.
///
/// A key goes down once and up once, whatever the stream repeats. When the kernel had to drop events, what is left of the
/// interrupted group is passed over, and `needsResync` asks for the keys that are down, to be told by `resync`.
package struct InputEvents {
    /// A key, and what was done to it.
    package struct Change: Hashable, Sendable {
        package let key: InputKey
        package let event: ShutterEvent

        package init(_ key: InputKey, _ event: ShutterEvent) {
            self.key = key
            self.event = event
        }
    }

    /// Nil where every key will do.
    private let wanted: Set<InputKey>?
    private var held = InputKeySet()
    /// Down since before we looked: no press of ours.
    private var former: InputKeySet
    private var pending: [UInt8] = []
    private var isDropping = false

    /// Events were lost and the group they were lost from is over: ask the kernel which keys are down.
    package private(set) var needsResync = false

    /// Looks at these keys, or at every key that is pressed: not at those that tell which tool or how many fingers are there.
    /// Keys that are down already are let go of before they count.
    package init(keys: Set<InputKey>?, alreadyDown: InputKeySet = InputKeySet()) {
        wanted = keys
        former = alreadyDown
    }

    /// The keys that are down, as far as was told.
    package var heldKeys: [InputKey] { held.keys }

    /// What the next bytes say. An event may come in pieces.
    package mutating func changes(in bytes: some Sequence<UInt8>) -> [Change] {
        pending.append(contentsOf: bytes)
        var changes: [Change] = []
        let whole = pending.count / Int(LC_INPUT_EVENT_BYTES) * Int(LC_INPUT_EVENT_BYTES)
        pending.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: whole, by: Int(LC_INPUT_EVENT_BYTES)) {
                if let change = take(RawEvent(bytes, at: start)) { changes.append(change) }
            }
        }
        pending.removeFirst(whole)
        return changes
    }

    /// Takes in which keys are down at `time`. One that went down or up unseen did so now, for all that is known; one that did
    /// both is lost.
    package mutating func resync(down: InputKeySet, at time: Timestamp) -> [Change] {
        needsResync = false
        var changes: [Change] = []
        for key in held.keys where !down[key] { changes.append(Change(key, .released(at: time))) }
        for key in former.keys where !down[key] { former[key] = false }
        for key in down.keys where isWanted(key) && !held[key] && !former[key] {
            changes.append(Change(key, .pressed(at: time)))
        }
        for change in changes { held[change.key] = down[change.key] }
        return changes
    }

    private func isWanted(_ key: InputKey) -> Bool { wanted?.contains(key) ?? !key.isTool }

    private mutating func take(_ event: RawEvent) -> Change? {
        switch (event.type, event.code) {
        case (RawEvent.synchronisation, RawEvent.dropped): isDropping = true
        case (RawEvent.synchronisation, RawEvent.report) where isDropping:
            isDropping = false
            needsResync = true
        case (RawEvent.key, let code) where !isDropping:
            guard let key = InputKey(code: code), isWanted(key) else { return nil }
            // A release of what was down before we looked is none, and 2 stands for a repetition.
            if event.value != 2 { former[key] = false }
            if event.value == 1, !held[key] {
                held[key] = true
                return Change(key, .pressed(at: event.time))
            }
            if event.value == 0, held[key] {
                held[key] = false
                return Change(key, .released(at: event.time))
            }
        default: break
        }
        return nil
    }
}

/// A `struct input_event`.
private struct RawEvent {
    static let synchronisation: UInt16 = 0  // EV_SYN
    static let key: UInt16 = 1  // EV_KEY
    static let report: UInt16 = 0  // SYN_REPORT
    static let dropped: UInt16 = 3  // SYN_DROPPED

    let time: Timestamp
    let type: UInt16
    let code: UInt16
    let value: Int32

    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        func read<Value: BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
            bytes.loadUnaligned(fromByteOffset: start + offset, as: type)
        }
        let (seconds, microseconds) = (read(0, as: Int64.self), read(8, as: Int64.self))
        time = Timestamp.zero + TimeSpan.microseconds(1_000_000) * seconds + .microseconds(microseconds)
        type = read(16, as: UInt16.self)
        code = read(18, as: UInt16.self)
        value = read(20, as: Int32.self)
    }
}
