// SPDX-License-Identifier: MIT
// Finds microphones: what sysfs and procfs say of sound cards, without opening any.

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

    /// The microphones of this machine.
    public init() { self.init(sysfs: "/sys/class/sound") }

    /// Those found below other roots, for tests.
    package init(
        sysfs: String, procfs: String = "/proc/asound", devices: String = "/dev/snd",
        library: String = "libasound.so.2"
    ) {
        self.sysfs = sysfs
        self.procfs = procfs
        self.devices = devices
        self.library = library
    }

    /// All of them, the one that was connected last first.
    public func all() -> [Microphone] { MicrophoneChoice.automatic.candidates(microphones(), camera: nil) }

    /// All of them, by card and device.
    package func microphones() -> [Microphone] {
        SystemFiles.names(in: sysfs).compactMap { microphone($0) }
            .sorted { ($0.card, $0.device) < ($1.card, $1.device) }
    }

    /// The microphone that a name means: an id, a card, part of a name, or any device that ALSA knows, such as
    /// `default` or `pipewire`.
    /// - Throws: `ambiguousName`.
    package func microphone(named name: String) throws(SoundError) -> Microphone {
        try microphones().microphone(named: name)
            ?? Microphone(id: name, name: "ALSA's device '\(name)'", card: "")
    }

    package func open(_ microphone: Microphone) throws(SoundError) -> any SoundSource {
        do throws(SoundError) { return try AlsaMicrophone(microphone, library: library) } catch {
            switch error {
            // Nothing of that name: not that it is broken.
            case .failed(_, _, ENOENT) where microphone.card.isEmpty,
                .disconnected where microphone.card.isEmpty, .failed(_, _, EINVAL) where microphone.card.isEmpty:
                throw .noSuchMicrophone(microphone.id, available: microphones().map(\.description))
            case .busy(let name, nil): throw .busy(name, user: user(of: microphone))
            default: throw error
            }
        }
    }

    /// The device of a node such as `pcmC1D0c`; nil if it captures nothing.
    private func microphone(_ node: String) -> Microphone? {
        guard node.hasPrefix("pcmC"), node.hasSuffix("c") else { return nil }
        let numbers = node.dropFirst(4).dropLast().split(separator: "D").compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        let (card, device) = (numbers[0], numbers[1])
        let short = SystemFiles.text("\(sysfs)/card\(card)/id") ?? "\(card)"
        let folder = SystemFiles.resolved("\(sysfs)/card\(card)/device")
        let place = folder.flatMap(Self.usbDevice) ?? folder
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
