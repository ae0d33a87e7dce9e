// SPDX-License-Identifier: MIT
// The program's hints about the libraries' errors name the options and commands that help.

import Camera
import Glibc
import LiveCapture
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapHTTP
import LivecapPhotoStorage
import LivecapVirtualCamera
import Testing

@testable import LivecapThreads
@testable import livecap

@Suite struct HintsTests {
    private let small = FrameSize(width: 4, height: 2)

    @Test func withoutACameraTheOtherSourcesAreNamed() {
        let hint = Hints.hint(CameraError.noSuchDevice("auto", available: []))
        #expect(hint.contains("--synthetic") && hint.contains("--replay"))
        #expect(Hints.hint(CameraError.noSuchDevice("x", available: ["/dev/video0"])).contains("/dev/video0"))
    }

    @Test func commandsForCamerasOnlySuggestNoOtherSource() {
        let failure = Failure.noCamera(.noSuchDevice("auto", available: []))
        #expect(failure.hint == "connect one" && failure.message == "no camera found" && failure.exitStatus == 69)
    }

    @Test func aMissingLoopbackDeviceIsMadeByAModule() {
        let hint = Hints.hint(VirtualCameraError.failed("/dev/video77", call: "open", errno: ENOENT))
        #expect(hint.contains("sudo modprobe v4l2loopback"))
        #expect(Hints.hint(VirtualCameraError.notRunning(detail: "d")).contains("systemctl --user start pipewire"))
        #expect(Hints.hint(VirtualCameraError.failed("a", call: "write", errno: EIO)).contains("dmesg"))
    }

    @Test func optionsOfCamerasAreNamed() {
        let path = "/dev/video7"
        #expect(Hints.hint(CameraError.busy(path: path, holder: nil)).contains("--device"))
        #expect(Hints.hint(CameraError.noBandwidth(path: path, format: "MJPG")).contains("--size"))
        #expect(Hints.hint(CameraError.stalled(path: path, after: .seconds(2))).contains("--fps"))
        #expect(Hints.hint(CameraError.driver(path: path, call: "c", errno: EIO)).contains("--format"))
        #expect(Hints.hint(CameraError.noMemory(bytes: 1)).contains("--ring"))
        #expect(
            Hints.hint(CameraError.tooLittleMemory(given: 1, small, needed: 3 << 20 | 1)).contains("--memory 4M"))
        #expect(Hints.hint(CameraError.notACamera(path: path, detail: "d")).contains("'livecap devices'"))
    }

    @Test func addressesThatCannotBeListenedAtAreOptions() {
        let hint = { Hints.hint(HTTPError.cannotListen("192.0.2.7:80", errno: $0)) }
        #expect(hint(EADDRNOTAVAIL).contains("'ip address'") && hint(EADDRNOTAVAIL).contains("--listen 0.0.0.0:8080"))
        #expect(hint(EACCES).contains("below 1024"))
        #expect(hint(EADDRINUSE).contains("another port"))
    }

    @Test func sizesThatFitAreOptions() {
        let fits = [small, FrameSize(width: 2, height: 4)]
        #expect(Hints.hint(FrameFileError.wrongSize("a", byteCount: 8, fits: fits)).hasSuffix("--size 4x2, --size 2x4"))
        #expect(Hints.hint(FrameFileError.unknownSize("a", fits: fits)).hasSuffix("--size 4x2, --size 2x4"))
        #expect(Hints.hint(FrameFileError.unknownSize("a", fits: [])) == "add --size WxH")
        #expect(Hints.hint(FrameFileError.unknownFormat("a")).contains("--input-format"))
    }

    @Test func optionsThatContradictAFileAreNamed() {
        let refused = ImportSettings(format: .nv12, size: small, rate: FrameRate(25))
        let hint = Hints.hint(FrameFileError.contradicted("a", own: "I420 16x16", refused: refused))
        #expect(hint.contains("--input-format NV12 and --size 4x2 and --fps 25"), "\(hint)")
    }

    @Test func aFileThatExistsMayBeReplaced() {
        let exists = FileError.failed("a", call: "open", errno: EEXIST)
        for hint in [
            Hints.hint(exists), Hints.hint(CameraError.file(.file(exists))), Hints.hint(PhotoError.notStored(exists)),
            Hints.hint(LibraryError.alreadyThere("a")), Hints.hint(LibraryError.notCreatable("a", errno: EEXIST)),
            Hints.hint(PhotoError.notKept(.fileError("a", call: "open", errno: EEXIST))),
        ] { #expect(hint.contains("--overwrite"), "\(hint)") }
    }

    @Test func tooManyThreadsAreAnOption() {
        #expect(Hints.hint(SystemShortage(call: "pthread_create", errno: EAGAIN)).contains("--threads"))
        #expect(Hints.hint(SystemShortage(call: "mmap", errno: ENOMEM)).contains("--threads"))
        #expect(!Hints.hint(SystemShortage(call: "eventfd", errno: EMFILE)).contains("--threads"))
    }

    @Test func commandsOfLibrariesAreNamed() {
        let id = PhotoID(number: 7)
        #expect(Hints.hint(LibraryError.noLibrary("/l")).contains("--library"))
        #expect(Hints.hint(LibraryError.noSuchPhoto(id)).contains("'livecap library list'"))
        #expect(Hints.hint(LibraryError.noKeptFrames(id)).contains("'livecap library export 7'"))
        #expect(Hints.hint(LibraryError.noMask(id)).contains("'livecap develop 7 --effects portrait --mask FILE'"))
        #expect(Hints.hint(LibraryError.remakeable(id, .missing("a"))).contains("'livecap library finish 7'"))
        #expect(Hints.hint(LibraryError.missing("a")).contains("'livecap library verify'"))
    }

    @Test(arguments: [SourceKind.camera, .file, .scene, .photo]) func hintsOfPhotosFitTheSource(source: SourceKind) {
        let tooOld = Hints.hint(PhotoError.tooOld(by: .seconds(1)), of: source)
        #expect(tooOld.contains("--ring") == [.camera, .scene].contains(source), "\(tooOld)")
        #expect(tooOld.contains("FILE") == (source == .file), "\(tooOld)")
        #expect(tooOld.contains("scene") == (source == .scene), "\(tooOld)")
        #expect(Hints.hint(PhotoError.undecodable("r"), of: source) != Hints.hint(PhotoError.overloaded, of: source))
    }
}
