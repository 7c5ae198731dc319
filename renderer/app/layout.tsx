import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { Group, Panel, Separator, useDefaultLayout, usePanelRef } from 'react-resizable-panels';
import { Chat } from '../features/chat/chat.tsx';
import { Jobs } from '../features/jobs/jobs.tsx';
import { Sessions } from '../features/sessions/sessions.tsx';
import { Terminals } from '../features/terminals/terminals.tsx';
import { useView } from '../stores/view.ts';
import { Button } from '../ui/button.tsx';

/** Below this width chat and terminals share one place. */
const NARROW = '(max-width: 1099px)';
const JOBS_HEAD_PX = 35;

function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = window.matchMedia(NARROW);
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => window.matchMedia(NARROW).matches,
  );
}

/** Sessions left, chat in the centre, terminals right, jobs below both. */
export function Layout() {
  const isNarrow = useIsNarrow();
  const isSessionsOpen = useView((view) => view.isSessionsOpen);
  const outer = useDefaultLayout({
    id: 'switchyard.layout.outer',
    panelIds: isSessionsOpen ? ['sessions', 'work'] : ['work'],
    storage: localStorage,
  });
  return (
    <Group id="outer" className="layout" {...outer}>
      {isSessionsOpen && (
        <>
          <Panel
            id="sessions"
            defaultSize={isNarrow ? 200 : 232}
            minSize={170}
            maxSize={420}
            groupResizeBehavior="preserve-pixel-size"
          >
            <Sessions />
          </Panel>
          <Separator className="divider upright" aria-label="Width of sessions" />
        </>
      )}
      <Panel id="work" minSize={360}>
        <Work isNarrow={isNarrow} />
      </Panel>
    </Group>
  );
}

function Work({ isNarrow }: { isNarrow: boolean }) {
  const isJobsOpen = useView((view) => view.isJobsOpen);
  const jobs = usePanelRef();
  const saved = useDefaultLayout({ id: 'switchyard.layout.work', storage: localStorage });
  useEffect(() => {
    const panel = jobs.current;
    if (panel === null || panel.isCollapsed() !== isJobsOpen) return;
    if (isJobsOpen) panel.expand();
    else panel.collapse();
  }, [isJobsOpen, jobs]);

  return (
    <Group id="work-group" orientation="vertical" {...saved}>
      <Panel id="stage" minSize={200}>
        {isNarrow ? <NarrowStage /> : <WideStage />}
      </Panel>
      <Separator className="divider level" aria-label="Height of jobs" disabled={!isJobsOpen} />
      <Panel
        id="jobs"
        panelRef={jobs}
        defaultSize={isNarrow ? 168 : 248}
        minSize={110}
        collapsible
        collapsedSize={JOBS_HEAD_PX}
        groupResizeBehavior="preserve-pixel-size"
        onResize={({ inPixels }, _id, before) => {
          // By the mouse too, but not while it is first laid out.
          if (before !== undefined) useView.getState().setJobsOpen(inPixels > JOBS_HEAD_PX + 1);
        }}
      >
        <Jobs />
      </Panel>
    </Group>
  );
}

function WideStage() {
  const saved = useDefaultLayout({ id: 'switchyard.layout.stage', storage: localStorage });
  return (
    <Group id="stage-group" {...saved}>
      <Panel id="chat" minSize={320}>
        <Chat />
      </Panel>
      <Separator className="divider upright" aria-label="Width of terminals" />
      <Panel id="terminals" defaultSize="46.4%" minSize={280}>
        <Terminals />
      </Panel>
    </Group>
  );
}

function NarrowStage(): ReactNode {
  const pane = useView((view) => view.narrowPane);
  const { setNarrowPane } = useView.getState();
  return pane === 'chat' ? (
    <Chat controls={<Button onClick={() => setNarrowPane('terminals')}>Terminals</Button>} />
  ) : (
    <Terminals controls={<Button onClick={() => setNarrowPane('chat')}>Chat</Button>} />
  );
}
