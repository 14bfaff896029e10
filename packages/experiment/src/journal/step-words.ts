import type { Json, Usage } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { dollars, duration, grouped } from '../result/amounts.js'
import { tokensOf } from '../result/spending.js'
import type { JournalStep, ModelCallContent, StepContent } from './steps.js'
import { pathIn } from './tool-calls.js'

/** The kind of a step, in one or two words; for a call, the name of the tool. */
export function stepWord(content: StepContent): string {
  switch (content.kind) {
    case 'model-call':
      return `turn ${content.turn}`
    case 'shell':
    case 'edit':
    case 'tool':
      return content.tool
    case 'result':
      return 'tool result'
    case 'file':
      return `file ${content.change}`
    case 'output':
    case 'other':
      return content.name
    case 'text':
      return 'message'
    case 'phase':
    case 'prompt':
    case 'thinking':
    case 'state':
      return content.kind
    default:
      return content satisfies never
  }
}

const longest = 240

/** A summary of a step, on one line. Output of agents is untrusted, and may contain Markdown or terminal colours. */
export function stepSummary(content: StepContent): string {
  return wholeSummary(content).slice(0, longest).replace(/\s+/g, ' ').trim()
}

function wholeSummary(content: StepContent): string {
  switch (content.kind) {
    case 'phase':
      return content.name
    case 'prompt':
    case 'text':
    case 'thinking':
      return content.text
    case 'model-call':
      return turnFigures(content)
    case 'shell':
      return `$ ${content.command ?? ''}`
    case 'edit':
      return (content.edits ?? []).map(({ path }) => path).join(', ')
    case 'tool':
      return inputSummary(content.input)
    case 'result':
    case 'output':
      return content.output
    case 'state':
      return content.state
    case 'file':
      return content.path
    case 'other':
      return JSON.stringify(content.value)
    default:
      return content satisfies never
  }
}

/** The arguments that describe a call best, the most descriptive first. */
const telling = ['pattern', 'query', 'url', 'description', 'prompt', 'title', 'name']

function inputSummary(input: Json): string {
  if (typeof input === 'string') return input
  if (!isPlainObject(input)) return JSON.stringify(input)
  const given: { readonly [key: string]: unknown } = input
  const main = telling.map((key) => given[key]).find((value) => typeof value === 'string' && value !== '')
  const words = [main, pathIn(input)].filter((value) => typeof value === 'string')
  return words.length > 0 ? words.join('  ') : JSON.stringify(input)
}

/** Model, tokens, cost and time of a turn, and the sums so far. */
export function turnFigures({ model, usage, costUsd, soFar, finishReason, turn }: ModelCallContent): string {
  const total = [tokensText(soFar.usage), soFar.costUsd === null ? '' : dollars(soFar.costUsd)].filter(
    (text) => text !== '',
  )
  return [
    model,
    usage?.inputTokens === undefined ? '' : `${grouped(usage.inputTokens)} tokens in`,
    usage?.outputTokens === undefined ? '' : `${grouped(usage.outputTokens)} out`,
    costUsd === null ? '' : dollars(costUsd),
    finishReason ?? '',
    turn === 1 || total.length === 0 ? '' : `so far ${total.join(', ')}`,
  ]
    .filter((fact) => fact !== '')
    .join(' · ')
}

function tokensText(usage: Usage): string {
  const tokens = tokensOf(usage)
  return tokens === null ? '' : `${grouped(tokens)} tokens`
}

export interface JournalFigures {
  /** Steps other than headings of phases. */
  readonly steps: number
  readonly turns: number
  readonly toolCalls: number
  /** Results that are marked as failed. */
  readonly failedCalls: number
  /** Milliseconds from the first event to the last; `null` without times. */
  readonly elapsedMs: number | null
  readonly usage: Usage
  readonly costUsd: number | null
}

export function journalFigures(steps: readonly JournalStep[]): JournalFigures {
  const calls = steps.filter(({ content }) => isToolStep(content))
  const turns = steps.flatMap(({ content }) => (content.kind === 'model-call' ? [content] : []))
  const ends = steps.flatMap(({ sinceStartMs, elapsedMs }) =>
    sinceStartMs === null ? [] : [sinceStartMs + (elapsedMs ?? 0)],
  )
  return {
    steps: steps.filter(({ content }) => content.kind !== 'phase').length,
    turns: turns.length,
    toolCalls: calls.length,
    failedCalls: steps.filter(({ isFailed, content }) => isFailed && (isToolStep(content) || content.kind === 'result'))
      .length,
    elapsedMs: ends.length === 0 ? null : ends.reduce((most, end) => Math.max(most, end), 0),
    usage: turns.at(-1)?.soFar.usage ?? {},
    costUsd: turns.at(-1)?.soFar.costUsd ?? null,
  }
}

/** The figures of a journal in words, such as `42 steps, 12.4 s, 7 tool calls, 2 failed, 41,000 tokens, $0.07`. */
export function figuresText({ steps, elapsedMs, toolCalls, failedCalls, usage, costUsd }: JournalFigures): string {
  return [
    `${grouped(steps)} ${steps === 1 ? 'step' : 'steps'}`,
    elapsedMs === null ? '' : duration(elapsedMs),
    `${grouped(toolCalls)} tool ${toolCalls === 1 ? 'call' : 'calls'}`,
    `${grouped(failedCalls)} failed`,
    tokensText(usage),
    costUsd === null ? '' : dollars(costUsd),
  ]
    .filter((fact) => fact !== '')
    .join(', ')
}

/** Whether a step is a call of a tool. */
export function isToolStep({ kind }: StepContent): boolean {
  return kind === 'shell' || kind === 'edit' || kind === 'tool'
}
