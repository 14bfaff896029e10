import { createHash } from 'node:crypto'
import { JuristError } from '@jurist/core'
import { isPlainObject, normalizePath, printed } from '@jurist/core/internal'
import { checkFields } from '@jurist/experiment/internal/config'
import { isRunId } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { parseObject, parseOrUndefined } from '@jurist/kit/json'
import * as v from 'valibot'

export interface BundledFile {
  /** The path within the results directory: `<experiment>/<run>/…`, separated by `/`. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** SHA-256, 64 hex digits. */
  readonly sha256: string
}

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
  /** The number of secrets that were replaced. */
  readonly redacted: number
}

export const manifestName = 'manifest.json'

const maxFiles = 1_000_000
/** 16 GiB in total. */
const maxBytes = 16 * 1024 ** 3
const experimentName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Returns the directory of a run within the results directory. */
export function directoryOf({ id, experimentName }: Pick<BundledRun, 'id' | 'experimentName'>): string {
  return `${experimentName}/${id}`
}

const runSchema = v.object(
  {
    id: v.custom<string>((id) => isRunId(id), 'must be the id of a run'),
    experimentName: v.pipe(v.string('must be a string'), v.regex(experimentName, 'must be the name of an experiment')),
    variant: v.nullable(v.string('must be a string or null')),
  },
  'must be an object',
)

const fileSchema = v.object(
  {
    path: v.string('must be a string'),
    size: v.pipe(
      v.number('must be a number of bytes'),
      v.safeInteger('must be a number of bytes'),
      v.minValue(0, 'must be a number of bytes'),
    ),
    sha256: v.pipe(v.string('must be a SHA-256'), v.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256')),
  },
  'must be an object',
)

const manifestSchema = v.object({
  schemaVersion: v.literal(1),
  runs: v.pipe(v.array(runSchema, 'must be an array'), v.minLength(1, 'is empty')),
  files: v.pipe(v.array(fileSchema, 'must be an array'), v.maxLength(maxFiles, `has more than ${maxFiles} files`)),
  redacted: v.fallback(v.number(), 0),
})

/** Does not compile if the interface and its schema have different fields. */
const checked: v.GenericSchema<unknown, BundleManifest> = manifestSchema

/**
 * Reads the manifest of an untrusted bundle.
 *
 * @throws `usage-invalid` with every problem
 */
export function manifestFromJson(text: string, file: string): BundleManifest {
  const value = parseOrUndefined(text)
  if (!isPlainObject(value)) return refuse(file, [`${manifestName} is not a JSON object`])
  if (value['schemaVersion'] !== 1)
    throw usageInvalid(
      'bundle',
      `${file} has schema version ${printed(value['schemaVersion'])}; this jurist reads 1. Install a newer jurist.`,
    )
  const { value: manifest, issues } = checkFields(checked, value)
  if (manifest === undefined) {
    const problems = issues.map(({ field, problem }) => `${field} ${problem.replace(/\.$/, '')}`)
    return refuse(file, problems)
  }
  const problems = [...fileProblems(manifest)]
  return problems.length > 0 ? refuse(file, problems) : manifest
}

function* fileProblems({ files, runs }: BundleManifest): Iterable<string> {
  if (files.reduce((sum, { size }) => sum + size, 0) > maxBytes) yield `it holds more than ${maxBytes} bytes`
  // Names that differ only in case denote the same file on some systems.
  if (new Set(files.map(({ path }) => path.toLowerCase())).size < files.length) yield 'a path is listed twice'
  for (const { path } of files) {
    const problem = pathProblem(path, runs)
    if (problem !== undefined) yield problem
  }
}

/** Returns the reason why a path must not be written below a results directory. */
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
 * Returns a redacted `run.json` with the size and checksum of the redacted trials, if the original contains those of
 * its own trials. Otherwise they stay unchanged, so that a modified file is still noticed.
 *
 * @param original the text of `run.json` before redaction
 * @param trials the bytes of the original `items.jsonl`
 */
export function withRedactedSum(
  redacted: string,
  original: string,
  trials: Buffer,
  redact: (trials: Buffer) => Buffer,
): string {
  const record = parseObject(redacted)
  const sum = parseObject(original)?.['stored']
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
