// SPDX-License-Identifier: MIT
// Which test tries each row of docs/faults.md, and that none is missing. Needs no device.

import Foundation
import Testing

/// The rows of docs/faults.md by their section, and the tests that try them.
@Suite("the tables of faults", .disabled(if: Lab.isHere, "reads all sources, which takes minutes there"))
struct FaultTableTests {
    /// Row and function. Rows of recordings are named by the tests themselves, as `FaultRow`s.
    private static let controls = [
        "the camera has no such control": "refused",
        "a value out of range, or of another kind": "refused",
        "the control can only be read": "readOnly",
        "an automatic mode locks the control": "refused",
        "no profile of that name is kept for the camera": "refused",
        "a kept setting does not fit the camera any more": "profile",
        "the file of profiles is damaged, too large or no file": "damagedLinesAreLeftOutAndTold",
        "the camera refuses the value": "refused",
        "the camera fails at a control just after it was plugged in (`EIO`, `EPIPE`, no answer)":
            "whatFailsEachTimeIsGivenUp",
        "a control of the vendor's": "vendor",
        "another program sets a control meanwhile": "changedMeanwhile",
        "the camera forgets its controls when it is unplugged": "defaults",
    ]
    private static let finding = [
        "20 cameras": "twenty",
        "a camera is unplugged and plugged in again at once": "aFastReplugIsNotLost",
        "permission to open a new node comes late": "permissionThatComesLateIsWaitedFor",
        "two cameras have the same serial number, or none": "twins",
        "a name fits two cameras": "twins",
        "udev is missing or does not run": "withoutUdevItSaysSo",
        "udev's reports are lost, or do not come": "lostReportsAreMadeUpForByLooking",
        "the file of preferred cameras is damaged, too large or no file": "aFileThatIsNoneIsReported",
        "a camera's privacy switch is closed": "privacy",
        "the preferred camera is missing or cannot be opened": "aCameraInTroubleIsNeverPreferred",
        "the reader of `devices --watch` leaves": "aReaderThatLeavesEndsIt",
        "the file of mounts is damaged, too large or no file": "whatCanBeReadOfADamagedFileCounts",
        "iio-sensor-proxy, D-Bus or libsystemd is missing, or goes away": "withoutABusTheAnglesAreThoseOfTheMount",
        "Ctrl-C during `devices --watch`": "camerasAreFollowedAsTheyComeAndGo",
    ]
    private static let several = [
        "one of several cameras is unplugged": "aCameraThatFailsLeavesTheOthersTheirPhotos",
        "one of them does not start": "ifOneDoesNotStartNoneRuns",
        "the frames are on different clocks, such as a camera's and a recording's": "clocksMustBeTheSame",
        "the file of measured offsets is damaged, too large or no file": "damagedLinesAreIgnoredAndReported",
        "clocks apart: the cameras' times differ by more than half a second": "anOffsetBeyondTheRangeIsSaid",
        "clocks apart: the offset changes while it is measured": "aClockThatDriftsWidensTheBound",
        "calibration of another camera": "scenesAreKeptBesideCamerasAndAllAreListed",
        "too little changes while an offset is measured": "whereNothingChangesThatIsSaid",
        "what the cameras see repeats itself, such as a blinking light": "periodic",
        "the cameras see different things change": "camerasThatSeeDifferentThingsHaveNoOffset",
        "Ctrl-C while an offset is measured": "controlCKeepsNothingAndSaysSo",
        "standard output is to take the pictures of several cameras": "whatCannotBe",
    ]
    private static let sharing = [
        "`view` or `run --view`, and SDL 2 is missing": "withoutSDLThatIsSaid",
        "`view` or `run --view`, and there is no screen": "withoutAScreenThatIsSaid",
        "a reader dies, stands still or is killed": "aReaderThatIsKilledLeavesNothing",
        "a reader is too slow": "anOverwrittenFrameIsNoticed",
        "a reader tries to write, to resize the memory, or to make a hole in it": "readersCannotWrite",
        "a reader sends something": "whatReadersSendIsRefused",
        "a program of another user connects": "onlyThisUserAndRootAreWelcome",
        "more than 64 readers": "tooManyReadersAreTold",
        "livecap has run out of descriptors": "readersWaitForDescriptors",
        "the socket is in use by another livecap": "aSocketInUseIsNamed",
        "the memory does not suffice": "tooLittleMemoryIsReportedBeforeAnyFrame",
        "the kernel is older than 5.1": "anOldKernelIsReportedBeforeAnyFrame",
        "the camera is unplugged, and plugged in again": "replugged",
        "the camera is gone for good, or the file ends": "theEndOfTheFileEndsIt",
        "livecap is killed": "aReaderNoticesThatLivecapWasKilled",
        "`--pipewire`, and libpipewire is missing": "withoutLibpipewireThatIsSaid",
        "`--pipewire`, and PipeWire does not run": "withoutPipeWireRunningThatIsSaid",
        "PipeWire ends meanwhile": "readersAreServedOnAfterTheEndOfPipeWire",
        "`--loopback` names no device, a camera, or one that keeps another format": "refusedLoopback",
        "the same of `--to`, by `run`, `serve` and `live`": "aPlaceThatIsNoCameraIsNamedBeforeAnyFrame",
        "`run --share`, and the socket is in use by another livecap": "aSharingSocketInUseIsNamedByRunToo",
        "a command uses the frames of a livecap that ends or is killed": "whatIsRecordedStaysWhenItIsKilled",
        "a command uses the frames of a livecap that takes another camera or format":
            "anotherFormatOfTheOtherIsAFailureToo",
        "a command asks such a livecap for another size, format or rate, or to set controls":
            "whatItLacksIsRefusedInWords",
        "a picture of such a livecap's past is asked for, from before its history": "aMomentBeforeItsPastIsRefused",
        "such a livecap hangs, is of another version, or has as many readers as it serves":
            "aThousandIdleClientsCostItNothing",
        "several livecaps have cameras, and `--device livecap` does not say which": "twoOfThemHaveToBeToldApart",
        "a file is named like such a livecap's socket, or its process was killed": "withoutOneTheNameIsExplained",
        "a thousand programs connect to such a livecap and read nothing": "aThousandIdleClientsCostItNothing",
        "livecap has written to a loopback device and ended": "photoThroughALoopback",
        "the camera's format cannot be converted to YUYV": "whatCannotBeMadeIsKnownBeforehand",
        "the memory that a server offers is damaged, or of another version": "damagedMemoryIsRefused",
    ]

