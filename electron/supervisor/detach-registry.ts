import type { CommandId } from '../../shared/model/ids.ts';

export type DetachBy = 'user' | 'agent' | 'foreground_limit';

export interface DetachRequest {
  /** The background task that the call becomes: the command's handle. */
  readonly jobId: CommandId;
  readonly reason: string;
  readonly by: DetachBy;
}

export interface DetachedCall {
  /** What the call returned, without the marker. */
  readonly outputSoFar: string;
  /** The log, when what was returned had been cut. */
  readonly fullOutputPath?: string;
}

/** A tool call that waits on a command. */
export interface AttachedCall {
  readonly pid: number | null;
  /** Makes the call return; undefined when it had already been ended by something else. Decides synchronously. */
  detach(request: DetachRequest): Promise<DetachedCall> | undefined;
}

/**
 * The tool calls that are attached to a command just now, by tool-call id. Detach and exit race in one synchronous
 * step inside the attached call, so exactly one of them wins.
 */
export class DetachRegistry {
  readonly #calls = new Map<string, AttachedCall>();

  /** Returns a disposer that removes only this registration: an old one never removes a newer of the same id. */
  register(toolCallId: string, call: AttachedCall): () => void {
    this.#calls.set(toolCallId, call);
    return () => {
      if (this.#calls.get(toolCallId) === call) this.#calls.delete(toolCallId);
    };
  }

  isRunning(toolCallId: string): boolean {
    return this.#calls.has(toolCallId);
  }

  running(): string[] {
    return [...this.#calls.keys()];
  }

  /** Process id of the command that the call waits on; undefined when no such call runs, null when it is not known. */
  pid(toolCallId: string): number | null | undefined {
    return this.#calls.get(toolCallId)?.pid;
  }

  /** Undefined when no such call runs, it finished first, or it was detached before. */
  detach(toolCallId: string, request: DetachRequest): Promise<DetachedCall> | undefined {
    return this.#calls.get(toolCallId)?.detach(request);
  }
}

/** The line at the end of the output of a detached call. */
export const detachMarker = (request: Pick<DetachRequest, 'jobId' | 'reason'>): string =>
  `\n\n[Detached to background task ${request.jobId}: ${request.reason}]`;
