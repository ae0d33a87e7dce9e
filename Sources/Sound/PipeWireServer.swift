// SPDX-License-Identifier: MIT
// PipeWire's sources of sound: which there are, without opening any.

import Glibc
import LivecapCPipeWire
import LivecapFrames
import LivecapThreads

/// A source of sound among PipeWire's nodes.
package struct PipeWireSource: Hashable, Sendable {
    /// The node's name, which stays the same from start to start.
    package var name: String
    /// The name for people; may be empty.
    package var description: String
    /// The number of this object: a later one has a greater number.
    package var serial: UInt64
    /// The number of ALSA's card; nil if it belongs to none.
    package var card: Int?
    /// The number of channels; 0 if it is not known.
    package var channels: Int
    /// Whether the desktop's settings choose it.
    package var isDefault: Bool

    package init(
        name: String, description: String, serial: UInt64, card: Int? = nil, channels: Int = 0, isDefault: Bool = false
    ) {
        self.name = name
        self.description = description
        self.serial = serial
        self.card = card
        self.channels = channels
        self.isDefault = isDefault
    }
}

/// A PipeWire that may run.
package protocol PipeWireServer: Sendable {
    /// Its sources now, in any order.
    /// - Throws: `noPipeWire`, `pipeWireNotRunning`.
    func sources() throws(SoundError) -> [PipeWireSource]
    /// Asks for the sound of a node, or of the default if that is empty.
    /// - Throws: `noPipeWire`, `pipeWireNotRunning`.
    func open(_ microphone: Microphone, channels: Int) throws(SoundError) -> any SoundSource
}

/// The PipeWire of this user. The first look at it connects; later ones cost next to nothing.
final class UsersPipeWire: PipeWireServer {
    private let library: String
    private let state = Guarded(State())

    private struct State: Sendable {
        var connection: PipeWireConnection?
        var failure: SoundError?
        /// When connecting is tried again.
        var again = Timestamp.zero
    }

    /// How long a failure counts.
    private static let pause = Duration.seconds(2)

    init(library: String) { self.library = library }

    func sources() throws(SoundError) -> [PipeWireSource] { try connection().sources() }

    func open(_ microphone: Microphone, channels: Int) throws(SoundError) -> any SoundSource {
        try PipeWireMicrophone(microphone, channels: channels, library: library)
    }

    private func connection() throws(SoundError) -> PipeWireConnection {
        let library = library
        let outcome: Result<PipeWireConnection, SoundError> = state.withLock { state in
            if let connection = state.connection, connection.isLive { return .success(connection) }
            state.connection = nil
            // Before the library is asked again, which takes some milliseconds: whether there is a socket at all.
            if let failure = state.failure, Timestamp.now < state.again || !Self.mayRun { return .failure(failure) }
            do throws(SoundError) {
                let connection = try PipeWireConnection(library)
                state.connection = connection
                state.failure = nil
                return .success(connection)
            } catch {
                state.failure = error
                state.again = .now + Self.pause
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Whether there is a socket where PipeWire has it, or it may be elsewhere.
    private static var mayRun: Bool {
        if getenv("PIPEWIRE_REMOTE") != nil { return true }
        let folders = ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR", "USERPROFILE"].compactMap { (name: String) in
            getenv(name).map { String(cString: $0) }
        }
        return (folders + ["/run/pipewire"]).contains { access("\($0)/pipewire-0", F_OK) == 0 }
    }
}

/// A connection that follows PipeWire's sources. `@unchecked Sendable`: it never changes, and the functions in C lock.
private final class PipeWireConnection: @unchecked Sendable {
    private let sourcesInC: OpaquePointer

    init(_ library: String) throws(SoundError) {
        var sources: OpaquePointer?
        var why = [CChar](repeating: 0, count: 256)
        let result = lc_pipewire_sources_open(library, &sources, &why, why.count)
        guard result == LC_PIPEWIRE_OK, let sources else { throw .of(result, why) }
        sourcesInC = sources
    }

    deinit { lc_pipewire_sources_close(sourcesInC) }

    var isLive: Bool { lc_pipewire_sources_live(sourcesInC) }

    func sources() -> [PipeWireSource] {
        var list: [PipeWireSource] = []
        withUnsafeMutablePointer(to: &list) { list in
            lc_pipewire_sources_each(
                sourcesInC,
                { list, source in
                    guard let list, let source = source?.pointee else { return }
                    list.assumingMemoryBound(to: [PipeWireSource].self).pointee.append(
                        PipeWireSource(
                            name: String(cString: source.name), description: String(cString: source.description),
                            serial: source.serial, card: source.card >= 0 ? Int(source.card) : nil,
                            channels: Int(source.channels), isDefault: source.is_default))
                }, list)
        }
        return list
    }
}

extension SoundError {
    /// The error for a failed call of ours in C, with the reason that it gave.
    static func of(_ result: lc_pipewire_result, _ why: [CChar]) -> SoundError {
        let detail = String(decoding: why.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return result == LC_PIPEWIRE_NO_LIBRARY ? .noPipeWire(detail: detail) : .pipeWireNotRunning(detail: detail)
    }
}
