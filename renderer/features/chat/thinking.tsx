import { ChevronRight } from 'lucide-react';
import { useState } from 'react';

/** What a model thought before it answered: one line, and all of it on demand. */
export function Thinking({ text, isStreaming }: { text: string; isStreaming: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="thinking">
      <button type="button" className="thinking-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={12} className="thinking-mark" aria-hidden="true" />
        {isStreaming ? 'Thinking' : 'Thought before this'}
      </button>
      {isOpen && <div className="thinking-text selectable">{text.trim()}</div>}
    </div>
  );
}
