// SPDX-License-Identifier: MIT
// What to do about the libraries' errors, in terms of the command line.

import Camera
import Glibc
import LiveCapture
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapHTTP
import LivecapMovies
import LivecapPhotoStorage
import LivecapSound
import LivecapThreads
import LivecapVirtualCamera
import LivecapWindow
import Shutter

/// The libraries do not know the command line: their hints name no options. Each switch names every case, so that a new
/// one needs a decision here.
enum Hints {
    static func hint(_ error: HTTPError) -> String {
        switch error {
        case .cannotListen(_, EADDRNOTAVAIL):
            "this machine has no such address: 'ip address' lists its own, and --listen 0.0.0.0:8080 listens at all of them"
        case .cannotListen(_, EACCES): "ports below 1024 need permission: choose another with --listen"
        case .cannotListen: "choose another port with --listen, or end the program that uses this one"
        case .shortage(let shortage): hint(shortage)
        case .noLibrary, .noEncryption, .badIdentity, .cannotServe, .badAddress, .badSocket: error.hint
        }
    }

    static func hint(_ error: CameraError) -> String {
        switch error {
        case .noSuchDevice(let name, let available) where available.isEmpty && name.hasPrefix("livecap"):
            "no other livecap of yours has a camera now; 'livecap run', for one, keeps one ready"
        case .noSuchDevice(_, let available) where available.isEmpty:
            "connect one, or do without: '--synthetic tripod' renders a scene, '--replay FILE' plays a recording"
        case .ambiguousName(_, let cameras): "name one by its id: \(cameras.joined(separator: ", "))"
        case .notACamera: "'livecap devices' lists the cameras"
        case .busy: "end that program, or choose another camera with --device"
        case .heldOtherwise: "leave out --size, --format and --fps, or end that livecap"
        case .hostSilent, .hostEnded: error.hint
        case .noDecoder:
            "install the libraries of FFmpeg 5 to 9 (on Debian and Ubuntu 'sudo apt install ffmpeg'); a camera may also "
                + "have another --format, such as MJPG or YUYV"
        case .notSupported: "'livecap devices' lists the other cameras"
        case .noBandwidth: "choose a smaller --size, a lower --fps, --format MJPG, or another USB port"
        case .stalled: "reconnect it; a lower --fps or another USB port may help"
        case .driver: "'dmesg' may show more; another --format may work"
        case .noMemory: historyMemory
        case .tooLittleMemory(_, _, let needed):
            "allow --memory \(needed.mebibytes)M, or choose a smaller --size"
        case .shortage(let shortage): hint(shortage)
        case .file(let error): hint(error)
        case .disconnected: "reconnect it"
        case .noSuchDevice, .permissionDenied, .unsupported, .noSignal, .streamFailed, .sourceFailed,
            .control, .badSettings:
            error.hint
        }
    }

    /// How a page gets effects.
    static let noEffects = "start livecap with --effects or --effects-in"

    /// What programs without a camera can do.
    static let withoutCamera = "'livecap shoot --synthetic tripod -o a.jpg' does without"

    static func hint(_ error: ShutterError) -> String {
        switch error {
        case .socketInUse: "end that program, or choose another --socket"
        case .busy: "end that program, or name another device with --shutter"
        case .noSuchDevice, .notAButton, .noSuchKey, .permissionDenied, .notASocket, .pathTooLong, .unsafeDirectory,
            .signalsInUse, .noAnswer, .failed:
            error.hint
        case .nobodyListens: "start one with 'livecap run', or name its socket with --socket"
        }
    }

    static func hint(_ error: VirtualCameraError) -> String {
        switch error {
        case .notRunning: "start it: 'systemctl --user start pipewire wireplumber'"
        case .notAnOutput, .failed(_, "open", ENOENT):
            "make a device: 'sudo modprobe v4l2loopback', then 'v4l2-ctl --list-devices' names it"
        case .refused: "end the programs that use it, or choose that --size"
        case .unsuitable: "choose another --format of the camera, such as YUYV or MJPG"
        case .noPipeWire, .gone, .failed: error.hint
        }
    }

