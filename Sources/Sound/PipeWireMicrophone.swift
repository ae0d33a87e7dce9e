// SPDX-License-Identifier: MIT
// Captures sound through PipeWire.

import LivecapCPipeWire
import LivecapFrames

/// A source of PipeWire's. Used by one thread.
///
/// PipeWire's real-time thread puts each block of samples aside with the time at which the last of them was captured:
/// the beginning of the graph's cycle on CLOCK_MONOTONIC, less what PipeWire says of the delay from the device until
/// then. Cycles that were missed are known by the graph's own count of samples.
final class PipeWireMicrophone: SoundSource {
    let format: SoundFormat
    private let name: String
    private let recording: OpaquePointer
    /// Samples read since the stretch began.
    private var count: Int64 = 0
    private var lastTime = Timestamp.zero

    /// How long PipeWire may take to connect a source: Bluetooth's take longest.
    private static let patience: Int32 = 3000

    /// - Throws: `noPipeWire`, `pipeWireNotRunning`.
    init(_ microphone: Microphone, channels: Int, library: String) throws(SoundError) {
        name = microphone.name
        format = SoundFormat(rate: Int(LC_PIPEWIRE_RATE), channels: channels == 1 ? 1 : 2)
        var recording: OpaquePointer?
        var why = [CChar](repeating: 0, count: 256)
        let result = library.withCString { library in
            microphone.node.withCString { target in
                var settings = lc_pipewire_recording_settings(
                    library: library, target: target, channels: channels == 1 ? 1 : 2)
                return lc_pipewire_recording_open(&settings, &recording, &why, why.count)
            }
        }
        guard result == LC_PIPEWIRE_OK, let recording else { throw .of(result, why) }
        self.recording = recording
    }

    deinit { lc_pipewire_recording_close(recording) }

    func start() throws(SoundError) {
        let state = lc_pipewire_recording_start(recording, Self.patience)
        count = 0
        guard state == LC_PIPEWIRE_STREAMING else { throw failure(state) ?? .notConnected(name) }
    }

    func read(into samples: UnsafeMutableBufferPointer<Float>, until deadline: Timestamp) -> SoundEvent {
        let wait = max(0, min(1000, (deadline - .now).nanoseconds / 1_000_000))
        var taken = lc_pipewire_samples()
        let room = UInt32(samples.count / format.channels)
        guard lc_pipewire_recording_read(recording, samples.baseAddress, room, Int32(wait), &taken) else {
            return failure(lc_pipewire_recording_state(recording)).map { .gone($0) } ?? .timedOut
        }
        if taken.has_gap {
            count = 0
            return .interrupted(.overrun)
        }
        count += Int64(taken.count)
        lastTime = max(lastTime, Timestamp(nanoseconds: taken.time_ns))
        return .frames(Int(taken.count), SoundStamp(count: count + Int64(taken.left), time: lastTime))
    }

    /// Why it is over; nil if it is not.
    private func failure(_ state: lc_pipewire_state) -> SoundError? {
        switch state {
        case LC_PIPEWIRE_REFUSED: .disconnected(name)
        case LC_PIPEWIRE_ENDED: .pipeWireEnded(name)
        default: nil
        }
    }
}