    private static let movies = [
        "the codec does not play in that kind of file, or the name is not that of a movie":
            "mistakesAreRefusedBeforeTheCameraIsOpened",
        "frames cannot be decoded, or are smaller than 16x16, and have to be encoded":
            "tinyFramesAreRefusedBeforeThereIsAFile",
        "a movie of a session would need more than twice what all processors have, estimated for a slow machine":
            "whatNoMachineCouldMakeIsRefused",
        "frames of H.264 build on a lost or damaged one": "afterALostFrameItGoesOnWithTheNextOne",
        "FFmpeg's libraries are missing or incomplete": "withoutFFmpegThatIsSaidBeforeAnyFrame",
        "only another release of FFmpeg than 5 to 9 is installed": "anFFmpegThatIsNotKnownIsRefusedByName",
        "FFmpeg's libraries have no encoder for the codec": "eachErrorHasWordsAndAStatus",
        "the file exists": "anExistingFileIsNotReplaced",
        "the disk is full": "aFullDiskEndsItWithWhatWasWritten",
        "`--split`: the disk is full, or livecap is killed": "partsBeforeTheLastAreWhole",
        "`--split`: files of such names exist": "namesAreThoseThatAreFree",
        "a pause within another, without a frame, before the first frame, or at the end":
            "pausesAreCountedOnceAndEndsAreHarmless",
        "more chapters than there is room for": "marksThatHaveNoRoomAreRefused",
        "the file is removed or replaced while it is filmed (also by `record` and `live`)": "removedWhileFilming",
        "`--live`: another program removes the unfinished movie from the folder for temporary files":
            "failuresOfTheOwnFile",
        "`--live`: the machine is so busy that the moments around leave the history before the movie begins":
            "momentsThatAreGone",
        "`--timelapse` with `--sound NAME`": "aTimelapseIsFast",
        "encoding or the disk is too slow": "framesThatLeaveTheHistoryAreCounted",
        "a frame is damaged, or cannot be decoded where it is encoded": "damagedFramesAreLeftOut",
        "times that are equal, or go backwards": "equalTimesBecomeATickApart",
        "a frame of a camera arrives 250 ms later than the others": "whatIsNotLaterThanTheLastPictureIsTooLate",
        "`run --movies`: the disk is full": "aFullDiskEndsTheMovieAndPicturesGoOn",
        "`run --record`: the disk is full": "aFullDiskEndsTheRecordingAndPicturesGoOn",
        "`run --movies`: a movie is asked for while one begins or ends": "requestsAreAnswered",
        "livecap is killed": "whatWasWrittenBeforeAKillCanBePlayed",
        "the power fails": "aPowerCutLeavesWhatWasOnTheDisk",
        "a finished `.mp4` gets its index first: livecap is killed, or the power fails":
            "aKillAtAnyMomentLeavesAMovieThatPlaysOrNone",
        "a finished `.mp4` gets its index first: no room, Ctrl-C, or the file is removed or replaced":
            "aCopyThatIsGivenUpLeavesNothing",
        "Ctrl-C before the first frame, or before the tap": "interruptedBeforeTheTapThereIsNoMovie",
        "no microphone, or no libasound, and none was named": "withoutALSATheMovieIsSilent",
        "libpipewire is missing, and a source of PipeWire's was named": "withoutLibpipewireASourceIsRefused",
        "PipeWire does not run, and a source of it was named": "withoutItRunningASourceIsRefused",
        "PipeWire lists a source and connects nothing: no session manager runs":
            "aSourceThatPipeWireDoesNotConnectIsRefused",
        "a source of PipeWire's goes, and comes back": "aSourceThatGoesIsUsedAgainWhenItIsBack",
        "PipeWire ends while its source is heard": "theMovieGoesOnAfterTheEndOfPipeWire",
        "the microphone that was named is missing, in use, or forbidden; no libasound":
            "aNamedMicrophoneThatCannotBeUsedIsRefused",
        "the microphone is unplugged": "aMicrophoneThatGoesIsFollowedByAnother",
        "samples were not read in time (EPIPE)": "anOverrunIsSilenceOfItsLength",
        "the system was suspended (ESTRPIPE)": "interruptionsAreCountedAndGoOn",
        "a device loses samples and does not say so": "samplesThatADeviceLosesSilentlyAreNoticed",
        "a device delivers nothing for 2 s": "soundThatStallsIsSilenceAndHoldsUpNothing",
        "a device's rate is not the one it claims": "whatACardClaimsDoesNotMatter",
        "sound of a recording, or of a scene at the fast pace, is asked for": "soundOfAnotherClockIsRefused",
        "`--live`: FFmpeg's libraries are missing, or the disk is full": "withoutFFmpegThePictureIsThereAllTheSame",
        "`--live`: the camera is unplugged, or Ctrl-C": "itIsTrimmedWhereTheStreamWasInterrupted",
        "`--live`: livecap is killed": "aKillLeavesTheStillOrBoth",
        "`--live --pair`: the `.mov` exists": "aMovieBesideReplacesNothing",
        "`--live --library`: livecap is killed, or the power fails, while a movie is added":
            "aFileThatTheCatalogueMeansReplacesTheOld",
        "`livecap info` of a file that is no movie": "otherFilesAreNone",
    ]

