import type { ApprovalSetting } from '../../../shared/model/approval-mode.ts';
import { focusRegion } from '../../app/regions.ts';
import { call } from '../../bridge/client.ts';
import { useFacts } from '../../stores/facts.ts';
import { attempt } from '../../stores/notices.ts';
import { useView } from '../../stores/view.ts';
import { askedOf } from './approval-words.ts';

/** What a person decided about a command. */
export type Answer =
  | { readonly kind: 'once' | 'always' }
  | { readonly kind: 'refuse'; readonly reason: string };

/** Sends an answer. When nothing is left to answer, what is written next is a message. */
export async function answerApproval(
  sessionId: string,
  toolCallId: string,
  answer: Answer,
): Promise<boolean> {
  const reason = answer.kind === 'refuse' && answer.reason.trim() !== '' ? { reason: answer.reason } : {};
  const done = await attempt(async () => {
    await call('approval.answer', { sessionId, toolCallId, answer: answer.kind, ...reason });
    return true;
  });
  requestAnimationFrame(() => {
    const isFree = document.activeElement === null || document.activeElement === document.body;
    if (isFree && askedOf(useFacts.getState().sessions[sessionId]).length === 0) focusRegion('Chat');
  });
  return done === true;
}

/** Puts a mode in force for every agent. */
export const setApprovals = (mode: ApprovalSetting): void =>
  void attempt(() => call('settings.setApprovals', { mode }));

/** Opens the session that asks, with the focus on its first question. */
export function showQuestion(sessionId: string): void {
  // The first card takes the focus when nothing else has it.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  useView.getState().openSession(sessionId);
  useView.getState().setNarrowPane('chat');
  requestAnimationFrame(() => firstQuestion()?.focus());
}

const firstQuestion = (): HTMLElement | null => document.querySelector<HTMLElement>('.card.ask .btn-primary');

/** Moves the focus from one question to the next, or to the one before. */
export function moveToQuestion(from: Element, step: 1 | -1): void {
  const cards = [...document.querySelectorAll('.card.ask')];
  const target = cards[cards.indexOf(from) + step];
  target?.querySelector<HTMLElement>('.btn-primary')?.focus();
}

/** Whether a question may take the focus: nobody is writing, and nothing else has it. */
export function mayTakeFocus(): boolean {
  const active = document.activeElement;
  if (active === null || active === document.body) return true;
  return active === composer() && composer()?.value === '';
}

/** Where messages are written. */
export const composer = (): HTMLTextAreaElement | null =>
  document.querySelector<HTMLTextAreaElement>('.composer textarea');