    static func hint(_ error: WindowError) -> String {
        switch error {
        case .noScreen: "\(error.hint); elsewhere, 'livecap serve' shows the camera in a browser"
        case .noLibrary: error.hint
        case .shortage(let shortage): hint(shortage)
        }
    }

    static func hint(_ error: MovieError) -> String {
        switch error {
        case .notJPEG: "choose --codec h264, vp9 or av1, or the camera's --format MJPG"
        case .unsuitable("H264"):
            "name the movie .mkv or .mp4, without another --codec, or choose --format MJPG or YUYV"
        case .unsuitable: "choose another --format of the camera, such as YUYV or MJPG"
        case .tooSmall: "choose a --size of at least 16x16"
        case .tooSlow: "choose a smaller --size, a lower --fps, --codec h264, or --format MJPG with an .mkv file"
        case .noEncoder: "choose another --codec, or install FFmpeg's libraries with that encoder"
        case .noSoundEncoder: "choose another kind of file, or --sound none"
        case .failed: "choose another --codec, or another kind of file"
        case .file(let error): hint(error)
        case .momentsGone:
            "--ring keeps more history; a longer --interval, or a lower --quality, leaves time for movies"
        case .unknownName, .unplayable, .noLibrary, .unknownRelease, .notAMovie, .markTooLong, .tooManyMarks,
            .contradiction, .temporaryGone:
            error.hint
        }
    }

    static func hint(_ error: SoundError) -> String {
        switch error {
        case .noMicrophone: "connect one, or choose --sound none"
        case .noLibrary, .noPipeWire: "\(error.hint); or choose --sound auto, or none"
        case .pipeWireNotRunning:
            "start it: 'systemctl --user start pipewire wireplumber'; or choose --sound auto, or none"
        case .notConnected:
            "its session manager must run: 'systemctl --user start wireplumber'; or choose --sound auto, or none"
        case .pipeWireEnded: "start it again: 'systemctl --user start pipewire wireplumber'"
        case .noSuchMicrophone(let name, _) where SoundError.plugin(name) != nil:
            "\(error.hint), or choose --sound auto"
        case .noSuchMicrophone(_, let available) where available.isEmpty:
            "no microphone is connected; --sound none does without"
        case .busy: "end that program, or share the microphone with it: --sound pipewire"
        case .failed: "choose another one, which 'livecap devices' lists, or --sound none"
        case .otherClock: "leave out --sound, or --pace fast; a recording keeps none"
        case .shortage(let shortage): hint(shortage)
        case .noSuchMicrophone, .ambiguousName, .noPermission, .disconnected: error.hint
        }
    }

    static func hint(_ error: FrameFileError) -> String {
        switch error {
        case .notAFile: "name a recording; a camera is named with --device"
        case .undecodable: "'livecap info FILE' shows what is wrong"
        case .wrongSize(_, _, let fits):
            fits.isEmpty ? "check --size and --input-format" : "these would fit: \(options(fits))"
        case .unknownFormat: "for headerless raw frames, add --input-format FORMAT --size WxH --fps N"
        case .unknownSize(_, let fits):
            fits.isEmpty ? "add --size WxH" : "add --size WxH; these would fit: \(options(fits))"
        case .contradicted(_, _, let refused):
            "leave out \(options(refused)): such options are for files that do not describe themselves"
        case .noMemory: historyMemory
        case .file(let error): hint(error)
        case .noSuchFile, .removed, .badFile, .badSettings: error.hint
        }
    }

    static func hint(_ error: FileError) -> String {
        switch error {
        case .failed(_, _, EEXIST): replacing
        case .shortage(let shortage): hint(shortage)
        case .failed, .badName, .interrupted: error.hint
        }
    }

    static func hint(_ shortage: SystemShortage) -> String {
        switch shortage.resource {
        case .descriptor: shortage.hint
        case .addressSpace: "raise 'ulimit -v', or use fewer --threads"
        case .thread: "end other programs, raise 'ulimit -u' or 'ulimit -v', or use fewer --threads"
        }
    }

