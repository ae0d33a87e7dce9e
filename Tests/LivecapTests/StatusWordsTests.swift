// SPDX-License-Identifier: MIT
// What is said while livecap works: progress lines, notes between them, and summaries.

import LivecapFrames
import Testing

@testable import LiveCapture
@testable import livecap

@Suite struct StatusWordsTests {
    @Test func aRunSaysHowLongItsLastPictureTook() {
        var status = RunStatus(readiness: Readiness(.ready), taken: 5)
        #expect(status.words == "ready, 5 pictures")
        (status.inProgress, status.lastTook) = (2, .milliseconds(34.4))
        #expect(status.words == "ready, 5 pictures, 2 in progress, the last took 34 ms")
        (status.isAway, status.movie, status.dropped) = (true, "filming 1.5 s, 3 MB", 1)
        #expect(
            status.words
                == "waiting for the camera, 5 pictures, filming 1.5 s, 3 MB, 2 in progress, the last took 34 ms, 1 frames dropped"
        )
    }

    @Test func aNoteTakesThePlaceOfAProgressLine() {
        #expect(Console.whole("a chapter begins", isInteractive: true) == "\r\u{1B}[Ka chapter begins\n")
        #expect(Console.whole("a chapter begins", isInteractive: false) == "a chapter begins\n")
    }

    @Test func pressureIsNotedOncePerChangeAndWhenItIsOver() {
        func pressure(_ level: SystemPressure.Level) -> SystemPressure { SystemPressure(level: level, factors: []) }
        var notes = PressureNotes()
        let levels: [SystemPressure.Level] = [
            .fair, .serious, .serious, .critical, .critical, .serious, .fair, .nominal, .serious,
        ]
        let said = levels.map { notes.words(pressure($0)) }
        #expect(said.map { $0 != nil } == [false, true, false, true, false, true, true, false, true])
        #expect(said[1] == "the machine is under pressure, serious")
        #expect(said[6] == "the machine is no longer under pressure")
    }

    @Test func framesThatWereThereWereNotWaitedFor() {
        #expect(ShootSummary.share("wait", [.milliseconds(-8.7), .milliseconds(-2)]) == "wait 0.0")
        #expect(ShootSummary.share("merge", [.milliseconds(3), .milliseconds(12.34)]) == "merge 12.3")
    }

    @Test func aMissingPluginOfALSAsIsNamedWithItsPackage() {
        let pipewire = Failure.sound(.noSuchMicrophone("pipewire", available: []))
        #expect(pipewire.message == "ALSA has no device 'pipewire'")
        #expect(pipewire.hint.contains("pipewire-alsa") && !pipewire.hint.contains("--sound pipewire"))
        let pulse = Failure.sound(.noSuchMicrophone("pulse", available: ["Yeti"]))
        #expect(pulse.hint.contains("libasound2-plugins"))
        #expect(Failure.sound(.noSuchMicrophone("Yet", available: ["Yeti"])).hint.contains("Yeti"))
        #expect(Failure.sound(.noSuchMicrophone("Yet", available: [])).hint.contains("--sound none"))
    }

    @Test func whatPipeWireLacksIsSaidWithAWayAround() {
        let failures: [(Failure, String)] = [
            (.sound(.noPipeWire(detail: "no file")), "libpipewire-0.3-0"),
            (.sound(.pipeWireNotRunning(detail: "Host is down")), "systemctl --user start pipewire"),
            (.sound(.notConnected("Headset")), "systemctl --user start wireplumber"),
        ]
        for (failure, remedy) in failures {
            #expect(failure.hint.contains(remedy) && failure.hint.contains("--sound auto"))
        }
        let ended = Failure.sound(.pipeWireEnded("Headset")).message
        #expect(ended == "PipeWire has ended, and with it the sound of Headset")
    }

    @Test func whoSelectsNoPhotosHearsOfAllWhereThatIsAnOption() {
        #expect(LibraryPhotos.howToSelect(LibraryPhotos.all).contains("--all"))
        #expect(!LibraryPhotos.howToSelect().contains("--all"))
    }
}
