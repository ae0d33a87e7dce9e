// SPDX-License-Identifier: MIT
// Finds microphones: PipeWire's sources, and what sysfs and procfs say of sound cards, without opening any.

import Camera
import Glibc
import LivecapFiles
import LivecapFrames

/// The microphones of this machine, now.
public struct Microphones: SoundDirectory {
    private let sysfs: String
    private let procfs: String
    private let devices: String
    /// ALSA's library, loaded when the first one is opened.
    private let library: String
    private let pipeWire: any PipeWireServer

    /// The microphones of this machine.
    public init() { self.init(sysfs: "/sys/class/sound", pipeWire: UsersPipeWire(library: "libpipewire-0.3.so.0")) }

    /// Those found below other roots, and in a PipeWire that may be one for tests.
    package init(
        sysfs: String, procfs: String = "/proc/asound", devices: String = "/dev/snd",
        library: String = "libasound.so.2", pipeWire: any PipeWireServer
    ) {
        self.pipeWire = pipeWire
        self.sysfs = sysfs
        self.procfs = procfs
        self.devices = devices
        self.library = library
    }

    /// All of them: PipeWire's, its default first; then ALSA's, the one that was connected last first.
    public func all() -> [Microphone] { MicrophoneChoice.automatic.candidates(microphones(), camera: nil) }

    /// All of them, PipeWire's first, then by card and device.
    package func microphones() -> [Microphone] {
        let sources = (try? pipeWire.sources()) ?? []
        return sources.sorted { $0.serial < $1.serial }.map(microphone)
            + SystemFiles.names(in: sysfs).compactMap { microphone($0) }
            .sorted { ($0.card, $0.device) < ($1.card, $1.device) }
    }

    /// The microphone that a name means: an id, a card, part of a name; `pipewire`, which is PipeWire's default, or
    /// `pipewire:` and a node; `default`, which is PipeWire's if it has any source, else ALSA's; or any device that
    /// ALSA knows, also with `alsa:` before it.
    /// - Throws: `ambiguousName`; of PipeWire's, also `noPipeWire`, `pipeWireNotRunning`, `noMicrophone`,
    ///   `noSuchMicrophone`.
    package func microphone(named name: String) throws(SoundError) -> Microphone {
        if name.hasPrefix(Microphone.alsaPrefix) {
            return .ofALSA(String(name.dropFirst(Microphone.alsaPrefix.count)))
        }
        if name == Microphone.pipeWireDefault.id {
            guard try !pipeWire.sources().isEmpty else { throw .noMicrophone }
            return .pipeWireDefault
        }
        if name.hasPrefix(Microphone.pipeWirePrefix) {
            return try source(named: String(name.dropFirst(Microphone.pipeWirePrefix.count)))
        }
        if name == "default" {
            let sources = (try? pipeWire.sources()) ?? []
            return sources.isEmpty ? .ofALSA(name) : .pipeWireDefault
        }
        return try microphones().microphone(named: name) ?? .ofALSA(name)
    }

    /// The source that a name means: a node's name or number, or part of its name for people.
    private func source(named name: String) throws(SoundError) -> Microphone {
        let sources = try pipeWire.sources()
        if let exact = sources.first(where: { $0.name == name }) ?? sources.first(where: { "\($0.serial)" == name }) {
            return microphone(exact)
        }
        let all = sources.map(microphone)
        guard !name.isEmpty, let found = try all.like(name) else {
            throw .noSuchMicrophone(name, available: all.map(\.description))
        }
        return found
    }

    package func open(_ microphone: Microphone) throws(SoundError) -> any SoundSource {
        if microphone.system == .pipeWire {
            let source = try pipeWire.sources().first {
                microphone.node.isEmpty ? $0.isDefault : $0.name == microphone.node
            }
            return try pipeWire.open(microphone, channels: source?.channels ?? 0)
        }
        do throws(SoundError) { return try AlsaMicrophone(microphone, library: library) } catch {
            switch error {
            // Nothing of that name: not that it is broken.
            case .failed(_, _, ENOENT) where microphone.card.isEmpty,
                .disconnected where microphone.card.isEmpty, .failed(_, _, EINVAL) where microphone.card.isEmpty:
                let name = microphone.alsaDevice
                throw .noSuchMicrophone(name, available: microphones().map(\.description))
            case .busy(let name, nil): throw .busy(name, user: user(of: microphone))
            default: throw error
            }
        }
    }

    /// A source of PipeWire's, with what is known of its card.
    private func microphone(_ source: PipeWireSource) -> Microphone {
        let name = source.description.printable
        return Microphone(
            id: Microphone.pipeWirePrefix + source.name, name: name.isEmpty ? source.name.printable : name,
            card: source.card.flatMap { SystemFiles.text("\(sysfs)/card\($0)/id") } ?? "",
            place: source.card.flatMap(place(ofCard:)),
            connected: source.isDefault ? .max : Int64(clamping: source.serial))
    }

    /// The physical device of a card; nil if there is none.
    private func place(ofCard card: Int) -> String? {
        let folder = SystemFiles.resolved("\(sysfs)/card\(card)/device")
        return folder.flatMap(Self.usbDevice) ?? folder
    }

    /// The device of a node such as `pcmC1D0c`; nil if it captures nothing.
    private func microphone(_ node: String) -> Microphone? {
        guard node.hasPrefix("pcmC"), node.hasSuffix("c") else { return nil }
        let numbers = node.dropFirst(4).dropLast().split(separator: "D").compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        let (card, device) = (numbers[0], numbers[1])
        let short = SystemFiles.text("\(sysfs)/card\(card)/id") ?? "\(card)"
        let place = place(ofCard: card)
        return Microphone(
            id: "hw:CARD=\(short),DEV=\(device)", name: name(ofCard: card, device, place) ?? short, card: short,
            device: device, place: place, connected: Self.age(of: "\(devices)/\(node)"))
    }

    private func name(ofCard card: Int, _ device: Int, _ place: String?) -> String? {
        if let product = place.flatMap({ SystemFiles.text("\($0)/product") }), !product.isEmpty {
            return product.printable
        }
        let info = SystemFiles.text("\(procfs)/card\(card)/pcm\(device)c/info")?.split(separator: "\n") ?? []
        return info.lazy.filter { $0.hasPrefix("name: ") }.map { String($0.dropFirst(6)).printable }.first {
            !$0.isEmpty
        }
    }

    /// The folder of the USB device that the interface at `folder` belongs to; nil if there is none.
    private static func usbDevice(of folder: String) -> String? {
        var place = folder
        for _ in 0..<4 {
            if SystemFiles.text(place + "/idVendor") != nil { return place }
            place = place.folderPath
        }
        return nil
    }

    /// When a node was created, in nanoseconds since 1970; 0 if it does not exist.
    private static func age(of path: String) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    /// The program that has it open, as far as the kernel says.
    private func user(of microphone: Microphone) -> String? {
        guard !microphone.card.isEmpty else { return nil }
        let status = SystemFiles.text("\(procfs)/\(microphone.card)/pcm\(microphone.device)c/sub0/status") ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("owner_pid") }
        guard let word = line?.split(separator: " ").last, let pid = Int32(word) else { return nil }
        return "\(SystemFiles.text("/proc/\(pid)/comm") ?? "a process") (pid \(pid))"
    }
}

extension String {
    /// Without what a terminal may take for something else.
    fileprivate var printable: String {
        String(unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
            .split(separator: " ").joined(separator: " ")
    }
}
