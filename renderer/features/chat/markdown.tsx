import { memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { openLink } from '../commands/command-actions.ts';

const PLUGINS = [remarkGfm];

const COMPONENTS: Components = {
  // The page itself never navigates: the system's browser opens links.
  a: ({ href, children }) => (
    <a
      href={href}
      title={href}
      onClick={(event) => {
        event.preventDefault();
        if (href !== undefined) openLink(href);
      }}
      onAuxClick={(event) => event.preventDefault()}
    >
      {children}
    </a>
  ),
  // Pictures would be fetched from wherever a model says, and the policy of the page forbids it.
  img: ({ alt, src }) => <span className="muted">{alt || String(src ?? '')}</span>,
  table: ({ children }) => (
    <div className="md-table">
      <table>{children}</table>
    </div>
  ),
};

/** Text of the agent as Markdown. Raw HTML in it stays text. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
      {text}
    </ReactMarkdown>
  );
});
