import type { Json } from '@jurist/core'
import { pathsFromRoot } from '../coding/relative-path.js'
import type { Look } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import type { AcpToolCallUpdate } from './shape.js'

/** A file that a tool says it changed. */
interface FileDiff {
  readonly path: string
  readonly isNew: boolean
}

/** What is known of one tool call; each message adds to it. */
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

/** The state with what one message tells; what it does not tell stays. */
export function mergedTool(id: string, earlier: ToolState | undefined, update: Look): ToolState {
  const content = update.get('content')
  const told = {
    name: update.get('name').text(),
    title: update.get('title').text(),
    kind: update.get('kind').text(),
    status: update.get('status').text(),
    rawInput: update.get('rawInput').value,
    rawOutput: update.get('rawOutput').value,
    text: content.present ? textIn(content) : undefined,
    diffs: content.present ? diffsIn(content) : undefined,
    paths: update.get('locations').present ? locationsIn(update) : undefined,
  }
  const known = Object.entries(told).filter(([, part]) => part !== undefined)
  return { ...earlier, id, ...Object.fromEntries(known) }
}

function textIn(content: Look): string | undefined {
  const texts = content
    .list()
    .flatMap((part) => (part.get('type').value === 'content' ? (part.get('content').get('text').text() ?? []) : []))
  return texts.length === 0 ? undefined : texts.join('\n')
}

function diffsIn(content: Look): readonly FileDiff[] | undefined {
  const diffs = content.list().flatMap((part) => {
    const path = part.get('type').value === 'diff' ? part.get('path').text() : undefined
    return path === undefined ? [] : [{ path, isNew: !part.get('oldText').present }]
  })
  return diffs.length === 0 ? undefined : diffs
}

function locationsIn(update: Look): readonly string[] {
  return update
    .get('locations')
    .list()
    .flatMap((location) => location.get('path').text() ?? [])
}

/** Whether the tool has come to an end. */
export function hasEnded({ status, isDenied }: ToolState): boolean {
  return isDenied === true || status === 'completed' || status === 'failed'
}

/** The arguments; agents that keep them to themselves tell at least a title. */
export function inputOf({ rawInput, title }: ToolState): Json {
  return toJson(rawInput ?? { title: title ?? '' })
}

/** Some agents announce a call before its arguments are there. */
export function isNothing(rawInput: unknown): boolean {
  if (rawInput === undefined || rawInput === null) return true
  return typeof rawInput === 'object' && Object.keys(rawInput).length === 0
}

/** The name: agents that say none say at least a kind. */
export function nameOfTool({ name, kind }: ToolState): string {
  return name ?? kind ?? 'unknown'
}

/** What a permission is asked for, with what earlier messages told. */
export function asUpdate({ id, title, kind, status, rawInput, paths, diffs }: ToolState): AcpToolCallUpdate {
  const all = [...new Set([...(paths ?? []), ...(diffs ?? []).map(({ path }) => path)])]
  return { toolCallId: id, title, kind, status, rawInput, locations: all.map((path) => ({ path })) }
}

/** The executions of a run, in the order in which they were announced. */
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

/** The result of a tool as a text, for the journal. */
export function resultText({ rawOutput, text }: ToolState): string {
  if (text !== undefined) return text
  if (isNothing(rawOutput)) return ''
  return typeof rawOutput === 'string' ? rawOutput : JSON.stringify(toJson(rawOutput))
}
