/** Where a person most likely finds what listens on a port of this machine. A guess: what it speaks is not known. */
export function serverUrl(port: number): string {
  return port === 443 ? 'https://localhost' : port === 80 ? 'http://localhost' : `http://localhost:${port}`;
}
