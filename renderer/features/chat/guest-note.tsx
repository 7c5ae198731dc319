/** In the place of the chat of a session that another program drives. */
export function GuestNote({ title }: { title: string }) {
  return (
    <div className="log-frame">
      <div className="log-scroller">
        <div className="log">
          <div className="first-steps">
            <b>{title} drives this session</b>
            Its commands run under the same supervision: watch them in the terminals, and stop them in the job
            list. What it says is in its own window.
          </div>
        </div>
      </div>
    </div>
  );
}
