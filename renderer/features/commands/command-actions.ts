import type { CommandView } from '../../../shared/model/command.ts';
import { call } from '../../bridge/client.ts';
import { attempt } from '../../stores/notices.ts';
import { useView } from '../../stores/view.ts';
import { isLive } from './state-words.ts';

/** Stops the tree of a command; a second call kills it at once. On an ended one it stops what is left alive. */
export const stopCommand = (commandId: string): void =>
  void attempt(() => call('command.stop', { commandId }));

/** Lets the chat go on while the command runs. */
export const detachCommand = (commandId: string): void =>
  void attempt(() => call('command.detach', { commandId }));

/** Shows the log file in the file manager. */
export const openLog = (commandId: string): void =>
  void attempt(() => call('command.showLog', { commandId }));

/** Opens the session of a command and brings its terminal to the front, where a live one stays. */
export const showCommand = (command: CommandView): void =>
  useView.getState().showTerminal(command.sessionId, command.id, isLive(command) ? 'pin' : 'show');

/** Opens a link in the system's browser. */
export const openLink = (url: string): void => void attempt(() => call('link.open', { url }));
