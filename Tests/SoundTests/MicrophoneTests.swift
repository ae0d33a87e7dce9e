// SPDX-License-Identifier: MIT
// Which microphones there are, in PipeWire and among sound cards, and which of them is meant or chosen.

import Foundation
import LivecapPatience
import LivecapThreads
import Testing

@testable import LivecapSound

/// A PipeWire of the test's own.
private final class FakePipeWire: PipeWireServer {
    private let content: Guarded<Result<[PipeWireSource], SoundError>>
    private let requests = Guarded<[String]>([])

    init(_ content: Result<[PipeWireSource], SoundError>) { self.content = Guarded(content) }

    var opened: [String] { requests.withLock { $0 } }

    func change(_ sources: [PipeWireSource]) { content.withLock { $0 = .success(sources) } }

    func sources() throws(SoundError) -> [PipeWireSource] { try content.withLock { $0 }.get() }

    func open(_ microphone: Microphone, channels: Int) throws(SoundError) -> any SoundSource {
        requests.withLock { $0.append("\(microphone.id), \(channels) channels") }
        return SyntheticMicrophone()
    }
}

/// A folder as the kernel has it for sound cards.
private final class FakeCards {
    let folder = FileManager.default.temporaryDirectory.appending(path: "livecap-\(UUID().uuidString)")

