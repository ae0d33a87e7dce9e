// SPDX-License-Identifier: MIT
// The window's command line, its light, and what is said where no window can be opened. `make test-view` looks at it.

import Foundation
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapPictures
import LivecapWindow
import Testing

@testable import livecap

@Suite struct ViewTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private let scene = ["--synthetic", "tripod:prerender=2", "--size", "64x48", "--json"]

    @Test(arguments: [["view"], ["run", "--no-socket", "--view"]]) func withoutSDLThatIsSaid(command: [String]) throws {
        // No library is that empty.
        try files.write([], to: "libSDL2-2.0.so.0")
        let shell = "LD_LIBRARY_PATH='\(files.path("."))' exec \"$@\""
        let outcome = try RunningLivecap(command + scene, shell: shell).finish()
        #expect(outcome.status == 69)
        #expect(try outcome.object["code"] as? String == "no-sdl")
        #expect((try outcome.object["hint"] as? String)?.contains("sudo apt install libsdl2-2.0-0") == true)
    }

    @Test(.enabled(if: ViewWindow.lack == nil)) func withoutAScreenThatIsSaid() throws {
        let shell = "unset DISPLAY WAYLAND_DISPLAY; SDL_VIDEODRIVER=x11 exec \"$@\""
        let outcome = try RunningLivecap(["view"] + scene, shell: shell).finish()
        #expect(outcome.status == 69)
        #expect(try outcome.object["code"] as? String == "no-screen")
        #expect((try outcome.object["hint"] as? String)?.contains("livecap serve") == true)
    }

    private func refusal(_ line: [String]) -> UsageError? {
        do throws(UsageError) {
            _ = try Livecap.program.parse(line)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        ["run", "--full-screen"], ["view", "--pre", "1s"], ["view", "-o", "a", "--library", "b"], ["view", "--serve"],
        ["view", "--defer", "required"], ["view", "--strength", "4"], ["run", "--sound", "none"],
        ["view", "--sound", "none"], ["run", "--serve", "--library", "a", "--split", "1m"],
    ]) func whatWouldChangeNothingIsAUsageError(line: [String]) { #expect(refusal(line) != nil) }

    @Test(arguments: [
        ["view"], ["view", "--full-screen", "-o", "a"], ["run", "--view", "--full-screen"],
        ["view", "--movies", "a", "--pre", "1s"], ["view", "--effects", "portrait", "--fuse", "view"],
        ["run", "--library", "a", "--serve", "--sound", "none", "--pre", "1s", "--movie-kind", "webm", "--crf", "20"],
        ["run", "--library", "a", "--serve", "--gain", "6", "--bitrate", "2M"],
    ]) func itsOptionsAreThere(line: [String]) {
        let error = refusal(line)
        #expect(error == nil, "\(String(describing: error))")
    }

    @Test func aWindowIsAPlaceWhereItIsOpened() throws {
        let words = ["run", "--fuse", "view", "--no-socket"] + scene
        let outcome = try RunningLivecap(words).finish()
        #expect(outcome.status == 64)
        #expect((try outcome.object["error"] as? String)?.contains("there is no window") == true)
    }

    private func mount(_ words: [String], _ mount: CameraMount, isMirrored: Bool) throws -> CameraMount? {
        guard case .run(_, let arguments) = try Livecap.program.parse(["view"] + words) else { return nil }
        return RunWindow.view(arguments, mount, isMirrored: isMirrored).mount
    }

    @Test func theWindowShowsFramesAsPicturesOfThemAre() throws {
        let turned = CameraMount(angle: .quarter)
        #expect(try mount([], turned, isMirrored: false) == turned)
        #expect(try mount(["--rotate", "180"], turned, isMirrored: false) == CameraMount(angle: .half))
        #expect(try mount(["--hflip"], .upright, isMirrored: true) == CameraMount(isMirrored: true))
        // People see themselves as in a mirror that hangs upright.
        #expect(try mount([], turned, isMirrored: true) == CameraMount(angle: .threeQuarters, isMirrored: true))
        guard case .run(_, let arguments) = try Livecap.program.parse(["view", "--zoom", "2"]) else { return }
        #expect(RunWindow.view(arguments, nil, isMirrored: false).crop?.width == 0.5)
    }

    @Test func theLightSaysWhetherAPictureWouldWait() {
        #expect(RunStatus(readiness: Readiness(.ready)).light == .ready)
        #expect(RunStatus(readiness: Readiness(.notReadyWaitingForProcessing)).light == .waiting)
        #expect(RunStatus(readiness: Readiness(.notReadyCameraOff)).light == .waiting)
        #expect(RunStatus(readiness: Readiness(.notRunning)).light == .away)
        #expect(RunStatus(readiness: Readiness(.ready), isAway: true).light == .away)
    }
}
