// SPDX-License-Identifier: MIT
// A key of an input device as a shutter, pressed and released at the kernel's own times.

import Glibc
import LivecapFrames

/// Presses and releases of keys on a keyboard, remote shutter, mouse or pedal: `/dev/input/eventN`.
///
/// Times are the kernel's, taken when the device's event arrived. However late this process runs, a tap refers to its
/// exact moment. A key that is held and repeats is one press. Keys that are already down when the shutter starts do not
/// count as presses, nor do their releases count. If the device is unplugged, held keys are released first.
public final class InputDeviceShutter: Sendable {
    /// The name the device reports, if any.
    public let name: String?
    private let feed = ShutterFeed()
    private let thread: ShutterThread

    /// Starts listening to these keys of the device at `path`, or to all its keys.
    ///
    /// With `isExclusive`, no other program gets the device's events until `close`, which is not a good idea with the
    /// only keyboard. Closures are called on the shutter's thread; `onEnd` is called when the device is unplugged or
    /// fails.
    ///
    /// Throws `ShutterError`: `noSuchDevice` if nothing is connected there, `permissionDenied` if the device may not be
    /// opened, `notAButton` if it is no input device or has no keys, `noSuchKey` if it has none of `keys`, `busy` if
    /// another program has exclusive use of it, and `failed` if a system call fails otherwise.
    public convenience init(
        path: String, keys: Set<InputKey>? = nil, isExclusive: Bool = false,
        onEvent: @escaping @Sendable (ShutterEvent) -> Void = { _ in },
        onEnd: @escaping @Sendable (ShutterEnd) -> Void = { _ in }
    ) throws(ShutterError) {
        try self.init(
            path: path, keys: keys, isExclusive: isExclusive, onKey: { _, event in onEvent(event) }, onEnd: onEnd)
    }

    /// Like the other initialiser, but passes the key along with each event, so that several held keys can be
    /// distinguished. Throws in the same cases.
    public convenience init(
        path: String, keys: Set<InputKey>? = nil, isExclusive: Bool = false,
        onKey: @escaping @Sendable (InputKey, ShutterEvent) -> Void,
        onEnd: @escaping @Sendable (ShutterEnd) -> Void = { _ in }
    ) throws(ShutterError) {
        let device = try InputDevice(path: path)
        try device.require(keys)
        if isExclusive { try device.grab() }
        try self.init(
            device.descriptor, path: path, name: device.name,
            events: InputEvents(keys: keys, alreadyDown: try device.heldKeys()),
            heldKeys: { () throws(ShutterError) in try device.heldKeys() }, onKey: onKey, onEnd: onEnd)
    }

    /// Reads events from a non-blocking descriptor.
    init(
        _ descriptor: OwnedDescriptor, path: String, name: String?, events: InputEvents,
        heldKeys: @escaping @Sendable () throws(ShutterError) -> InputKeySet,
        onKey: @escaping @Sendable (InputKey, ShutterEvent) -> Void, onEnd: @escaping @Sendable (ShutterEnd) -> Void
    ) throws(ShutterError) {
        self.name = name
        let feed = feed
        thread = try ShutterThread(name: "tap input") { stop in
            var loop = InputLoop(
                descriptor: descriptor, path: path, stop: stop, events: events, heldKeys: heldKeys)
            let end = loop.run { key, event in
                onKey(key, event)
                feed.send(event)
            }
            feed.end()
            if let end { onEnd(end) }
        }
    }

    /// The presses and releases of all keys from now on, as a sequence. It ends when the device is unplugged. Events do
    /// not name their keys: listen to one key, or use `onKey`, where that matters.
    public var events: ShutterEvents { ShutterEvents(feed, of: self) }

    /// Stops listening, releases the device and ends `events`. After it returns no closure is called any more, unless
    /// it was called from one of them.
    public func close() { thread.close() }
}

/// Reads events to the end. Used by one thread.
private struct InputLoop {
    let descriptor: OwnedDescriptor
    let path: String
    let stop: StopRequest
    var events: InputEvents
    let heldKeys: () throws(ShutterError) -> InputKeySet

    /// The size of one read: more events than a key press has.
    private static let bufferBytes = 64 * 24

    /// Delivers events until there are no more and returns the reason; nil if it was stopped.
    mutating func run(_ onKey: (InputKey, ShutterEvent) -> Void) -> ShutterEnd? {
        var polled = [pollfd(stop.wake.descriptor), pollfd(descriptor.number)]
        while !stop.isStopping {
            polled.wait()
            guard polled[1].isReadable, !stop.isStopping else { continue }
            if let end = read(onKey) {
                let now = Timestamp.now
                report(events.resync(down: InputKeySet(), at: now), onKey)
                return stop.isStopping ? nil : end
            }
        }
        return nil
    }

    private mutating func read(_ onKey: (InputKey, ShutterEvent) -> Void) -> ShutterEnd? {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.bufferBytes) { buffer, count in
            let result = Glibc.read(descriptor.number, buffer.baseAddress, buffer.count)
            if result <= 0 { failure = result == 0 ? ENODEV : errno }
            count = max(0, result)
        }
        switch failure {
        case 0: break
        case EAGAIN, EINTR: return nil
        case ENODEV: return .unplugged(path: path)
        default: return .failed(.failed(path, call: "read", errno: failure))
        }
        report(events.changes(in: bytes), onKey)
        guard events.needsResync, !stop.isStopping else { return nil }
        do throws(ShutterError) {
            report(events.resync(down: try heldKeys(), at: .now), onKey)
            return nil
        } catch .failed(_, _, ENODEV) {
            return .unplugged(path: path)
        } catch {
            return .failed(error)
        }
    }

    private func report(_ changes: [InputEvents.Change], _ onKey: (InputKey, ShutterEvent) -> Void) {
        for change in changes where !stop.isStopping { onKey(change.key, change.event) }
    }
}
