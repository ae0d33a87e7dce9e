// SPDX-License-Identifier: MIT
// The program's command table, and the way from a command line to the command's code.

import LivecapCSystem
import LivecapCommandTable
import LivecapThreads

/// A command with its code.
struct Verb: Sendable {
    let command: Command
    /// Runs the command. Returns the exit status.
    let run: @Sendable (Arguments, inout Console) throws(Failure) -> Int32
    /// The verbs of its actions, if it has any.
    let actions: [Verb]

    init(command: Command, run: @escaping @Sendable (Arguments, inout Console) throws(Failure) -> Int32) {
        self.command = command
        self.run = run
        actions = []
    }

    /// A command that is followed by one of its actions, or else means the `usual` one, if there is one.
    init(
        _ name: String, summary: String, discussion: String, actions: [Verb], usual: String? = nil, examples: [Example]
    ) {
        command = Command(
            name, summary: summary, discussion: discussion, actions: actions.map(\.command), usual: usual,
            examples: examples)
        self.actions = actions
        run = { (_, _) throws(Failure) in preconditionFailure("the parser insists on an action") }
    }

    /// The verb of this command, or of one of its actions.
    func verb(of command: Command) -> Verb? {
        self.command.name == command.name ? self : actions.first { $0.command.name == command.name }
    }
}

/// The livecap program.
enum Livecap {
    /// All commands, in the order of the help.
    static let verbs: [Verb] = {
        let working = [
            DevicesCommand.verb, ControlsCommand.verb, RecordCommand.verb, ExportCommand.verb, InfoCommand.verb,
            ShootCommand.verb, RunCommand.verb, ViewCommand.verb, MovieCommand.verb, ShareCommand.verb,
            LiveCommand.verb, ServeCommand.verb, EffectsCommand.verb, SyncCommand.verb, LibraryCommand.verb,
            DevelopCommand.verb, BenchCommand.verb,
        ]
        return working + HelpCommands.verbs(for: working.map(\.command))
    }()

    /// The table from which everything about the command line is generated.
    static let program = Program(
        "livecap", version: BuildInformation.version, summary: "zero-shutter-lag camera software for Linux webcams",
        discussion: """
            livecap keeps the last moments of a camera in memory, so that a picture shows the very moment it was \
            requested. It works with every camera that Linux supports (V4L2), with recordings, and with synthetic scenes.

            Every command accepts --json: results are then JSON objects on standard output, one per line; messages for \
            people always go to standard error.
            """,
        commands: verbs.map(\.command),
        shortcuts: [
            .init(
                Flag(
                    "list-devices", aliases: ["list-formats", "list-ctrls", "list-controls"],
                    help: "The same as 'livecap devices'"), for: "devices"),
            .init(Flag("version", short: "V", help: "Print the version"), for: "version"),
        ],
        foreign: ForeignOptions.all, sections: [exitStatuses, signals, settings, environment])

    private static let exitStatuses = Program.Section(
        "Exit status", about: "As in sysexits.h:",
        [
            ("0", "Success; also for a recording or movie ended by Ctrl-C, which is then complete"),
            ("64", "Invalid command line"),
            ("65", "A file or a library is not what it should be"),
            ("66", "No such file, library or photo"),
            (
                "69",
                "No camera, input device or socket, or one that is in use, was disconnected, or cannot do what was requested; "
                    + "no encoder for HEIC pictures or for a movie"
            ),
            ("70", "No picture can be made of readable frames; a benchmark found something broken"),
            ("71", "The system ran out of memory, threads or descriptors"),
            ("73", "The output cannot be created, or already exists"),
            ("74", "Reading, writing or a driver call failed, or a file was removed while it was being written"),
            ("75", "A library is in use by another process, or there is no room for now; try again"),
            ("77", "Permission denied"),
            ("129, 143", "Ended by SIGHUP or SIGTERM; a recording or movie is complete"),
            ("130", "Ended by Ctrl-C before anything was taken, or at once by a second Ctrl-C"),
        ])

    private static let signals = Program.Section(
        "Signals",
        about: "How 'shoot', 'run', 'view', 'record', 'movie', 'live', 'share' and 'serve' respond to signals:",
        [
            (
                "SIGINT, SIGTERM, SIGHUP",
                "Ctrl-C, kill, or a closed terminal: finish what was started, and end; a second Ctrl-C or kill ends at once"
            ),
            ("SIGQUIT", "End at once, with a core dump if enabled"),
            (
                "SIGUSR1, SIGRTMIN",
                "A tap for 'run', 'view' and 'movie --on-tap', once they say that they are ready; earlier ones are refused with a "
                    + "note. Other commands ignore them"
            ),
            (
                "ignored signals",
                "A signal that is ignored at the start stays ignored, as POSIX demands: SIGINT and SIGQUIT in a script's "
                    + "'livecap run &', SIGHUP under nohup. SIGTERM then ends livecap"
            ),
        ])