    static func hint(_ error: LibraryError) -> String {
        switch error {
        case .noLibrary: "name one with --library DIR, or take photos into one first"
        case .notALibrary: "name an empty folder, or a library made by livecap, with --library DIR"
        case .noSuchPhoto, .noPhotos: "'livecap library list' shows the numbers"
        case .unfinishable: "'livecap library finish' with its number tries again; 'export' copies its proxy"
        case .noKeptFrames(let id):
            "'livecap library export \(id)' copies it as it is; 'shoot' and 'run' with --keep-frames keep the frames of "
                + "later photos"
        case .noMask(let id):
            "'livecap develop \(id) --effects portrait --mask FILE' makes one, if its source frames are kept"
        case .noTrash:
            "'livecap library remove --for-good' removes photos at once; else free some space on the disk first"
        case .missing, .damaged: "restore it from a backup; 'livecap library verify' finds other losses"
        case .remakeable(let id, _): "its frames are kept: 'livecap library finish \(id)' makes it again"
        case .alreadyThere, .fileError(_, _, EEXIST), .notCreatable(_, EEXIST): replacing
        case .lostCatalogue, .readOnly, .newerSchema, .damagedCatalogue, .busy, .catalogueFailed, .fileError,
            .unsafePath, .badPhoto, .beingFinished, .notCreatable:
            error.hint
        }
    }

    /// A hint for a shot of frames from `source`, or from a source of any kind.
    static func hint(_ error: PhotoError, of source: SourceKind? = nil) -> String {
        switch error {
        case .noFrame, .tooOld, .noSuchFrame: farFromFrames(source)
        case .undecodable, .noneDecodes: damaged(source)
        case .overloaded:
            "tap more slowly, or ask for readiness first; --memory and --ring allow more, a lower --quality needs less"
        case .unprocessed: "choose --quality single, --format MJPG or YUYV, or another --size"
        case .noEffects(_, let hint): hint
        case .noEncoder: "install libheif1, or choose --format jpeg or png"
        case .tooLittleMemory: "choose fewer --frames, a lower --quality, or --format jpeg"
        case .notStored(let error): hint(error)
        case .unreadable(let error): hint(error)
        case .notKept(let error): hint(error)
        case .streamEnded(let error?): hint(error)
        case .notRunning, .cameraAway, .cameraBusy, .badSettings, .tooManyScheduled, .tooLarge, .streamEnded(nil),
            .cancelled, .notDecoded:
            error.hint
        }
    }

    /// What to do if a source gave no frame at all.
    static func noFrames(of source: SourceKind) -> String {
        switch source {
        case .camera: "choose another --format, or another USB port"
        case .file, .photo: "'livecap info FILE' may show why"
        case .scene: "'livecap shoot --help all' lists the settings of scenes"
        }
    }

    private static func farFromFrames(_ source: SourceKind?) -> String {
        switch source {
        case .camera:
            "--ring keeps more history; a longer --interval, or a lower --quality, leaves time to make pictures"
        case .file: "'livecap info FILE' lists a file's times; a time without a unit is in seconds"
        case .photo: "only a few frames around the photo's moment are kept; 'livecap library show ID' lists them"
        case .scene:
            "--ring keeps more history; at --pace fast, moments count from the scene's first frame, and frames=N ends it"
        case nil:
            "'livecap info FILE' lists a file's times; for a camera, --ring keeps more history, and a longer --interval, "
                + "or a lower --quality, leaves time to make pictures"
        }
    }

    private static func damaged(_ source: SourceKind?) -> String {
        switch source {
        case .camera: "choose another moment; another --format may work"
        case .photo: "choose another --quality or moment; 'livecap library verify' finds damaged frames"
        case .scene: "choose another moment, or a scene without damage=N"
        case .file, nil: "choose another moment; 'livecap info FILE' counts the damaged frames"
        }
    }

    private static let replacing = "--overwrite replaces it; or choose another name"
    private static let historyMemory = "keep less history with --ring, or choose a smaller --size"

    private static func options(_ sizes: [FrameSize]) -> String {
        sizes.map { "--size \($0)" }.joined(separator: ", ")
    }

    private static func options(_ settings: ImportSettings) -> String {
        let options = [
            settings.format.map { "--input-format \($0)" }, settings.size.map { "--size \($0)" },
            settings.rate.map { "--fps \($0)" },
        ]
        return options.compactMap(\.self).joined(separator: " and ")
    }
}
