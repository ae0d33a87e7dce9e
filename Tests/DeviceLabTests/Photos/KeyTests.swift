// SPDX-License-Identifier: MIT
// A key of an input device as the shutter. The moment is the kernel's time of the event, however late it is read.

import Foundation
import LivecapFrames
import Testing

extension DeviceLab {
    @Suite("keys")
    struct KeyTests {
        @Test("a photo shows the moment at which the kernel saw the key pressed")
        func moment() throws {
            let vivid = try OnScreenText.shown()
            defer { try? vivid.reset() }
            let key = try VirtualKey()
            let camera = try ArmedCamera(["--shutter", key.path, "--count", "1"])
            #expect(camera.program.errors.contains("a key of lab button"))
            try camera.waitForFrames(3)
            // The program is stopped and reads the key event more than one frame interval late.
            camera.program.signal(SIGSTOP)
            let pressed = try key.press()
            usleep(300_000)
            let heard = Timestamp.now
            camera.program.signal(SIGCONT)
            let shot = try camera.shot(1)
            #expect(shot.tapNs == pressed.nanoseconds)
            let witness = try Witness(camera.frames())
            let frame = try witness.expectNearest(shot)
            #expect(try frame != witness.nearest(heard), "the frame of when it was heard of is another one")
            // The program ends after the single picture of --count 1.
            #expect(try camera.ended().status == 0)
        }

        @Test("a key that is unplugged leaves the other ways to take pictures")
        func unplugged() throws {
            let vivid = try OnScreenText.shown()
            defer { try? vivid.reset() }
            let key = try VirtualKey()
            let camera = try ArmedCamera(["--shutter", key.path])
            let path = key.path
            key.unplug()
            try camera.waitForWords("the input device \(path) was disconnected")
            let frames = try camera.waitForFrames(2)
            try camera.tap(at: frames[frames.count - 2].time)
            let shot = try camera.shot(1)
            try Witness(camera.frames()).expectNearest(shot)
            try camera.finish()
        }
    }
}
