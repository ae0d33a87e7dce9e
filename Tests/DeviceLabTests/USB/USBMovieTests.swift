// SPDX-License-Identifier: MIT
// Movies with sound of USB cameras: each flash is heard when it is seen, whatever the clocks and the cameras do.

import Foundation
import Glibc
import LivecapCSystem
import LivecapFrames
import Testing

extension DeviceLab {
    @Suite("movies with sound of USB cameras")
    struct USBMovieTests {
        /// How far a click may be from its flash.
        private static let limit = Duration.milliseconds(10)
        private static let rate = 15
        private static let interval = FrameRate(UInt32(rate)).interval

        /// How wrong clocks are, in millionths, and for how many seconds. 3000 ppm drift apart by 180 ms in a minute,
        /// as 300 ppm do in ten, which `LIVECAP_MOVIE_SECONDS=600` tests.
        private static let wrongClocks: [(ppm: Int, seconds: Int)] =
            if let text = ProcessInfo.processInfo.environment["LIVECAP_MOVIE_SECONDS"], let seconds = Int(text) {
                [(300, seconds)]
            } else {
                [(300, 10), (3000, 60)]
            }

        @Test("each flash is heard when it is seen, however wrong the clock of the microphone", arguments: wrongClocks)
        func clocks(ppm: Int, seconds: Int) throws {
            let camera = try LabCamera("microphone", "ppm=\(ppm)", "flash=500", "serial=SN1")
            let folder = try TemporaryFolder()
            let path = folder.path("movie.mkv")
            let outcome = try start(camera, to: path, "--duration", "\(seconds)s").finish(within: seconds + 60)
            let report = try report(outcome)
            let movie = try LabMovie(path)
            movie.expectNoGap(interval: Self.interval)
            #expect(report.dropped == 0 && movie.frames.count == report.frames)
            #expect(movie.missing.isEmpty, "\(movie.missing)")
            let flashes = movie.flashes
            #expect(flashes.count >= 2 * seconds - 1 && flashes.allSatisfy(\.hasSound))
            try judge(flashes, "\(seconds) s, a microphone \(ppm) ppm off")
            #expect(movie.strayClicks.isEmpty, "\(movie.strayClicks)")
            let measured = try #require(report.sound?.ppm)
            print("device lab: a microphone \(ppm) ppm off: measured \(measured.rounded()) ppm in \(seconds) s")
            // A millisecond's jitter of where it began and ended is a hundred ppm of ten seconds.
            let tolerance = max(60, 1500 / Double(seconds))
            #expect(abs(measured - Double(ppm)) < tolerance && report.sound?.corrections == 0, "\(report)")
        }

