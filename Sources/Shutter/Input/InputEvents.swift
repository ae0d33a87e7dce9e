// SPDX-License-Identifier: MIT
// Decodes an input device's bytes: keys going down and up, at the kernel's times.

import LivecapCSystem
import LivecapFrames

/// Converts `struct input_event` bytes to presses and releases. It opens nothing and has no clock.
///
/// A key goes down once and up once, no matter what the stream repeats. If the kernel had to drop events, the remainder
/// of the interrupted group is skipped and `needsResync` is set. The caller then passes the keys that are down to
/// `resync`.
package struct InputEvents {
    /// A key and its event.
    package struct Change: Hashable, Sendable {
        package let key: InputKey
        package let event: ShutterEvent

        package init(_ key: InputKey, _ event: ShutterEvent) {
            self.key = key
            self.event = event
        }
    }

    /// The keys of interest; nil for all keys.
    private let wanted: Set<InputKey>?
    private var held = InputKeySet()
    /// Keys that were down before listening started, whose presses do not count.
    private var former: InputKeySet
    private var pending: [UInt8] = []
    private var isDropping = false

    /// Whether events were lost and their interrupted group is over: the caller must ask the kernel which keys are
    /// down.
    package private(set) var needsResync = false

    /// Follows these keys or, if nil, all keys that can be pressed, which excludes those that report a tool or the
    /// number of fingers. Keys that are already down must be released before they count.
    package init(keys: Set<InputKey>?, alreadyDown: InputKeySet = InputKeySet()) {
        wanted = keys
        former = alreadyDown
    }

    /// The keys that are down according to the events so far.
    package var heldKeys: [InputKey] { held.keys }

    /// The changes in the next bytes. An event may be split across calls.
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

    /// Updates the state with the keys that are down at `time`. A key that went down or up unseen is reported as
    /// changed at that time; one that did both is lost.
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
            // A release of a key that was down before listening started does not count. The value 2 marks a repetition.
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
        time = Timestamp.zero + Duration.microseconds(1_000_000) * seconds + .microseconds(microseconds)
        type = read(16, as: UInt16.self)
        code = read(18, as: UInt16.self)
        value = read(20, as: Int32.self)
    }
}
