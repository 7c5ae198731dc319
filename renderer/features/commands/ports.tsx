import { call } from '../../bridge/client.ts';
import { attempt } from '../../stores/notices.ts';

/** Each port as a link to what is served there. */
export function Ports({ ports, isLong = false }: { ports: readonly number[]; isLong?: boolean }) {
  return ports.map((port) => (
    <button
      key={port}
      type="button"
      className="link"
      title={`Open http://localhost:${port}`}
      onClick={() => void attempt(() => call('link.open', { url: `http://localhost:${port}/` }))}
    >
      {isLong ? `localhost:${port}` : port}
    </button>
  ));
}
