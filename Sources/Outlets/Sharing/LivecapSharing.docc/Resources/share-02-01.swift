// SPDX-License-Identifier: MIT
// Shares a scene's frames with other programs for a minute.

import LiveCapture
import LivecapSharing

var options = SessionOptions()
options.isShared = true
let scene = try SyntheticSettings("handheld:prerender=8")
let session = try await CaptureSession(source: .synthetic(scene), options: options)
try await session.start()

let server = try SharingServer()
server.offer(session.ring, session.source)
print("sharing at \(server.path)")
var readers = 0
for _ in 0..<600 {
    try await Task.sleep(for: .milliseconds(100))
    guard server.readerCount != readers else { continue }
    readers = server.readerCount
    print("\(readers) readers")
}
