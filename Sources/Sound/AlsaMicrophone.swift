// SPDX-License-Identifier: MIT
// Captures sound with ALSA.

import Glibc
import LivecapCSound
import LivecapFrames

/// Functions of libasound. Nothing links it: few commands need sound.
private final class AlsaLibrary {
    let functions: OpaquePointer

    init(_ name: String) throws(SoundError) {
        var why = [CChar](repeating: 0, count: 256)
        guard let loaded = lc_alsa_load(name, &why, why.count) else {
            throw .noLibrary(
                detail: String(decoding: why.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        functions = loaded
    }

    deinit { lc_alsa_free(functions) }
}

/// A device of ALSA's. Used by one thread.
///
/// Each block of samples has the driver's own account of its count and time (`snd_pcm_htimestamp`), on CLOCK_MONOTONIC.
/// Where a plugin gives none, the time at which the thread woke stands for it.
final class AlsaMicrophone: SoundSource {
    let format: SoundFormat
    private let name: String
    private let library: AlsaLibrary
    private let pcm: OpaquePointer
    /// Samples read since the stretch began.
    private var count: Int64 = 0
    private var lastTime = Timestamp.zero
    private var isSuspended = false

    /// What is asked for: the rate of the track if the device has it, and a second of buffer, so that a busy machine
    /// loses nothing.
    private static let asked = lc_pcm_setup(rate: 48_000, channels: 2, period: 10_000, buffer: 1_000_000, samples: 0)

    /// - Throws: `noLibrary`, `busy`, `noPermission`, `disconnected`, `failed`.
    init(_ microphone: Microphone, library: String) throws(SoundError) {
        name = microphone.name
        self.library = try AlsaLibrary(library)
        var setup = Self.asked
        var pcm: OpaquePointer?
        var call: UnsafePointer<CChar>?
        let result = lc_pcm_open(self.library.functions, microphone.alsaDevice, &setup, &pcm, &call)
        guard result >= 0, let pcm else {
            throw .of(name, call: call.map { String(cString: $0) } ?? "snd_pcm_open", errno: -result)
        }
        self.pcm = pcm
        format = SoundFormat(rate: Int(setup.rate), channels: Int(setup.channels))
    }

    deinit { lc_pcm_close(pcm) }

    func start() throws(SoundError) {
        let result = lc_pcm_start(pcm)
        guard result >= 0 else { throw .of(name, call: "snd_pcm_start", errno: -result) }
        count = 0
        isSuspended = false
    }

    func read(into samples: UnsafeMutableBufferPointer<Float>, until deadline: Timestamp) -> SoundEvent {
        if isSuspended, let event = resume() { return event }
        let wait = max(0, min(1000, (deadline - .now).nanoseconds / 1_000_000))
        let ready = lc_pcm_wait(pcm, Int32(wait))
        guard ready > 0 else { return ready == 0 ? .timedOut : recover(-ready) }
        var (available, nanoseconds): (UInt64, Int64) = (0, 0)
        let result = lc_pcm_available(pcm, &available, &nanoseconds)
        guard result >= 0 else { return recover(-result) }
        guard available > 0 else { return .timedOut }
        let stamp = SoundStamp(count: count + Int64(available), time: time(Timestamp(nanoseconds: nanoseconds)))
        let read = lc_pcm_read(pcm, samples.baseAddress, min(samples.count / format.channels, Int(available)))
        if read == -Int(EAGAIN) { return .timedOut }
        guard read >= 0 else { return recover(Int32(-read)) }
        count += Int64(read)
        return .frames(read, stamp)
    }

    /// The driver's time, if it can be one: never in the future, nor long ago.
    private func time(_ driver: Timestamp) -> Timestamp {
        let now = Timestamp.now
        let time = driver <= now && now - driver < .seconds(1) && driver >= lastTime ? driver : now
        lastTime = time
        return time
    }

    private func recover(_ errno: Int32) -> SoundEvent {
        switch errno {
        case EAGAIN, EINTR: return .timedOut
        case EPIPE: return restart(.overrun)
        case ESTRPIPE:
            isSuspended = true
            return resume() ?? .timedOut
        default: return .gone(.of(name, call: "snd_pcm_readi", errno: errno))
        }
    }

    /// Goes on after a suspension. Nil if it does so without a loss.
    private func resume() -> SoundEvent? {
        let result = lc_pcm_resume(pcm)
        if result == -EAGAIN {
            usleep(20_000)
            return .timedOut
        }
        // Whether or not the driver kept its buffer: time has passed in which nothing was captured.
        return restart(.suspended)
    }

    private func restart(_ why: SoundInterruption) -> SoundEvent {
        do throws(SoundError) { try start() } catch { return .gone(error) }
        return .interrupted(why)
    }
}
