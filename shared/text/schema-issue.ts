import type { z } from 'zod';

/** What is wrong with an input, as "parameter: reason"; `whole` names the input itself. */
export function describeIssue(error: z.ZodError, whole: string): string {
  const [issue] = error.issues;
  if (!issue) return `${whole}: not valid`;
  const name = (...path: PropertyKey[]): string => path.map(String).join('.') || whole;
  switch (issue.code) {
    case 'unrecognized_keys':
      return `${name(...issue.path, issue.keys[0] ?? '')}: no such parameter`;
    case 'invalid_format':
      return `${name(...issue.path)}: not in the expected form`;
    default: {
      if (issue.message.endsWith('received undefined')) return `${name(...issue.path)}: missing`;
      const reason = issue.message.replace(/^Invalid input: /, '');
      return `${name(...issue.path)}: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;
    }
  }
}
