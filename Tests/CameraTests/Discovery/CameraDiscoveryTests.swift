// SPDX-License-Identifier: MIT
// Cameras that come and go on a machine without udev, followed by several readers; and the choice among them.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct CameraDiscoveryTests {
    private let machine = MachineTree()

    /// The word and the node of a change.
    private func words(_ change: CameraChange?) -> String? {
        change.map { "\("\($0)".prefix { $0 != "(" }) \($0.camera.path.suffix(1))" }
    }

    @Test func readersFollowEachByItself() async throws {
        machine.plug(0, port: "1")
        let discovery = try CameraDiscovery(machine.directory)
        var first = discovery.changes.makeAsyncIterator()
        #expect(await words(first.next()) == "present 0")
        machine.plug(1, port: "2")
        #expect(await words(first.next()) == "added 1")
        var second = discovery.changes.makeAsyncIterator()
        #expect(await words(second.next()) == "present 0")
        #expect(await words(second.next()) == "present 1")
        machine.unplug(0)
        #expect(await words(first.next()) == "removed 0")
        #expect(await words(second.next()) == "removed 0")
        #expect(await discovery.cameras.map(\.path) == [machine.path(1)])
    }

    @Test func thoseOfAPositionAreFoundAlone() async throws {
        machine.plug(0, port: "1", removable: "fixed")
        machine.plug(1, port: "2", removable: "removable")
        for (position, number) in [(CameraPosition.builtIn, 0), (.external, 1)] {
            let discovery = try CameraDiscovery(machine.directory, CameraFilter(positions: [position]))
            #expect(await discovery.cameras.map(\.path) == [machine.path(number)])
            #expect(await CameraSelection(discovery).systemPreferredCamera?.path == machine.path(number))
        }
        let neither = try CameraDiscovery(machine.directory, CameraFilter(kinds: [.depth], positions: [.builtIn]))
        #expect(await neither.cameras.isEmpty)
    }

    @Test func aCameraIsConnectedUntilItIsUnplugged() async throws {
        machine.plug(0, port: "1")
        machine.plug(1, port: "2")
        let discovery = try CameraDiscovery(machine.directory)
        let camera = try #require(await discovery.cameras.first { $0.path == machine.path(0) })
        #expect(await discovery.isConnected(camera))
        // A reader that begins after the camera is gone never hears of it.
        var changes = discovery.changes.makeAsyncIterator()
        #expect(await words(changes.next()) == "present 0")
        #expect(await words(changes.next()) == "present 1")
        machine.unplug(0)
        #expect(await words(changes.next()) == "removed 0")
        #expect(await !discovery.isConnected(camera))
    }

    @Test func withoutUdevItSaysSo() async throws {
        let discovery = try CameraDiscovery(machine.directory)
        #expect(await discovery.notice?.contains("udev") == true)
    }

    @Test func changesEndWithTheirTask() async throws {
        let discovery = try CameraDiscovery(machine.directory)
        let reader = Task { for await _ in discovery.changes {} }
        reader.cancel()
        await reader.value
    }

    @Test func theDirectoryAnswersAsynchronously() async throws {
        machine.plug(0)
        #expect(await machine.directory.cameras().count == 1)
        #expect(try await machine.directory.camera(named: "auto").path == machine.path(0))
        await #expect(throws: CameraError.self) { try await machine.directory.camera(named: "none") }
    }
}