    private static let settings = Program.Section(
        "Files",
        [
            (
                "~/.config/livecap/config",
                "Default options, without their dashes: lines such as 'quality = quality', 'device = 0' or 'quiet = yes'. Lines after "
                    + "'[shoot]' apply to that command only; options whose meaning differs between commands, such as format, "
                    + "frames and count, must stand there. The command line takes precedence. Values may be in quotes; # at the "
                    + "beginning of a line, or after a space, begins a comment. If XDG_CONFIG_HOME is set, it replaces ~/.config"
            ),
            (
                "~/.local/state/livecap/cameras",
                "The cameras that 'livecap devices --prefer' named, newest first; --forget removes it"
            ),
            ("~/.local/state/livecap/profiles", "The settings that 'livecap controls --save' keeps for cameras"),
            (
                "~/.local/state/livecap/effects",
                "The effects that 'livecap effects save' keeps for cameras, and those that were drawn last"
            ),
            (
                "~/.local/state/livecap/offsets",
                "How far the times of cameras are apart, as 'livecap sync calibrate' measured it"
            ),
            ("~/.local/state/livecap/mounts", "How cameras are mounted, as 'livecap devices --mount' keeps it"),
        ])

    private static let environment = Program.Section(
        "Environment",
        [
            ("XDG_CONFIG_HOME", "The folder of livecap/config, the configuration file"),
            (
                "XDG_DATA_HOME",
                "The folder of livecap/library, the default library (default: ~/.local/share)"
            ),
            (
                "XDG_STATE_HOME",
                "The folder of livecap/cameras, livecap/profiles, livecap/effects, livecap/offsets and livecap/mounts "
                    + "(default: ~/.local/state)"
            ),
            (
                "XDG_RUNTIME_DIR",
                "The folder of livecap's sockets (default: /run/user/UID, or /tmp/livecap-UID where that is missing)"
            ),
            ("LIVECAP_KERNELS", "The default of --kernels"),
            ("NO_COLOR", "If set and not empty, disables colours"),
            ("TERM", "If 'dumb', disables the progress line and colours"),
        ])

    /// Runs a command line. Returns the exit status.
    static func run(_ words: [String]) -> Int32 {
        // Determined before parsing, so that a parsing error is reported in the form asked for.
        let options = words.prefix { $0 != "--" }
        if options.contains(ConsoleOptions.quietWord) { Console.isQuiet.store(true, ordering: .relaxed) }
        var console = Console(writesJSON: options.contains("--json"))
        do throws(Failure) {
            let status = try perform(words, &console)
            try console.flush()
            return status
        } catch {
            console.report(error)
            return error.exitStatus
        }
    }

    private static func parsed(_ words: [String]) throws(UsageError) -> Invocation {
        try program.parse(words) { () throws(UsageError) in
            try ConfigurationFile.read { (text, path) throws(UsageError) in
                try Configuration(text, path: path, home: ConfigurationFile.home, for: program)
            }
        }
    }

    private static func perform(_ words: [String], _ console: inout Console) throws(Failure) -> Int32 {
        // With a heap for each thread, what pictures leave behind adds up. The capture thread, which must not wait for
        // a heap, allocates nothing.
        lc_share_heaps(2)
        // Reading a command line allocates, too, and where allocations fail, Swift can only abort.
        do throws(SystemShortage) { try AddressSpace.requireRoom() } catch { throw .camera(.shortage(error)) }
        let invocation: Invocation
        do throws(UsageError) { invocation = try parsed(words) } catch { throw .usage(error) }
        switch invocation {
        case .help(nil): try console.print(trimmed: program.help)
        case .help(let command?): try console.print(trimmed: program.help(for: command, isWhole: false))
        case .wholeHelp(let command): try console.print(trimmed: program.help(for: command))
        case .run(let command, let arguments):
            guard let verb = verbs.lazy.compactMap({ $0.verb(of: command) }).first else { break }
            // Both may be set in the configuration file, too.
            if arguments.isSet(ShootOptions.json.declaration.name) { console.writesJSON = true }
            if arguments.isSet(ConsoleOptions.quiet.declaration.name) {
                Console.isQuiet.store(true, ordering: .relaxed)
            }
            return try verb.run(EffectOptions.lookingUpKept(arguments), &console)
        }
        return 0
    }
}
