/** The mark of Switchyard: a train on the main line, and a siding that leaves it. */
export function Mark() {
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 18 18"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M1.5 13.5h15" />
      <path d="M3.5 13.5c4 0 5-9 9-9h4" stroke="var(--wait)" />
      <circle cx="15.7" cy="13.5" r="1.2" fill="var(--run)" stroke="none" />
    </svg>
  );
}
