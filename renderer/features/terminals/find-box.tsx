import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { findMarks } from './palette.ts';
import { findTerminal } from './registry.ts';

/** Finds text in a terminal and its scrollback. */
export function FindBox({ commandId, onClose }: { commandId: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<{ index: number; count: number } | null>(null);
  const search = findTerminal(commandId)?.search;

  useEffect(() => {
    const listening = search?.onDidChangeResults(({ resultIndex, resultCount }) =>
      setFound({ index: resultIndex, count: resultCount }),
    );
    return () => {
      listening?.dispose();
      search?.clearDecorations();
    };
  }, [search]);

  const find = (term: string, way: 'next' | 'previous', incremental = false) => {
    if (search === undefined) return;
    if (term === '') {
      search.clearDecorations();
      setFound(null);
    } else if (way === 'next') search.findNext(term, { incremental, decorations: findMarks() });
    else search.findPrevious(term, { decorations: findMarks() });
  };

  return (
    <search className="find-box">
      <input
        aria-label="Find in terminal"
        placeholder="Find"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: it is opened by a key to be typed into
        autoFocus
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          find(event.target.value, 'next', true);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
          if (event.key === 'Enter') find(text, event.shiftKey ? 'previous' : 'next');
        }}
      />
      <span className="num found" role="status">
        {text !== '' &&
          found !== null &&
          (found.count === 0 ? 'None' : `${found.index + 1} of ${found.count}`)}
      </span>
      <IconButton name="Previous match" hint="Shift Enter" onClick={() => find(text, 'previous')}>
        <ArrowUp size={13} aria-hidden="true" />
      </IconButton>
      <IconButton name="Next match" hint="Enter" onClick={() => find(text, 'next')}>
        <ArrowDown size={13} aria-hidden="true" />
      </IconButton>
      <IconButton name="Close find" hint="Esc" onClick={onClose}>
        <X size={13} aria-hidden="true" />
      </IconButton>
    </search>
  );
}