    private static let video = [
        "a frame is lost before it is decoded, or the driver marks it as damaged": "aLossLastsUntilTheNextKeyFrame",
        "a frame of H.264 is cut short, or has wrong bytes": "aFrameThatIsCutShortIsNoticed",
        "bytes that are no frame": "bytesThatAreNoFrameAreNoticed",
        "the stream is restarted, or the camera comes back": "whatHappensIsReportedInItsPlace",
        "the camera refreshes parts of pictures instead of sending key frames": "aRefreshIsWaitedForAfterALoss",
        "pictures that need no other come without being key frames (H.264)": "picturesThatNeedNoOtherAreABeginning",
        "frames have no picture for want of a key frame, and the driver can ask for one": "noFrameWaitsForTheAnswer",
        "pictures have lines or columns beyond the size granted that only fill up blocks":
            "whatIsBeyondTheSizeAskedForIsCutOff",
        "pictures have another size than granted, or other samples than 4:2:0 with 8 bits":
            "picturesOfAnotherSizeAreRefused",
        "pictures come out of order (B-frames)": "picturesOutOfOrderAreNeverThoseOfOtherFrames",
        "FFmpeg's libraries are missing, or of another release than 5 to 9": "withoutFFmpegThatIsSaidOfVideo",
    ]

    private static let serving = [
        "libmicrohttpd is missing": "withoutAWebServerThatIsSaid",
        "the port is in use, or needs permission": "aPortInUseIsNamed",
        "`--listen` names an address that this machine does not have": "anAddressOfAnotherMachineIsSaidToBe",
        "the certificate and its key do not fit, or are none": "whatDoesNotFitIsRefused",
        "the file of the token holds none": "aFileWithoutATokenIsRefusedAndKept",
        "systemd hands over several sockets, or one of another kind": "anotherKindIsRefused",
        "libqrencode is missing": "withoutALibraryForCodesThereIsTheLinkAlone",
        "a viewer is slow, stands still or is killed": "viewersThatTakeNothingDelayNobody",
        "a client sends half a request, too large a one, or nonsense": "whatIsNoRequestHarmsNobody",
        "a page of another site asks, or a client without the token": "otherSitesGetNothing",
        "too many requests wait for pictures to be converted or developed":
            "thoseBeyondTheLimitAreRefusedAndTheOthersAnsweredInOrder",
        "the microphone is missing or in use when a viewer asks to hear it": "aMicrophoneInUseIsRefusedInWords",
        "the microphone is unplugged while viewers hear it": "aMicrophoneThatIsLostComesBack",
        "a listener to the microphone is slow": "aSlowOneLosesTheOldestWholePackets",
        "FFmpeg's libraries have no Opus, or a browser plays no sound": "aBrowserThatPlaysNoSoundSaysSo",
        "the moment of a shot has left memory": "aFrameThatIsGoneIsSaidToBe",
        "a browser has no WebCodecs, as over plain HTTP from another machine":
            "tapsWithoutWebCodecsAreOfThePaintedFrame",
        "a browser cannot play H.264, stops showing it, or does not say which frame it shows":
            "aStreamThatIsNotPlayedLeavesJPEG",
    ]

