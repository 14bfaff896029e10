import { createHash } from 'node:crypto'
import { type JsonObject, JuristError } from '@jurist/core'
import { isPlainObject, normalizePath, printed } from '@jurist/core/internal'
import { isRunId } from '@jurist/experiment/internal/results'
import { parseOrUndefined } from '@jurist/kit/json'
import { usageInvalid } from '../config/problems.js'

/** One file of a bundle. */
export interface BundledFile {
  /** Within the results directory: `<experiment>/<run>/…`, separated by `/`. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** SHA-256, 64 hex digits. */
  readonly sha256: string
}

/** One run of a bundle. */
export interface BundledRun {
  readonly id: string
  readonly experimentName: string
  readonly variant: string | null
}

/** The content of `manifest.json`, the first file of a bundle. */
export interface BundleManifest {
  readonly schemaVersion: 1
  readonly runs: readonly BundledRun[]
  /** Sorted by path. */
  readonly files: readonly BundledFile[]
  /** How many secrets were replaced. */
  readonly redacted: number
}

/** The name of the first file. */
export const manifestName = 'manifest.json'

const maxFiles = 1_000_000
/** 16 GiB in all. */
const maxBytes = 16 * 1024 ** 3
const experimentName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The directory of a run within the results directory. */
export function directoryOf({ id, experimentName }: Pick<BundledRun, 'id' | 'experimentName'>): string {
  return `${experimentName}/${id}`
}

/**
 * Reads the manifest of an untrusted bundle.
 *
 * @throws `usage-invalid` naming everything that is wrong with it
 */
export function manifestFromJson(text: string, file: string): BundleManifest {
  const value = parseOrUndefined(text)
  if (!isPlainObject(value)) return refuse(file, [`${manifestName} is not a JSON object`])
  const { schemaVersion, runs, files, redacted } = value
  if (schemaVersion !== 1)
    throw usageInvalid(
      'bundle',
      `${file} has schema version ${printed(schemaVersion)}; this jurist reads 1. Install a newer jurist.`,
    )
  const problems: string[] = []
  const readRuns = Array.isArray(runs) ? runs.filter((run) => isRun(run, problems)) : []
  const readFiles = Array.isArray(files) ? files.filter((one) => isFile(one, readRuns, problems)) : []
  if (readRuns.length === 0) problems.push('it holds no run')
  if (readFiles.length > maxFiles) problems.push(`it has more than ${maxFiles} files`)
  if (readFiles.reduce((sum, { size }) => sum + size, 0) > maxBytes)
    problems.push(`it holds more than ${maxBytes} bytes`)
  // Names that differ only in case are one file on some systems.
  const paths = new Set(readFiles.map(({ path }) => path.toLowerCase()))
  if (paths.size < readFiles.length) problems.push('a path is listed twice')
  if (problems.length > 0) return refuse(file, problems)
  return { schemaVersion, runs: readRuns, files: readFiles, redacted: typeof redacted === 'number' ? redacted : 0 }
}

function isRun(value: unknown, problems: string[]): value is BundledRun {
  const { id, experimentName: name, variant } = isPlainObject(value) ? value : {}
  const good =
    typeof id === 'string' &&
    isRunId(id) &&
    typeof name === 'string' &&
    experimentName.test(name) &&
    (variant === null || typeof variant === 'string')
  if (!good) problems.push(`${printed(value)} is not a run`)
  return good
}

function isFile(value: unknown, runs: readonly BundledRun[], problems: string[]): value is BundledFile {
  const { path, size, sha256 } = isPlainObject(value) ? value : {}
  if (typeof path !== 'string' || !Number.isSafeInteger(size) || Number(size) < 0 || !isSum(sha256)) {
    problems.push(`${printed(value)} is not a file with a path, a size and a SHA-256`)
    return false
  }
  const problem = pathProblem(path, runs)
  if (problem !== undefined) problems.push(problem)
  return problem === undefined
}

function isSum(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

/** Why a path must not be written below a results directory. */
function pathProblem(path: string, runs: readonly BundledRun[]): string | undefined {
  try {
    if (normalizePath(path, 'file') !== path) return `the path ${printed(path)} is not in its plain form`
  } catch (thrown) {
    if (thrown instanceof JuristError) return thrown.message.replace(/\.$/, '')
    throw thrown
  }
  const within = runs.some((run) => path.startsWith(`${directoryOf(run)}/`))
  return within ? undefined : `the path ${printed(path)} belongs to none of its runs`
}

function refuse(file: string, problems: readonly string[]): never {
  const shown = problems.slice(0, 10)
  const more = problems.length > shown.length ? `; and ${problems.length - shown.length} more` : ''
  throw usageInvalid('bundle', `${file} cannot be trusted: ${shown.join('; ')}${more}. Nothing was written.`)
}

/** Refuses a bundle that does not match its manifest. */
export function refuseBundle(file: string, problem: string): never {
  return refuse(file, [problem])
}

/**
 * A redacted `run.json` with the size and checksum of the redacted trials, if the original has those of its own trials.
 * Otherwise they stay unchanged, so that a modified file is still noticed.
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
