// SPDX-License-Identifier: MIT
// Decoding the bytes of an input device to presses and releases.

import Glibc
import LivecapFrames
import Synchronization
import Testing

@testable import Shutter

/// A `struct input_event` as the kernel writes it.
private func event(_ type: UInt16, _ code: UInt16, _ value: Int32, at milliseconds: Int64 = 0) -> [UInt8] {
    func bytes<Value>(_ value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
    return bytes(milliseconds / 1000) + bytes(milliseconds % 1000 * 1000) + bytes(type) + bytes(code) + bytes(value)
}
private func key(_ key: InputKey, _ value: Int32, at milliseconds: Int64 = 0) -> [UInt8] {
    event(1, key.code, value, at: milliseconds) + report
}
private let report = event(0, 0, 0)
private let dropped = event(0, 3, 0)
private func at(_ milliseconds: Int64) -> Timestamp { .zero + .milliseconds(milliseconds) }
private let camera = InputKey("KEY_CAMERA")!
private let space = InputKey("KEY_SPACE")!

@Suite struct InputEventsTests {
    private var events = InputEvents(keys: nil)

    @Test mutating func aKeyGoesDownAndUpAtTheKernelsTimes() {
        let changes = events.changes(in: key(camera, 1, at: 1234) + key(camera, 0, at: 70_000))
        #expect(changes == [.init(camera, .pressed(at: at(1234))), .init(camera, .released(at: at(70_000)))])
    }

    @Test mutating func aRepeatedKeyIsOnePress() {
        let bytes = key(camera, 1) + key(camera, 2) + key(camera, 2) + key(camera, 1)
        #expect(events.changes(in: bytes).count == 1)
        #expect(events.heldKeys == [camera])
    }

    @Test mutating func bytesMayComeInPieces() {
        let bytes = key(camera, 1, at: 5)
        #expect(bytes.flatMap { events.changes(in: [$0]) } == [.init(camera, .pressed(at: at(5)))])
    }

    @Test mutating func aReleaseOfWhatWasDownBeforeIsNone() {
        #expect(events.changes(in: key(camera, 0)).isEmpty)
    }

    @Test mutating func otherEventsAreNone() {
        let bytes = event(2, 0, 1) + event(3, 1, 1) + event(4, 4, 1) + event(1, 0x2FF + 1, 1) + event(0x11, 0, 1)
        #expect(events.changes(in: bytes).isEmpty && events.heldKeys.isEmpty)
    }

    @Test func onlyTheKeysAskedForCount() {
        var events = InputEvents(keys: [camera])
        #expect(events.changes(in: key(space, 1) + key(camera, 1)).map(\.key) == [camera])
    }

    @Test mutating func touchpadContactIsNotAPress() {
        let finger = InputKey(code: 0x145)!
        #expect(events.changes(in: key(finger, 1)).isEmpty)
        var asked = InputEvents(keys: [finger])
        #expect(asked.changes(in: key(finger, 1)).count == 1)
    }

    @Test mutating func theGroupEventsWereLostFromIsPassedOver() {
        let bytes = dropped + event(1, camera.code, 1) + report + key(space, 1)
        #expect(events.changes(in: bytes).map(\.key) == [space])
        #expect(events.needsResync)
    }

    @Test mutating func lostReleaseIsSynthesised() {
        _ = events.changes(in: key(camera, 1) + key(space, 1) + dropped + report)
        var down = InputKeySet()
        down[space] = true
        #expect(events.resync(down: down, at: at(9)) == [.init(camera, .released(at: at(9)))])
        #expect(events.heldKeys == [space] && !events.needsResync)
    }

    @Test mutating func lostPressIsSynthesised() {
        _ = events.changes(in: dropped + report)
        var down = InputKeySet()
        down[camera] = true
        #expect(events.resync(down: down, at: at(9)) == [.init(camera, .pressed(at: at(9)))])
        #expect(events.changes(in: key(camera, 0, at: 12)) == [.init(camera, .released(at: at(12)))])
    }

    @Test func aKeyThatWasDownBeforeCountsOnceItWasLetGo() {
        var down = InputKeySet()
        down[camera] = true
        var events = InputEvents(keys: nil, alreadyDown: down)
        #expect(events.resync(down: down, at: at(1)).isEmpty)
        #expect(events.changes(in: key(camera, 2) + key(camera, 0)).isEmpty)
        #expect(events.resync(down: down, at: at(2)).count == 1)
    }

    @Test mutating func hostileTimesDoNotOverflow() {
        var bytes = [UInt8](repeating: 0x7F, count: 16) + key(camera, 1)[16...]
        bytes += [UInt8](repeating: 0x80, count: 16) + key(camera, 0)[16...]
        #expect(events.changes(in: bytes).count == 2)
    }
}

@Suite struct InputKeyTests {
    @Test(arguments: [
        ("KEY_CAMERA", 212), ("camera", 212), ("key_space", 57), ("KEY_ENTER", 28), ("BTN_LEFT", 272),
        ("KEY_VOLUMEUP", 115), ("212", 212),
    ])
    func keysHaveNames(_ name: String, _ code: UInt16) {
        #expect(InputKey(name)?.code == code)
    }

    @Test(arguments: ["", "KEY_NOTHING", "768", "-1", "left "])
    func otherNamesAreNone(_ name: String) {
        #expect(InputKey(name) == nil)
    }

    @Test func everyNameStandsForItself() {
        for name in InputKey.knownNames {
            let key = InputKey(name)
            #expect(key != nil && InputKey(key!.name) == key)
        }
    }
}

extension Sources {
    @Suite struct InputDeviceShutterTests {
        private let changes = Log<InputEvents.Change>()
        private let ends = Log<ShutterEnd>()

        private func shutter(_ pipe: Ends, down: InputKeySet = InputKeySet()) -> InputDeviceShutter {
            let changes = changes
            return try! InputDeviceShutter(
                OwnedDescriptor(dup(pipe.inner)), path: "/dev/input/event0", name: nil, events: InputEvents(keys: nil),
                heldKeys: { () throws(ShutterError) in down }, onKey: { changes.add(.init($0, $1)) }, onEnd: ends.add)
        }

        @Test func eventsAreTold() throws {
            let pipe = try Ends.pipe(nonBlocking: true)
            let shutter = shutter(pipe)
            pipe.type(key(camera, 1, at: 3) + key(camera, 0, at: 4))
            #expect(
                try changes.first(2) == [.init(camera, .pressed(at: at(3))), .init(camera, .released(at: at(4)))])
            shutter.close()
            #expect(ends.entries.isEmpty)
        }

        @Test func lostEventsAreMadeUpForByAsking() throws {
            let pipe = try Ends.pipe(nonBlocking: true)
            let shutter = shutter(pipe)
            pipe.type(key(camera, 1, at: 3) + dropped + report)
            let reported = try changes.first(2)
            guard case .released = reported[1].event else {
                Issue.record("\(reported)")
                return
            }
            shutter.close()
        }

        @Test func unpluggingLetsGoAndEnds() throws {
            let pipe = try Ends.pipe(nonBlocking: true)
            let shutter = shutter(pipe)
            pipe.type(key(camera, 1, at: 3))
            pipe.hangUp()
            #expect(try ends.first(1) == [.unplugged(path: "/dev/input/event0")])
            #expect(changes.entries.count == 2)
            shutter.close()
        }

        @Test func whatIsNoDeviceIsAnError() {
            #expect(throws: ShutterError.noSuchDevice(path: "/dev/input/none")) {
                _ = try InputDeviceShutter(path: "/dev/input/none", onEvent: { _ in })
            }
            #expect(throws: ShutterError.notAButton(path: "/dev/null", detail: "not an input device")) {
                _ = try InputDeviceShutter(path: "/dev/null", onEvent: { _ in })
            }
        }
    }
}
