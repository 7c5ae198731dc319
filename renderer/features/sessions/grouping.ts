import type { CommandView } from '../../../shared/model/command.ts';
import type { SessionView } from '../../../shared/model/session.ts';

export const GROUPS = ['Today', 'Yesterday', 'Earlier'] as const;

/** Sessions of one day, the last used first. */
export interface SessionGroup {
  readonly name: (typeof GROUPS)[number];
  readonly sessions: readonly SessionView[];
}

function startOfDay(at: number, daysBefore = 0): number {
  const day = new Date(at);
  day.setHours(0, 0, 0, 0);
  // By the calendar and not by 24 hours: days of a clock change are shorter and longer.
  day.setDate(day.getDate() - daysBefore);
  return day.getTime();
}

/** Groups the sessions whose title or folder holds the text. Empty groups are left out. */
export function groupSessions(sessions: readonly SessionView[], filter: string, now: number): SessionGroup[] {
  const wanted = filter.trim().toLowerCase();
  const today = startOfDay(now);
  const yesterday = startOfDay(now, 1);
  const nameOf = ({ updatedAt }: SessionView): SessionGroup['name'] => {
    if (updatedAt >= today) return 'Today';
    return updatedAt >= yesterday ? 'Yesterday' : 'Earlier';
  };
  const shown = sessions
    .filter(({ title, workspace }) => `${title}\n${workspace}`.toLowerCase().includes(wanted))
    .sort((a, b) => b.updatedAt - a.updatedAt);
  return GROUPS.map((name) => ({ name, sessions: shown.filter((each) => nameOf(each) === name) })).filter(
    (group) => group.sessions.length > 0,
  );
}

/** The commands of each session, oldest first. */
export function commandsBySession(
  commands: readonly CommandView[],
): ReadonlyMap<string, readonly CommandView[]> {
  const bySession = new Map<string, CommandView[]>();
  for (const command of [...commands].sort((a, b) => a.startedAt - b.startedAt)) {
    const others = bySession.get(command.sessionId);
    if (others === undefined) bySession.set(command.sessionId, [command]);
    else others.push(command);
  }
  return bySession;
}
