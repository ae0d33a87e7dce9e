// SPDX-License-Identifier: MIT
// Microphones in words and as JSON.

import LivecapIntents
import LivecapSound

/// The list of microphones.
enum MicrophoneReport {
    /// Lists them. If there are none, that is no failure: programs get no object, and people get a note.
    static func list(_ console: inout Console) throws(Failure) -> Int32 {
        let microphones = Microphones().all()
        for microphone in microphones {
            if console.writesJSON {
                try console.print(microphone.object)
            } else {
                try console.print("\(microphone)")
            }
        }
        if microphones.isEmpty {
            Console.note("livecap: \(SoundError.noMicrophone.message)")
            Console.note("  hint: connect one")
        }
        return 0
    }
}

extension Microphone {
    fileprivate var object: JSON {
        .object([
            ("id", .string(id)), ("name", .string(name)), ("system", .string(system.rawValue)),
            ("card", .string(card)), ("device", JSON(device)), ("place", place.map { .string($0) } ?? .null),
        ])
    }
}
