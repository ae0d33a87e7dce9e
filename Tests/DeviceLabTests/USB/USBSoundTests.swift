// SPDX-License-Identifier: MIT
// Microphones in USB cameras, driven by the kernel's own snd-usb-audio.

import Foundation
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapSound

extension DeviceLab {
    @Suite("microphones of USB cameras")
    struct USBSoundTests {
        @Test("each camera is listed with its own microphone")
        func discovery() throws {
            let bus = try LabBus()
            let front = try LabCamera(on: bus, name: "front", port: 0, "microphone", "serial=SN1", "model=Front")
            let mute = try LabCamera(on: bus, name: "mute", port: 1, "serial=SN2", "model=Mute")
            let rear = try LabCamera(on: bus, name: "rear", port: 2, "microphone", "serial=SN3", "model=Rear")
            let (first, last) = (try LabMicrophone(of: front).microphone, try LabMicrophone(of: rear).microphone)
            #expect(first.id != last.id && first.name == "Front" && last.name == "Rear")
            // The one that came last is the first choice of a camera without its own.
            #expect(Microphones().all().map(\.id) == [last.id, first.id])
            let listed = try Livecap.start(["devices"]).finish()
            #expect(listed.status == 0, "\(listed.errors)")
            let own = try Dictionary(
                uniqueKeysWithValues: Livecap.reports(listed).map { ($0.path ?? "", $0.microphones ?? []) })
            #expect(own[front.path] == [first.id] && own[rear.path] == [last.id] && own[mute.path] == [], "\(own)")
            let text = try Lab.run(Livecap.program, ["devices"])
            #expect(text.output.contains("microphone: \(first.id)"), "\(text.output)")
        }

        @Test("samples that were not read in time are an overrun, and the microphone goes on")
        func overrun() throws {
            let camera = try LabCamera("microphone", "serial=SN1")
            let directory = Microphones()
            let source = try directory.open(try LabMicrophone(of: camera).microphone)
            #expect(source.format == SoundFormat(rate: 48_000, channels: 1))
            let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 1 << 14)
            defer { samples.deallocate() }
            try source.start()
            #expect(try Self.seconds(0.3, source, samples) == [])
            // Longer than the buffer, which holds a second.
            usleep(1_500_000)
            #expect(try Self.seconds(0.3, source, samples) == [.overrun])
            #expect(try Self.seconds(0.3, source, samples) == [])
            try camera.unplug()
            var end = SoundEvent.timedOut
            let deadline = Timestamp.now + .seconds(20)
            while Timestamp.now < deadline {
                end = source.read(into: samples, until: .now + .milliseconds(100))
                if case .gone = end { break }
            }
            #expect(end == .gone(.disconnected("Lab Camera")), "\(end)")
        }

        /// Reads so much sound. Returns what interrupted it. Throws if there is no end.
        private static func seconds(
            _ seconds: Double, _ source: any SoundSource, _ samples: UnsafeMutableBufferPointer<Float>
        ) throws -> [SoundInterruption] {
            var (count, interruptions, last) = (0, [SoundInterruption](), SoundStamp(count: 0, time: .zero))
            let deadline = Timestamp.now + .seconds(20)
            while count < Int(seconds * 48_000) {
                guard Timestamp.now < deadline else { throw LabStream.Missing("only \(count) samples in 20 s") }
                switch source.read(into: samples, until: .now + .milliseconds(100)) {
                case .frames(let read, let stamp):
                    count += read
                    let stamp = try #require(stamp)
                    #expect(stamp.count >= last.count && stamp.time >= last.time, "\(last) \(stamp)")
                    last = stamp
                case .timedOut: continue
                case .interrupted(let why):
                    interruptions.append(why)
                    last = SoundStamp(count: 0, time: last.time)
                case .gone(let error): throw error
                }
            }
            return interruptions
        }

        @Test(
            "the rate is measured, whatever the microphone claims",
            arguments: [0, 300, -300, 10_000, -10_000])
        func rate(ppm: Int) throws {
            let camera = try LabCamera("microphone", "ppm=\(ppm)", "serial=SN1")
            let microphone = try LabMicrophone(of: camera).microphone
            let capture = try SoundCapture(.only(microphone.id), in: Microphones(), past: .seconds(2))
            defer { capture.stop() }
            let begun = Timestamp.now
            while Timestamp.now - begun < .seconds(20) { usleep(100_000) }
            let figures = capture.figures
            let measured = try #require(figures.ppm)
            print("device lab: a microphone \(ppm) ppm off: measured \(measured.rounded()) ppm in 20 s")
            // On a busy host, samples are read milliseconds late: 50 ppm of twenty seconds each.
            #expect(figures.claimedRate == 48_000 && abs(measured - Double(ppm)) < 120, "\(measured)")
            #expect(figures.overruns == 0 && figures.restarts == 0 && figures.changes == 0, "\(figures)")
        }
    }
}
