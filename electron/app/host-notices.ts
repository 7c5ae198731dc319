import type { AppEvent } from '../../shared/model/event.ts';
import type { HostLinkListener } from '../host-client/host-link.ts';

/** Tells the window what becomes of the hosts, and what that means for what runs. */
export function hostNotices(publish: (event: AppEvent) => void): Omit<HostLinkListener, 'log'> {
  const tell = (isConnected: boolean, message: string) => () =>
    publish({ type: 'host.changed', isConnected, message });
  return {
    onLost: tell(
      false,
      'The process that runs the terminals went away. Its commands are ended; another one is being started.',
    ),
    onBack: tell(true, 'Terminals can be started again.'),
    onOtherLost: tell(
      true,
      'The process of another version that still ran terminals went away. Its commands are ended.',
    ),
    onSilent: tell(false, 'The process that runs the terminals does not answer; commands run on.'),
    onAnswers: tell(true, 'The process that runs the terminals answers again.'),
  };
}