    @Test(
        "each row of the sections that are not of recordings has a test, and each test its row"
    )
    func rowsAndTests() throws {
        let functions = try Self.functions
        for (section, tests) in [
            ("Controls", Self.controls), ("Finding cameras", Self.finding),
            ("Several cameras", Self.several), ("Sharing", Self.sharing),
            ("Movies", Self.movies), ("Compressed video", Self.video), ("Serving browsers", Self.serving),
        ] {
            let rows = Set(try Self.rows(of: section))
            #expect(rows == Set(tests.keys), "\(section): \(rows.symmetricDifference(tests.keys).sorted())")
            for (row, function) in tests {
                #expect(functions.contains(function), "\(section), \(row): no test \(function)")
            }
        }
    }

    @Test("each row of Recordings is a FaultRow of a test")
    func recordings() throws {
        let sources = try Self.sources
        for row in try Self.rows(of: "Recordings") where !["fault", "fault of a USB camera"].contains(row) {
            #expect(sources.contains { $0.contains("\"\(row)\"") }, "\(row)")
        }
    }

    @Test("each code in the tables is one of livecap's")
    func codes() throws {
        let table = try String(contentsOfFile: "docs/faults.md", encoding: .utf8).split(separator: "\n")
        let known = try Self.files(under: "Sources").joined()
        for line in table where line.hasPrefix("| ") {
            let status = line.split(separator: "|").last ?? ""
            for match in status.matches(of: /`([a-z-]+)`/) {
                #expect(known.contains("\"\(match.1)\""), "\(match.1): \(line)")
            }
        }
    }

    /// The first words of each row of a section's tables.
    private static func rows(of section: String) throws -> [String] {
        let text = try String(contentsOfFile: "docs/faults.md", encoding: .utf8)
        let part = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("\(section)\n") })
        let rows = part.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }
        return rows.map { $0.dropFirst(2).components(separatedBy: " | ")[0] }.filter { $0 != "event" }
    }

    /// The names of all functions of tests.
    private static var functions: Set<String> {
        get throws { Set(try sources.flatMap { $0.matches(of: /func ([A-Za-z0-9]+)/).map { String($0.1) } }) }
    }

    private static var sources: [String] {
        get throws { try files(under: "Tests").filter { !$0.contains("struct FaultTableTests") } }
    }

    private static func files(under folder: String) throws -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }
    }
}
