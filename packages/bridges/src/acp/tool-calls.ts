import type { Json } from '@jurist/core'
import { pathsFromRoot } from '../coding/relative-path.js'
import type { SafeReader } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import type { AcpToolCallUpdate } from './shape.js'

interface FileDiff {
  readonly path: string
  readonly isNew: boolean
}

/** Each message adds to it. */
export interface ToolState {
  readonly id: string
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly kind?: string | undefined
  readonly status?: string | undefined
  readonly rawInput?: unknown
  readonly rawOutput?: unknown
  readonly text?: string | undefined
  readonly paths?: readonly string[] | undefined
  readonly diffs?: readonly FileDiff[] | undefined
  readonly isDenied?: boolean
}

/** Parts that the message lacks stay unchanged. */
export function mergedTool(id: string, earlier: ToolState | undefined, update: SafeReader): ToolState {
  const content = update.get('content')
  const read = {
    name: update.get('name').string(),
    title: update.get('title').string(),
    kind: update.get('kind').string(),
    status: update.get('status').string(),
    rawInput: update.get('rawInput').value,
    rawOutput: update.get('rawOutput').value,
    text: content.present ? textIn(content) : undefined,
    diffs: content.present ? diffsIn(content) : undefined,
    paths: update.get('locations').present ? locationsIn(update) : undefined,
  }
  const known = Object.entries(read).filter(([, part]) => part !== undefined)
  return { ...earlier, id, ...Object.fromEntries(known) }
}

function textIn(content: SafeReader): string | undefined {
  const texts = content
    .array()
    .flatMap((part) => (part.get('type').value === 'content' ? (part.get('content').get('text').string() ?? []) : []))
  return texts.length === 0 ? undefined : texts.join('\n')
}

function diffsIn(content: SafeReader): readonly FileDiff[] | undefined {
  const diffs = content.array().flatMap((part) => {
    const path = part.get('type').value === 'diff' ? part.get('path').string() : undefined
    return path === undefined ? [] : [{ path, isNew: !part.get('oldText').present }]
  })
  return diffs.length === 0 ? undefined : diffs
}

function locationsIn(update: SafeReader): readonly string[] {
  return update
    .get('locations')
    .array()
    .flatMap((location) => location.get('path').string() ?? [])
}

export function hasEnded({ status, isDenied }: ToolState): boolean {
  return isDenied === true || status === 'completed' || status === 'failed'
}

/** The arguments, else the title: some agents do not report arguments. */
export function inputOf({ rawInput, title }: ToolState): Json {
  return toJson(rawInput ?? { title: title ?? '' })
}

/** Some agents announce a call before its arguments. */
export function isNothing(rawInput: unknown): boolean {
  if (rawInput === undefined || rawInput === null) return true
  return typeof rawInput === 'object' && Object.keys(rawInput).length === 0
}

/** The name, else the kind: some agents do not report names. */
export function nameOfTool({ name, kind }: ToolState): string {
  return name ?? kind ?? 'unknown'
}

/** Includes the parts of earlier messages. */
export function asUpdate({ id, title, kind, status, rawInput, paths, diffs }: ToolState): AcpToolCallUpdate {
  const all = [...new Set([...(paths ?? []), ...(diffs ?? []).map(({ path }) => path)])]
  return { toolCallId: id, title, kind, status, rawInput, locations: all.map((path) => ({ path })) }
}

/** In the order of their first messages. */
export function executionsOf(
  tools: Iterable<ToolState>,
  root: string | undefined,
  warnings: string[],
): readonly ToolExecution[] {
  const states = [...tools]
  const calls = states.map((state, step): ToolCall => {
    const paths = [...new Set([...(state.paths ?? []), ...(state.diffs ?? []).map(({ path }) => path)])]
    const { id, kind } = state
    return {
      id,
      name: nameOfTool(state),
      kind,
      step,
      input: inputOf(state),
      paths: pathsFromRoot(root, paths, warnings),
    }
  })
  return joinTools(calls, states.filter(hasEnded).map(outcomeOf))
}

function outcomeOf({ id, rawOutput, text, status, isDenied }: ToolState): ToolOutcome {
  const output = isNothing(rawOutput) ? text : rawOutput
  return { id, output, status: isDenied === true ? 'denied' : status === 'failed' ? 'failed' : 'completed' }
}

/** For the journal. */
export function resultText({ rawOutput, text }: ToolState): string {
  if (text !== undefined) return text
  if (isNothing(rawOutput)) return ''
  return typeof rawOutput === 'string' ? rawOutput : JSON.stringify(toJson(rawOutput))
}
