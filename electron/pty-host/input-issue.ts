import type { z } from 'zod';

/** One plain sentence that names the parameter which was refused, and why. */
export function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'The parameters are not valid.';
  if (issue.code === 'unrecognized_keys') return `The parameter ${issue.keys.join(', ')} is not known.`;
  const name = issue.path.length === 0 ? 'object' : issue.path.join('.');
  return `The parameter ${name} is not valid: ${issue.message}.`;
}
