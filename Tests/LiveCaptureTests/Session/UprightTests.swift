// SPDX-License-Identifier: MIT
// Photos of a camera that is not mounted upright.

import FrameRing
import Glibc
import LivecapFrames
import LivecapStills
import Synchronization
import Testing

@testable import Camera
@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct UprightTests {
    /// A paced source that hangs somewhere.
    private final class HungCamera: CameraSource {
        let rotation: RotationCoordinator?
        let settingsLeftOut: [ControlSetting] = []
        /// Whether another camera takes its place with the next frame.
        private let isReplaced = SharedFlag()
        var replace: @Sendable () -> Void { { [isReplaced] in isReplaced.value.store(true, ordering: .relaxed) } }
        private let source: SyntheticCamera

        init(_ rotation: RotationCoordinator) throws(CameraError) {
            self.rotation = rotation
            source = try SyntheticCamera(
                try SyntheticSettings("tripod:prerender=2"), size: FrameSize(width: 96, height: 64),
                rate: FrameRate(5))
        }

        var description: SourceDescription { source.description }
        func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
            try source.makeRing(capacity)
        }
        func start(_ producer: inout RingProducer) throws(CameraError) { try source.start(&producer) }
        func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
            guard isReplaced.value.exchange(false, ordering: .relaxed) else { return try source.step(&producer) }
            return .moved(
                to: SourceDescription(
                    name: "other", identity: "other", format: description.format, rate: description.rate,
                    clock: .monotonic, firstTime: nil, frameCount: nil))
        }
        func stop() { source.stop() }
        var interrupt: @Sendable () -> Void { source.interrupt }
    }

    private final class SharedFlag: Sendable {
        let value = Atomic<Bool>(false)
    }

    private let mounts = CameraMounts(
        path: "/tmp/livecap-mounts-\(getpid())-\(UInt64.random(in: 0...UInt64.max))/mounts")

    /// Takes photos with a camera mounted like this.
    private func photos(
        _ mount: CameraMount, _ settings: [PhotoSettings]
    ) async throws -> [Photo] {
        try mounts.set(mount, of: "hung", name: "")
        defer {
            try? mounts.set(.upright, of: "hung", name: "")
            rmdir(mounts.folder)
        }
        var options = SessionOptions()
        (options.threads, options.memory, options.isRealTime) = (2, 64 << 20, false)
        let mounts = mounts
        let source = CaptureSource.custom { () throws(CameraError) in
            try HungCamera(RotationCoordinator(camera: "hung", turnsWithDevice: false, mounts: mounts))
        }
        let session = try await CaptureSession(source: source, options: options)
        try await session.start()
        #expect(session.rotation?.mount == mount)
        var photos: [Photo] = []
        for settings in settings { photos.append(try await session.photoOutput.photo(settings)) }
        await session.stop()
        return photos
    }

    private func settings(_ format: StillFormat, _ orientation: PhotoOrientation = .up) -> PhotoSettings {
        var metadata = PhotoMetadata()
        metadata.orientation = orientation
        return PhotoSettings(quality: .speed, format: format, metadata: metadata)
    }

    @Test func exifSaysHowToTurnJPEG() async throws {
        let photo = try #require(try await photos(CameraMount(angle: .half), [settings(.jpeg)]).first)
        // Exif's orientation, of type SHORT, of which there is one: rotated by 180 degrees.
        let entry: [UInt8] = [0x12, 0x01, 0x03, 0x00, 0x01, 0x00, 0x00, 0x00, 0x03, 0x00]
        let swapped: [UInt8] = [0x01, 0x12, 0x00, 0x03, 0x00, 0x00, 0x00, 0x01, 0x00, 0x03]
        #expect(photo.bytes.contains(entry) || photo.bytes.contains(swapped))
    }

    @Test func pixelsOfPNGAreTurned() async throws {
        let photo = try #require(try await photos(CameraMount(angle: .quarter), [settings(.png)]).first)
        #expect(photo.size == FrameSize(width: 64, height: 96))
    }

    @Test func settingsThatSayOtherwiseCount() async throws {
        var plain = settings(.png)
        plain.followsRotation = false
        let taken = try await photos(CameraMount(angle: .quarter), [plain, settings(.png, .down), settings(.png)])
        #expect(taken.map(\.size.width) == [96, 96, 64])
    }

    @Test func photosOfTheNextCameraAreNotTurnedByTheFirstOnesMount() async throws {
        try mounts.set(CameraMount(angle: .quarter), of: "hung", name: "")
        defer {
            try? mounts.set(.upright, of: "hung", name: "")
            rmdir(mounts.folder)
        }
        let camera = try HungCamera(RotationCoordinator(camera: "hung", turnsWithDevice: false, mounts: mounts))
        let replace = camera.replace
        // A busy machine may take minutes under a sanitizer, and the first photo's frame is asked for again.
        let session = try CaptureSession(camera, SessionOptions(history: .seconds(900), isRealTime: false))
        try await session.start()
        let first = try await session.photoOutput.photo(settings(.png))
        replace()
        var events = session.events.makeAsyncIterator()
        while case let event? = await events.next() {
            if case .notice(.moved) = event { break }
        }
        let second = try await session.photoOutput.photo(settings(.png), at: .offset(.milliseconds(100)))
        let again = try await session.photoOutput.photo(settings(.png), at: .frame(first.reference.id))
        #expect([first, second, again].map(\.size.width) == [64, 96, 64])
        #expect(session.rotation == nil)
        await session.stop()
    }

    @Test func everyMountIsAnOrientation() {
        let all = RotationAngle.allCases.flatMap { angle in
            [false, true].map { PhotoOrientation(CameraMount(angle: angle, isMirrored: $0)) }
        }
        #expect(Set(all) == Set(PhotoOrientation.allCases))
        #expect(PhotoOrientation(CameraMount(angle: .quarter, isMirrored: true)) == .rightMirrored)
    }
}
