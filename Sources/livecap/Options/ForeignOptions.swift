// SPDX-License-Identifier: MIT
// Options of v4l2-ctl, ffmpeg, fswebcam and rpicam-still that people may type, and their counterparts here.

import LivecapCommandTable

enum ForeignOptions {
    static let all = [
        ForeignOption(
            ["--width", "--height", "-W", "-H"], instead: "--size WIDTHxHEIGHT sets both, as in --size 1280x720",
            options: [SourceOptions.size]),
        ForeignOption(
            ["-r"], instead: "--fps RATE sets the frame rate, as in --fps 30, and --size WIDTHxHEIGHT the resolution",
            options: [SourceOptions.rate, SourceOptions.size]),
        ForeignOption(
            ["-q", "--jpeg", "--jpeg-quality"],
            instead: "--encode-quality N sets the JPEG quality, --quality HOW the method; --quiet prints less",
            options: [ShootOptions.encodeQuality]),
        ForeignOption(["-q"], instead: "--quiet prints less", options: [ConsoleOptions.quiet]),
        ForeignOption(
            ["-t", "--timeout", "--time"], instead: "--at TIME waits for a future moment, as in --at 2s",
            options: [ShootOptions.at]),
        ForeignOption(
            ["-t", "--timeout", "--time", "--length", "--seconds"],
            instead: "--duration TIME ends after that time, as in --duration 10s",
            options: [RunOptions.duration]),
        ForeignOption(
            ["--port", "--host", "--bind", "--address", "-p"],
            instead: "--listen ADDRESS:PORT says where browsers connect, as in --listen 8080 or --listen 0.0.0.0:8080",
            options: [ServeOptions.listen]),
        ForeignOption(
            ["--camera", "--input", "-i"], instead: "--device NAME chooses the camera, --replay FILE plays a recording",
            options: [SourceOptions.device, SourceOptions.replay]),
        ForeignOption(
            ["--audio", "--mic", "--microphone"], instead: "--sound WHAT chooses the sound, as in --sound auto",
            options: [SoundOptions.sound]),
        ForeignOption(
            ["--force", "--yes", "-f", "-y"], instead: "--overwrite replaces an existing file",
            options: [ShootOptions.overwrite]),
        ForeignOption(
            ["--out", "--file"], instead: "-o FILE names the file", options: [ShootOptions.output]),
        ForeignOption(["--delay"], instead: "--at TIME waits for a future moment", options: [ShootOptions.at]),
        ForeignOption(
            ["--burst"], instead: "--count N --interval TIME takes several, as in --count 10 --interval 100ms",
            options: [ShootOptions.count, ShootOptions.interval]),
        ForeignOption(
            ["--burst"],
            instead: "while a key or a program's press is held, pictures are taken --burst-interval TIME apart",
            options: [RunOptions.burst]),
        ForeignOption(
            ["--timelapse", "--interval"],
            instead:
                "'livecap shoot --count N --interval TIME' takes pictures at an interval; here --trigger 'every 5s' does",
            options: [RunOptions.count]),
        ForeignOption(
            ["--motion", "--motion-detect", "--detect"],
            instead: "--trigger motion acts when something moves, for a movie together with --on-tap",
            options: [TriggerOptions.trigger]),
        ForeignOption(
            ["--zsl", "--zero-shutter-lag"],
            instead: "this is always on: --at -250ms shows a moment just past; --no-past turns it off",
            options: [EngineOptions.noPast]),
        ForeignOption(
            ["--verbose", "-v"], instead: "--json prints everything known", options: [ShootOptions.json]),
        ForeignOption(
            ["--exposure", "--gain", "--brightness", "--awb", "--focus", "--set-ctrl", "-c"],
            instead: "--set NAME=VALUE sets a control, as in --set exposure=10ms; 'livecap controls' lists them",
            options: [SourceOptions.set]),
    ]
}
