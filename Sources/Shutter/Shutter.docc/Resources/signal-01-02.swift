// SPDX-License-Identifier: MIT
// Takes a photo whenever it is sent SIGUSR1.

import Shutter

SignalShutter.installHandlers()

let shutter = try SignalShutter()
print("ready")
var count = 0
for await case .pressed(let time) in shutter.events {
    count += 1
    print("press \(count) at \(time.nanoseconds) ns")
    if count == 3 { break }
}
shutter.close()