    /// Makes a card of a USB device. Each has its own number and port.
    init(_ names: [Int: String] = [:]) throws {
        for (number, name) in names {
            try write("", "sound/pcmC\(number)D0c")
            try write(name + "\n", "sound/card\(number)/id")
            try write("1234\n", "usb/port\(number)/idVendor")
            try write("Camera \(name)\n", "usb/port\(number)/product")
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: "sound/card\(number)/device").path,
                withDestinationPath: folder.appending(path: "usb/port\(number)").path)
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ text: String, _ name: String) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: false, encoding: .utf8)
    }

    func port(_ number: Int) -> String {
        folder.appending(path: "usb/port\(number)").resolvingSymlinksInPath().path
    }

    /// The machine with these cards. ALSA's library is missing, so that no test opens the user's devices.
    func machine(_ pipeWire: FakePipeWire) -> Microphones {
        Microphones(
            sysfs: folder.appending(path: "sound").path, procfs: folder.path, devices: folder.path,
            library: "/nonexistent/libasound.so", pipeWire: pipeWire)
    }
}

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct MicrophoneTests {
    private static let camera = PipeWireSource(
        name: "alsa_input.usb-cam", description: "Webcam Mono", serial: 40, card: 3, channels: 1)
    private static let headset = PipeWireSource(
        name: "bluez_input.00", description: "Headset", serial: 52, channels: 1, isDefault: true)
    private static let virtual = PipeWireSource(name: "noise-free", description: "", serial: 60)
    private static let notRunning = SoundError.pipeWireNotRunning(detail: "Host is down")

    private let cards: FakeCards
    private let pipeWire = FakePipeWire(.success([camera, virtual, headset]))
    private let machine: Microphones

    init() throws {
        cards = try FakeCards([3: "C920", 4: "Yeti"])
        machine = cards.machine(pipeWire)
    }

    @Test func pipeWiresAreListedBeforeThoseOfALSA() {
        #expect(
            machine.all().map(\.id) == [
                "pipewire:bluez_input.00", "pipewire:noise-free", "pipewire:alsa_input.usb-cam", "hw:CARD=C920,DEV=0",
                "hw:CARD=Yeti,DEV=0",
            ])
        #expect(machine.all().map(\.name) == ["Headset", "noise-free", "Webcam Mono", "Camera C920", "Camera Yeti"])
        #expect(machine.all().map(\.system) == [.pipeWire, .pipeWire, .pipeWire, .alsa, .alsa])
    }

    @Test func aSourceOfACardIsThatCardsAndItsCameras() throws {
        let source = try #require(machine.microphones().first { $0.node == Self.camera.name })
        #expect(source.card == "C920" && source.place == cards.port(3))
        let others = machine.microphones().filter { $0.node == Self.headset.name }
        #expect(others.map(\.card) == [""] && others.map(\.place) == [nil])
    }

    /// What a terminal may take for something else is left out.
    @Test func namesOfSourcesAreTextOnly() {
        pipeWire.change([PipeWireSource(name: "a", description: " A\u{1B}[31m\nmic ", serial: 1)])
        #expect(machine.microphones().first?.name == "A[31mmic")
    }

    @Test func theCamerasOwnComesFirstAndPipeWiresOfIt() {
        let order = MicrophoneChoice.automatic.candidates(machine.microphones(), camera: cards.port(3)).map(\.id)
        #expect(order.prefix(3) == ["pipewire:alsa_input.usb-cam", "hw:CARD=C920,DEV=0", "pipewire:bluez_input.00"])
        // PipeWire does not have this card: it may have been told to leave it alone.
        let other = MicrophoneChoice.automatic.candidates(machine.microphones(), camera: cards.port(4)).map(\.id)
        #expect(other.prefix(2) == ["hw:CARD=Yeti,DEV=0", "pipewire:bluez_input.00"])
    }

    @Test(arguments: [
        ("pipewire", "pipewire"), ("default", "pipewire"), ("pipewire:bluez_input.00", "pipewire:bluez_input.00"),
        ("bluez_input.00", "pipewire:bluez_input.00"), ("pipewire:52", "pipewire:bluez_input.00"),
        ("pipewire:head", "pipewire:bluez_input.00"), ("headset", "pipewire:bluez_input.00"),
        // Of both systems, the one that shares the device.
        ("C920", "pipewire:alsa_input.usb-cam"), ("hw:CARD=C920,DEV=0", "hw:CARD=C920,DEV=0"),
        ("yeti", "hw:CARD=Yeti,DEV=0"), ("alsa:default", "alsa:default"), ("alsa:pipewire", "alsa:pipewire"),
        ("pulse", "alsa:pulse"),
    ])
    func aNameMeans(name: String, id: String) throws {
        let microphone = try machine.microphone(named: name)
        #expect(microphone.id == id)
        // A capture asks again by the id.
        #expect(try machine.microphone(named: id).id == id)
    }

    @Test func namesOfNoSourceAndOfSeveralAreRefused() {
        #expect(throws: SoundError.noSuchMicrophone("nothing", available: listed)) {
            try machine.microphone(named: "pipewire:nothing")
        }
        #expect(throws: SoundError.noSuchMicrophone("", available: listed)) {
            try machine.microphone(named: "pipewire:")
        }
        #expect(throws: SoundError.ambiguousName("e", ["pipewire:alsa_input.usb-cam", "pipewire:bluez_input.00"])) {
            pipeWire.change([Self.camera, Self.headset])
            return try machine.microphone(named: "pipewire:e")
        }
    }

    private var listed: [String] {
        [
            "Webcam Mono (pipewire:alsa_input.usb-cam)", "noise-free (pipewire:noise-free)",
            "Headset (pipewire:bluez_input.00)",
        ]
    }

    @Test(arguments: [notRunning, .noPipeWire(detail: "no file")]) func withoutPipeWire(error: SoundError) throws {
        let machine = cards.machine(FakePipeWire(.failure(error)))
        #expect(machine.all().map(\.id) == ["hw:CARD=C920,DEV=0", "hw:CARD=Yeti,DEV=0"])
        #expect(try machine.microphone(named: "default").id == "alsa:default")
        #expect(try machine.microphone(named: "C920").id == "hw:CARD=C920,DEV=0")
        #expect(throws: error) { try machine.microphone(named: "pipewire") }
        #expect(throws: error) { try machine.microphone(named: "pipewire:bluez_input.00") }
        #expect(throws: error) { _ = try machine.open(.pipeWireDefault) }
    }

    @Test func aPipeWireWithoutSourcesHasNoDefault() throws {
        pipeWire.change([])
        #expect(throws: SoundError.noMicrophone) { try machine.microphone(named: "pipewire") }
        #expect(try machine.microphone(named: "default").id == "alsa:default")
    }

    @Test func aSourceIsOpenedWithItsOwnChannels() throws {
        for name in ["pipewire", "pipewire:noise-free"] {
            _ = try machine.open(try machine.microphone(named: name))
        }
        #expect(pipeWire.opened == ["pipewire, 1 channels", "pipewire:noise-free, 0 channels"])
    }

    @Test func anotherDefaultIsFollowed() throws {
        let capture = try SoundCapture(.automatic, in: machine, past: .seconds(1))
        #expect(capture.figures.microphone?.id == "pipewire:bluez_input.00")
        var (former, next) = (Self.headset, Self.virtual)
        former.isDefault = false
        next.isDefault = true
        pipeWire.change([former, next])
        try eventually("the new default") { capture.figures.microphone?.id == "pipewire:noise-free" }
        capture.stop()
        #expect(capture.figures.changes == 1)
    }

    // MARK: Words

    @Test(arguments: [
        (SoundError.noPipeWire(detail: "d"), "no-pipewire", "libpipewire-0.3-0"),
        (notRunning, "pipewire-not-running", "session manager"),
        (.notConnected("A"), "microphone-not-connected", "wireplumber"),
        (.pipeWireEnded("A"), "microphone-gone", "start it again"),
    ])
    func troubleWithPipeWireSaysWhatToDo(error: SoundError, code: String, hint: String) {
        #expect(error.code == code && error.exitStatus == 69)
        #expect(error.message.contains("PipeWire") && error.hint.contains(hint))
    }
}
