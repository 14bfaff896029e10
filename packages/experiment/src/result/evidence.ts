import type { Check, Failure, Json, JsonObject, Judgment, Usage } from '@jurist/core'
import { safeBlock } from '@jurist/kit/terminal'
import { type FoundPlace, type Place, placesIn } from './places.js'

export interface CommandEvidence {
  /** The command as a reader would type it. */
  readonly line: string
  /** `null`: it did not end by itself, or never started. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  readonly durationMs: number | null
  /** Untrusted output of the command, possibly with terminal control sequences. */
  readonly output: string
  /** Whether the output was longer than the part that is kept. */
  readonly cut: boolean
}

/** A model that a judge asked. Prompt and answer are untrusted: both may quote the output under judgment. */
export interface ModelEvidence {
  readonly name: string | null
  /** `null`: not recorded. */
  readonly prompt: string | null
  /** The model's answer; several answers, and their prompts, are separated by a blank line. */
  readonly answer: string | null
  /** Whether prompt or answer was longer than the part that is kept. */
  readonly cut: boolean
  /** Whether every answer came from a cache. */
  readonly cached: boolean
  readonly usage: Usage | null
  /** US dollars; `null`: not declared. */
  readonly costUsd: number | null
}

export interface ErrorEvidence {
  readonly name: string
  readonly message: string
  readonly code: string | null
  /** The frames of the user's own code, one a line. */
  readonly stack: string | null
  /** The first of them. */
  readonly place: Place | null
}

/** The evidence of a judgment, as plain JSON. `null`: no evidence of this kind was recorded. */
export interface Evidence {
  readonly command: CommandEvidence | null
  readonly model: ModelEvidence | null
  /** The label or the score that was read from a model's answer. */
  readonly label: string | null
  /**
   * The number of judges, or samples of one model, by status: `{ pass: 2, fail: 1 }`. A status without votes has no key.
   */
  readonly votes: Readonly<Record<string, number>> | null
  readonly error: ErrorEvidence | null
  /** Other metadata that the judge recorded. */
  readonly metadata: JsonObject
  /** The places that the checks, the reasoning, the stack and the output name, each once. */
  readonly places: readonly Place[]
}

/**
 * The evidence under a stored judgment. The page, the terminal and every report show this. It runs anywhere, and reads
 * records of every version: fields that an older version lacks are `null`.
 */
export function evidenceOf(judgment: Judgment): Evidence {
  const { metadata } = judgment
  const command = commandOf(metadata)
  const model = modelOf(judgment)
  const votes = votesOf(metadata)
  const label = textAt(metadata, 'label')
  const error = judgment.status === 'error' ? failureEvidence(judgment.failure) : null
  const told = new Set([
    ...(command === null ? [] : commandKeys),
    ...(model === null ? [] : modelKeys),
    ...(votes === null ? [] : voteKeys),
    ...(label === null ? [] : ['label']),
  ])
  return {
    ...{ command, model, label, votes, error },
    metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => !told.has(name))),
    places: distinct(placesOf(judgment)),
  }
}

/** The failure of an agent, a hook or a judge as evidence. */
export function failureEvidence({ name, message, code, stack }: Failure): ErrorEvidence {
  const [place] = placesIn(stack ?? '')
  return { name, message, code: code ?? null, stack: stack ?? null, place: place ? placeAlone(place) : null }
}

const commandKeys = ['command', 'status', 'exitCode', 'signal', 'output', 'truncated', 'elapsedMs']

function commandOf(metadata: JsonObject): CommandEvidence | null {
  const line = textAt(metadata, 'command')
  const output = textAt(metadata, 'output')
  if (line === null || (output === null && metadata['exitCode'] === undefined)) return null
  return {
    line,
    exitCode: numberAt(metadata, 'exitCode'),
    signal: textAt(metadata, 'signal'),
    timedOut: metadata['status'] === 'timed-out',
    durationMs: numberAt(metadata, 'elapsedMs'),
    output: output ?? '',
    cut: metadata['truncated'] === true || output?.startsWith('…') === true,
  }
}

const modelKeys = ['model', 'prompt', 'promptTruncated', 'rawText', 'rawTextTruncated', 'cached']

function modelOf({ metadata, usage, costUsd }: Judgment): ModelEvidence | null {
  const answer = textAt(metadata, 'rawText')
  const prompt = textAt(metadata, 'prompt')
  if (answer === null && prompt === null) return null
  return {
    ...{ name: textAt(metadata, 'model'), prompt, answer },
    cut: metadata['rawTextTruncated'] === true || metadata['promptTruncated'] === true,
    cached: metadata['cached'] === true,
    usage: usage ?? null,
    costUsd: costUsd ?? null,
  }
}

const voteKeys = ['aggregation', 'samples']
const countNames = { passCount: 'pass', failCount: 'fail', abstainCount: 'abstain', errorCount: 'error' }

/** The counts of a vote, else those of the samples of a model. */
function votesOf({ aggregation, samples }: JsonObject): Evidence['votes'] {
  const counts = isObject(aggregation)
    ? Object.entries(countNames).map(([key, name]): Counted => [name, aggregation[key]])
    : isObject(samples)
      ? Object.entries(samples)
      : []
  const known = counts.flatMap(([name, count]) => (typeof count === 'number' && count > 0 ? [[name, count]] : []))
  return known.length === 0 ? null : Object.fromEntries(known)
}

type Counted = readonly [name: string, count: Json | undefined]

/** The first place that the evidence of a judgment names; `undefined`: it names none. */
export function firstPlace(judgment: Judgment): Place | undefined {
  for (const place of placesOf(judgment)) return place
  return undefined
}

/** Places of checks first, which judges name themselves; those of the output last. A place may come twice. */
function* placesOf(judgment: Judgment): Generator<Place> {
  const { checks, reasoning, metadata } = judgment
  for (const check of checks) yield* placeOfCheck(check)
  const stack = judgment.status === 'error' ? judgment.failure.stack : undefined
  const output = commandOf(metadata)?.output
  for (const text of [...checks.map(({ message }) => message), reasoning, stack, output])
    if (text) for (const place of placesIn(safeBlock(text))) yield placeAlone(place)
}

/** Removes duplicates and keeps the order. */
function distinct(places: Iterable<Place>): readonly Place[] {
  return [...new Map([...places].map((place) => [JSON.stringify(place), place])).values()]
}

function placeOfCheck({ location }: Check): readonly Place[] {
  return location?.line === undefined ? [] : [{ path: location.path, line: location.line, column: null }]
}

function placeAlone({ path, line, column }: FoundPlace): Place {
  return { path, line, column }
}

function textAt(metadata: JsonObject, key: string): string | null {
  const value = metadata[key]
  return typeof value === 'string' ? value : null
}

function numberAt(metadata: JsonObject, key: string): number | null {
  const value = metadata[key]
  return typeof value === 'number' ? value : null
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
