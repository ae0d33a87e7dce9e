// SPDX-License-Identifier: MIT
// The benchmarks of stills on their way to the disk.

/// The benchmarks of encoding and of deferred photos, in order.
func stillsBenchmarks() -> [any Benchmark] {
    [FusedToJPEG(), DeferredRate(pixelFormat: .mjpeg), DeferredRate(pixelFormat: .yuyv)]
}
