// SPDX-License-Identifier: MIT
// What is measured of stills on their way to the disk.

/// The benchmarks of encoding and of photos that are left for later, in order.
func stillsBenchmarks() -> [any Benchmark] {
    [FusedToJPEG(), DeferredRate(pixelFormat: .mjpeg), DeferredRate(pixelFormat: .yuyv)]
}