        @Test("unplugged ten times: one file, and flashes are heard when they are seen after each return")
        func returns() throws {
            let camera = try LabCamera("microphone", "ppm=300", "flash=400", "serial=SN1")
            let folder = try TemporaryFolder()
            let path = folder.path("movie.mkv")
            let program = try start(camera, to: path, "--on-unplug", "wait")
            try waitForClicks(5, of: camera, program)
            for round in 1...10 {
                // Every other time in the middle of a frame.
                if round % 2 == 0 {
                    try camera.unplug()
                } else {
                    try camera.unplug(at: try #require(camera.state()["number"]) + 2, percent: 50)
                    try camera.waitUntilGone()
                }
                try camera.plug(into: round % 3)
                try waitForClicks(5, of: camera, program)
            }
            program.signal(SIGINT)
            let report = try report(program.finish())
            let movie = try LabMovie(path)
            movie.expectNoGap(interval: Self.interval)
            #expect(report.dropped == 0 && movie.frames.count == report.frames)
            #expect(movie.missing.isEmpty, "\(movie.missing)")
            let flashes = movie.flashes
            try judge(flashes, "ten returns")
            for plugs in 1...11 {
                let heard = flashes.filter { $0.marks.plugs == plugs && $0.delay != nil }
                #expect(heard.count >= 2, "after \(plugs) plugs: \(heard)")
            }
            #expect(report.sound?.changes == 10, "\(report)")
        }

        @Test("a microphone that goes alone, or falls silent, comes back in step")
        func microphone() throws {
            let camera = try LabCamera("microphone", "ppm=-300", "flash=300", "serial=SN1")
            let folder = try TemporaryFolder()
            let path = folder.path("movie.mkv")
            let program = try start(camera, to: path)
            try waitForFlashes(8, of: camera, program)
            let microphone = try LabMicrophone(of: camera)
            for _ in 0..<2 {
                try microphone.disconnect()
                try waitForFlashes(2, of: camera, program)
                try microphone.connect()
                try waitForFlashes(8, of: camera, program)
            }
            // For a while, without an error, and back between two flashes. It takes a quarter of a second until it is
            // clear that samples are missing.
            try camera.fault(.deaf)
            try waitForFlashes(4, of: camera, program)
            usleep(150_000)
            try camera.clear()
            try waitForFlashes(10, of: camera, program)
            program.signal(SIGINT)
            let report = try report(program.finish())
            let movie = try LabMovie(path)
            movie.expectNoGap(interval: Self.interval)
            #expect(report.dropped == 0 && movie.frames.count == report.frames)
            #expect(movie.missing.isEmpty, "\(movie.missing)")
            try judge(movie.flashes, "a microphone that comes and goes")
            #expect(movie.strayClicks.isEmpty, "\(movie.strayClicks)")
            #expect(report.sound?.changes == 2 && report.sound?.restarts == 1, "\(report)")
        }

        @Test("when a camera goes, the next one takes over with its microphone, and both come back")
        func next() throws {
            let bus = try LabBus()
            let camera = try LabCamera(on: bus, "microphone", "ppm=300", "flash=400", "serial=SN1", "model=Front")
            let other = try LabCamera(
                on: bus, name: "other", port: 1, "microphone", "ppm=-300", "flash=400", "serial=SN2", "model=Rear")
            let folder = try TemporaryFolder()
            let path = folder.path("movie.mkv")
            let program = try start(camera, to: path, "--on-unplug", "next")
            // For clicks: how soon a microphone opens on a busy machine decides how much of a stay is heard.
            try waitForClicks(8, of: camera, program)
            for _ in 0..<2 {
                try camera.unplug()
                try waitForClicks(8, of: other, program)
                try camera.plug()
                try waitForClicks(8, of: camera, program)
            }
            program.signal(SIGINT)
            let report = try report(program.finish())
            let movie = try LabMovie(path)
            movie.expectNoGap(interval: Self.interval)
            #expect(report.dropped == 0 && movie.frames.count == report.frames)
            let stays = movie.stays
            #expect(stays.map(\.camera) == [0, 1, 0, 1, 0])
            // The other microphone is still heard for a moment when a camera has come back, and on a busy machine, the
            // clock of one that was just opened is not yet known to a few milliseconds.
            let settled = movie.flashes.filter { flash in
                guard let stay = stays.first(where: { $0.times.contains(flash.time) }) else { return false }
                return flash.time > stay.times.lowerBound + .seconds(1)
            }
            for camera in [0, 1] {
                try judge(settled.filter { $0.marks.camera == camera }, "camera \(camera), after the changes")
            }
            #expect(report.sound?.changes == 4, "\(report)")
        }

        @Test("stills beside a movie cost neither a frame")
        func stills() throws {
            let camera = try LabCamera("microphone", "flash=500", "serial=SN1")
            let folder = try TemporaryFolder()
            let path = folder.path("shutter.sock")
            let program = try Livecap.start(
                ["run", "--device", camera.path, "--format", "MJPG", "--size", "160x120", "--fps", "\(Self.rate)"]
                    + ["--quality", "balanced", "--frames", "4", "--format", "png", "--socket", path]
                    + ["-o", folder.path("photos") + "/", "--movies", folder.path("movies") + "/"])
            try LabBus.wait("'takes a picture': \(program.errors)") { program.errors.contains("takes a picture") }
            let socket = lc_unix_socket()
            defer { close(socket) }
            try #require(lc_unix_connect(socket, path) == 0)
            func ask(_ line: String) throws {
                try #require(lc_send(socket, line + "\n", line.utf8.count + 1) == Int64(line.utf8.count + 1))
            }
            try ask("{\"movie\":\"start\"}")
            try LabBus.wait("a movie: \(program.errors)") { program.output.contains("\"movie\":1") }
            for _ in 0..<10 {
                usleep(300_000)
                try ask("{\"tap\":\"now\"}")
            }
            try LabBus.wait("ten shots: \(program.output)") {
                try ShotObject.all(in: program.output).filter { $0.shot != nil }.count == 10
            }
            program.signal(SIGINT)
            let outcome = try program.finish()
            #expect(outcome.status == 0, "\(outcome.errors)")
            let shots = try ShotObject.all(in: outcome.output).filter { $0.shot != nil }
            #expect(shots.count == 10 && shots.allSatisfy { $0.file != nil && $0.droppedByRing == 0 }, "\(shots)")
            let report = try #require(RunMovieObject.all(in: outcome.output).last { $0.frames != nil })
            let movie = try LabMovie(try #require(report.file))
            movie.expectNoGap(interval: Self.interval)
            let frames = movie.frames
            #expect(report.dropped == 0 && report.lost == 0 && frames.count == report.frames, "\(report)")
            #expect(frames.count > 3 * Self.rate && movie.missing.isEmpty, "\(movie.missing)")
            try judge(movie.flashes, "beside ten stills")
        }

        @Test("a movie that is killed lacks at most a second, in step")
        func kill() throws {
            let camera = try LabCamera("microphone", "flash=500", "serial=SN1")
            let folder = try TemporaryFolder()
            let path = folder.path("movie.mkv")
            let program = try start(camera, to: path)
            try waitForFlashes(8, of: camera, program)
            program.signal(SIGKILL)
            let number = try #require(camera.state()["number"])
            #expect(try program.finish().status == -SIGKILL)
            let movie = try LabMovie(path)
            movie.expectNoGap(interval: Self.interval)
            let last = try #require(movie.frames.last)
            #expect(Int(last.marks.number) >= number - Self.rate - 1, "frame \(last.marks.number) of \(number)")
            try judge(movie.flashes, "killed")
        }

        // MARK: Helpers

        /// Starts a movie of a camera.
        private func start(_ camera: LabCamera, to path: String, _ options: String...) throws -> RunningProgram {
            try Livecap.start(
                ["movie", "--device", camera.path, "--format", "MJPG", "--size", "160x120", "--fps", "\(Self.rate)"]
                    + options + ["--output", path])
        }

        private func report(_ outcome: Lab.Outcome) throws -> Report {
            try #require(outcome.status == 0, "\(outcome.errors)")
            return try #require(Livecap.reports(outcome).first)
        }

        /// Waits for `count` more flashes of a camera.
        private func waitForFlashes(_ count: Int, of camera: LabCamera, _ program: RunningProgram) throws {
            try wait(for: "flashes", count, of: camera, program)
        }

        /// Waits for `count` more flashes of a camera while its microphone is on.
        private func waitForClicks(_ count: Int, of camera: LabCamera, _ program: RunningProgram) throws {
            try wait(for: "clicks", count, of: camera, program)
        }

        private func wait(for name: String, _ count: Int, of camera: LabCamera, _ program: RunningProgram) throws {
            let before = try #require(camera.state()[name])
            try LabBus.wait("\(count) \(name) of \(camera.name): \(program.errors)") {
                try #require(camera.state()[name]) >= before + count
            }
        }

        /// Each flash that a microphone was there for must be heard when it is seen.
        private func judge(_ flashes: [LabMovie.Flash], _ what: String) throws {
            let judged = flashes.filter(\.hasSound)
            let delays = judged.compactMap(\.delay).map(\.milliseconds)
            let (least, most) = (try #require(delays.min(), "\(what)"), try #require(delays.max()))
            print(
                "device lab: \(what): \(delays.count) flashes, heard \((least * 10).rounded() / 10) to "
                    + "\((most * 10).rounded() / 10) ms later")
            let wrong = judged.filter { $0.delay.map { $0.magnitude >= Self.limit } ?? true }
            #expect(wrong.isEmpty && delays.count >= 2, "\(what): \(wrong)")
        }
    }
}

/// The fields that the tests use of the objects that `livecap run --json` prints for a movie.
private struct RunMovieObject: Decodable {
    var movie: Int?
    var file: String?
    var frames: Int?
    var dropped: Int?
    var lost: Int?

    static func all(in output: String) throws -> [RunMovieObject] {
        try output.split(separator: "\n").map { try JSONDecoder().decode(RunMovieObject.self, from: Data($0.utf8)) }
            .filter { $0.movie != nil }
    }
}
