/**
 * Every number that shapes the behaviour of the product, with its reason. `Limits` are those that a person may
 * change in the settings (and that tests and the demo shorten); the plain constants are not adjustable.
 */

/** Adjustable limits. All times are milliseconds, all sizes bytes. */
export interface Limits {
  /** No output for this long makes a command quiet; the guard counts empty readouts only above it. */
  readonly quietAfterMs: number;
  /** The empty readout that carries the advisory to the model. */
  readonly guardAdvisoryReadout: number;
  /** The empty readout at which the guard fires: the advisory's own, and three more. */
  readonly guardFireReadout: number;
  /** Diagnostic packets that a model gets when a handoff is not possible, before its turn is ended. */
  readonly guardDiagnosticPackets: number;
  /** Polls of a background command in a row, without other work, that suspend the session. */
  readonly jobPollsBeforeWait: number;
  /** Foreground time after which the attached call is detached: the chat must not hang on a chatty command. */
  readonly foregroundMs: number;
  /** SIGTERM to SIGKILL: time for a program to clean up. */
  readonly stopGraceMs: number;
  /** Yield of exec_command, of write_stdin with input, and of an empty poll, when the caller names none. */
  readonly execYieldMs: number;
  readonly writeYieldMs: number;
  readonly pollYieldMs: number;
  /** A yield is clamped to this range. */
  readonly minYieldMs: number;
  readonly maxYieldMs: number;
  /** Live commands in all, and of one session. Above it a command is refused, never another one ended. */
  readonly maxLiveCommands: number;
  readonly maxLiveCommandsPerSession: number;
  /** A wait is bounded by its lease; the command is not. */
  readonly waitLeaseMs: number;
  /** Ends within this time of each other wake a session once. */
  readonly wakeMergeMs: number;
  /** The backstop looks again after this long, doubling to the maximum, until the wait is over its age. */
  readonly backstopFirstMs: number;
  readonly backstopMaxMs: number;
  readonly backstopAgeMs: number;
  /** Attempts to start a resume, and the time between two of them. */
  readonly resumeAttempts: number;
  readonly resumeRetryMs: number;
  /** Output of one command that is kept: its beginning and its newest part. */
  readonly logQuotaBytes: number;
  /** Folders of all ended commands together: above it the oldest logs are removed. */
  readonly totalLogBytes: number;
  /** How long the folder of an ended command is kept. */
  readonly logExpiryMs: number;
  /** Space that is left to others: below it commands block as on a full disk. */
  readonly freeSpaceFloorBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  quietAfterMs: 90_000,
  guardAdvisoryReadout: 3,
  guardFireReadout: 6,
  guardDiagnosticPackets: 3,
  jobPollsBeforeWait: 3,
  foregroundMs: 120_000,
  stopGraceMs: 2_000,
  execYieldMs: 10_000,
  writeYieldMs: 250,
  pollYieldMs: 5_000,
  minYieldMs: 250,
  maxYieldMs: 30_000,
  maxLiveCommands: 64,
  maxLiveCommandsPerSession: 8,
  waitLeaseMs: 6 * 3_600_000,
  wakeMergeMs: 300,
  backstopFirstMs: 1_000,
  backstopMaxMs: 30_000,
  backstopAgeMs: 6 * 3_600_000 + 600_000,
  resumeAttempts: 5,
  resumeRetryMs: 200,
  logQuotaBytes: 256 * 1024 * 1024,
  totalLogBytes: 2 * 1024 * 1024 * 1024,
  logExpiryMs: 14 * 86_400_000,
  freeSpaceFloorBytes: 512 * 1024 * 1024,
};

/** Largest delay that a Node timer holds; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A readout ends this long after the last new output, so that a burst comes in one piece. */
export const READOUT_SETTLE_MS = 50;
/** The unread output that a readout can still give; older bytes are dropped and counted. */
export const UNREAD_WINDOW_BYTES = 256 * 1024;

/** Below this the newest part that is kept would be smaller than the unread window. */
export const MIN_LOG_QUOTA_BYTES = 1024 * 1024;
/** The free space is asked for at most this often, and sooner than the second time when so much was written. */
export const SPACE_LOOK_MIN_MS = 500;
export const SPACE_LOOK_MS = 5_000;
export const SPACE_LOOK_BYTES = 64 * 1024 * 1024;
/** Whether the log files of what lives are still there is looked at this often. */
export const LOG_LOOK_MS = 2_000;
/** Whether commands that another host has, and that nobody can talk to, have ended is looked at this often. */
export const ELSEWHERE_LOOK_MS = 2_000;
/** Ended commands are looked through for old age this often. */
export const EXPIRY_LOOK_MS = 3_600_000;

