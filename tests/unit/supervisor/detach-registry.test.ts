import { expect, test } from 'vitest';
import {
  type AttachedCall,
  DetachRegistry,
  detachMarker,
} from '../../../electron/supervisor/detach-registry.ts';

const call = (pid: number): AttachedCall => ({ pid, detach: async () => ({ outputSoFar: String(pid) }) });
const request = { jobId: 'c_aaaaaaaaaaaaaaaa', reason: 'because', by: 'user' as const };

test('an old disposer does not remove a newer registration', () => {
  const registry = new DetachRegistry();
  const disposeOld = registry.register('call', call(1));
  const disposeNew = registry.register('call', call(2));
  disposeOld();
  expect(registry.pid('call')).toBe(2);
  disposeNew();
  disposeNew();
  expect(registry.isRunning('call')).toBe(false);
});

test('detach reaches the registered call, and is undefined when no such call runs', async () => {
  const registry = new DetachRegistry();
  registry.register('call', call(7));
  expect(registry.running()).toEqual(['call']);
  expect(await registry.detach('call', request)).toEqual({ outputSoFar: '7' });
  expect(registry.detach('other', request)).toBeUndefined();
  expect(registry.pid('other')).toBeUndefined();
});

test('the marker names the job and the reason behind two newlines', () => {
  expect(detachMarker(request)).toBe('\n\n[Detached to background task c_aaaaaaaaaaaaaaaa: because]');
});
