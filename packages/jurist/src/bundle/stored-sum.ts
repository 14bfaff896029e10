import { createHash } from 'node:crypto'
import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'

/**
 * The text of a redacted `run.json` that has the size and the checksum of the redacted trials, where the original has those
 * of its own trials. Otherwise they stay as they are, so that a file that was changed is still noticed.
 *
 * @param original the text of `run.json` before it was redacted
 * @param trials the bytes of the original `items.jsonl`
 */
export function withRedactedSum(
  redacted: string,
  original: string,
  trials: Buffer,
  redact: (trials: Buffer) => Buffer,
): string {
  const record = objectIn(redacted)
  const sum = objectIn(original)?.['stored']
  if (record === undefined || !isPlainObject(sum)) return redacted
  const { lines, bytes, sha256 } = sum
  const whole = trials.subarray(0, Number(bytes))
  if (whole.length !== bytes || digest(whole) !== sha256) return redacted
  const copy = redact(whole)
  return JSON.stringify({ ...record, stored: { lines, bytes: copy.length, sha256: digest(copy) } })
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isPlainObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