/** Size of a command text, and of one input to a command. */
export const MAX_COMMAND_BYTES = 65_536;
export const MAX_CHARS_BYTES = 65_536;
/** A model's token is counted as four bytes of UTF-8. */
export const BYTES_PER_TOKEN = 4;
export const DEFAULT_OUTPUT_TOKENS = 2_000;
export const MAX_OUTPUT_TOKENS = 8_192;
/** A day: what is meant to run longer has no deadline. */
export const MAX_DEADLINE_MS = 86_400_000;

/** Preview of a complete output, in code points: head, a marker of 47 with its newlines, tail. */
export const PREVIEW_CODE_POINTS = 12_000;
export const PREVIEW_HEAD_CODE_POINTS = 6_000;
export const PREVIEW_TAIL_CODE_POINTS = 5_953;

/** The tail of a command's output that a completion carries. */
export const COMPLETION_TAIL_LINES = 50;
export const COMPLETION_TAIL_BYTES = 4_096;
/** Handles that the quiet guard follows in one session. */
export const GUARD_TRACKED_HANDLES = 64;

/** How often a wait for a port looks whether it is open. */
export const PORT_LOOK_MS = 250;
/** A pattern that takes longer than this on one piece of output is refused: main must not stand still. */
export const MATCH_LIMIT_MS = 15;
export const MAX_PATTERN_CHARACTERS = 1_000;

/** What a person says to a refusal. */
export const MAX_REASON_CHARACTERS = 1_000;

/** One message that a person writes. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

/** Bytes not yet parsed by a viewer: above HIGH it gets no more until it is below LOW. Measured: 100 K / 5 K gave 12 MiB/s, these 69. */
export const VIEWER_HIGH_BYTES = 512 * 1024;
export const VIEWER_LOW_BYTES = 128 * 1024;
export const ACK_EVERY_BYTES = 64 * 1024;
/** Output leaves the host in batches of this size or age, the first bytes after a quiet time at once. */
export const BATCH_BYTES = 64 * 1024;
export const BATCH_MS = 5;
/** Progress of a command is told at most this often (and its last lines less often: they cost a decode). */
export const PROGRESS_EVERY_MS = 20;
export const TAIL_EVERY_MS = 250;
/** Lines and bytes of the live tail that cards and the job list show. */
export const TAIL_LINES = 5;
export const TAIL_BYTES = 4_096;
/** Input waiting for a program that does not read; beyond it input is refused. */
export const INPUT_QUEUE_BYTES = 4 * 1024 * 1024;
/** After the command was reaped its output is drained up to the end mark, at most this long. */
export const DRAIN_MS = 2_000;
/** The host ends when nothing lives and nobody has been connected for this long. */
export const HOST_IDLE_EXIT_MS = 30_000;
/** A host that is connected is asked for a sign this often, and called silent after so many unanswered ones: 10 s. */
export const HEARTBEAT_MS = 2_500;
export const SILENT_AFTER_BEATS = 4;
/** Size of a terminal that nobody has measured yet. */
export const DEFAULT_COLS = 120;
export const DEFAULT_ROWS = 34;
export const MAX_COLS = 1_000;
export const MAX_ROWS = 1_000;
/** Living commands are looked at this often for what they want; the first time after so long without output. */
export const ATTENTION_ROUND_MS = 500;
export const ATTENTION_IDLE_MS = 1_000;
/** Who only polls the terminal may be a server that opens its port yet; a prompt is to be noticed within 3 s. */
export const ATTENTION_POLLING_MS = 2_000;
/** The time between two looks at one that stays as it is grows from the first to the second. */
export const ATTENTION_LOOK_MS = 1_000;
export const ATTENTION_LOOK_MAX_MS = 3_000;
/** The same for its ports. */
export const PORTS_LOOK_MS = 2_000;
export const PORTS_LOOK_MAX_MS = 10_000;
/** What commands use is sampled this often while somebody watches. */
export const RESOURCES_EVERY_MS = 2_000;
/** New versions are looked for this long after the start, which has better things to do, and then this often. */
export const UPDATE_FIRST_CHECK_MS = 60_000;
export const UPDATE_CHECK_EVERY_MS = 4 * 3_600_000;
/** The login shell is given this long to tell its environment: commands wait for it. */
export const LOGIN_ENVIRONMENT_MS = 5_000;
