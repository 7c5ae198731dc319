import { z } from 'zod';

/** The complete output of a command, kept as a file because its preview was cut. */
export const ArtifactRef = z.object({
  /** With forward slashes. */
  path: z.string(),
  media_type: z.string(),
  encoding: z.string(),
  size_bytes: z.number().int().nonnegative(),
  /** Lowercase hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ArtifactRef = z.infer<typeof ArtifactRef>;

export const ARTIFACT_ERROR_CODES = ['artifact_path_invalid', 'artifact_persist_failed'] as const;
export const ArtifactError = z.object({ code: z.enum(ARTIFACT_ERROR_CODES), message: z.string() });
export type ArtifactError = z.infer<typeof ArtifactError>;
