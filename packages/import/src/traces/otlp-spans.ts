import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import * as v from 'valibot'
import { checked, json, maybe, placed, text } from './checked.js'
import type { TraceDocument } from './trace-files.js'

/** The kind of a span. */
type Operation = 'chat' | 'agent' | 'tool'

const openInference = {
  operation: ['openinference.span.kind'],
  conversation: ['session.id'],
  agent: ['agent.name'],
  model: ['llm.model_name'],
  input: ['llm.input_messages', 'input.value'],
  output: ['llm.output_messages', 'output.value'],
  toolName: ['tool.name'],
  toolCallId: ['tool_call.id', 'tool.id'],
  toolArguments: ['tool.parameters', 'input.value'],
  toolResult: ['output.value'],
  inputTokens: ['llm.token_count.prompt'],
  outputTokens: ['llm.token_count.completion'],
  reasoningTokens: ['llm.token_count.completion_details.reasoning'],
  cacheReadTokens: ['llm.token_count.prompt_details.cache_read'],
  cacheWriteTokens: ['llm.token_count.prompt_details.cache_write'],
  totalTokens: ['llm.token_count.total'],
  costUsd: ['llm.cost.total'],
}

/** The meaning of an attribute. */
type Meaning = keyof typeof openInference | 'outputCalls' | 'system'

/** The attribute names of one convention. */
interface NameTable {
  /** The attributes of each meaning, with the current name first. */
  readonly names: { readonly [meaning in Meaning]?: readonly string[] }
  /** The meanings of operation values. */
  readonly operations: { readonly [value: string]: Operation }
}

/**
 * The conventions, in the order in which their attributes are tried. Everything that is read from a span is declared
 * here.
 */
const nameTables: readonly NameTable[] = [
  // OpenTelemetry GenAI 1.38.
  {
    names: {
      operation: ['gen_ai.operation.name'],
      conversation: ['gen_ai.conversation.id'],
      agent: ['gen_ai.agent.name'],
      model: ['gen_ai.response.model', 'gen_ai.request.model'],
      input: ['gen_ai.input.messages'],
      output: ['gen_ai.output.messages'],
      system: ['gen_ai.system_instructions'],
      toolName: ['gen_ai.tool.name'],
      toolCallId: ['gen_ai.tool.call.id'],
      toolArguments: ['gen_ai.tool.call.arguments'],
      toolResult: ['gen_ai.tool.call.result'],
      inputTokens: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'],
      outputTokens: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'],
      reasoningTokens: ['gen_ai.usage.reasoning.output_tokens'],
      cacheReadTokens: ['gen_ai.usage.cache_read.input_tokens'],
      cacheWriteTokens: ['gen_ai.usage.cache_creation.input_tokens'],
    },
    operations: {
      chat: 'chat',
      generate_content: 'chat',
      text_completion: 'chat',
      invoke_agent: 'agent',
      execute_tool: 'tool',
    },
  },
  // OpenInference 0.1.
  {
    names: openInference,
    operations: { LLM: 'chat', AGENT: 'agent', TOOL: 'tool' },
  },
  // The AI SDK of Vercel, version 6.
  {
    names: {
      operation: ['ai.operationId'],
      conversation: ['ai.telemetry.metadata.sessionId'],
      agent: ['ai.telemetry.functionId'],
      model: ['ai.response.model', 'ai.model.id'],
      input: ['ai.prompt.messages', 'ai.prompt'],
      output: ['ai.response.text', 'ai.response.object'],
      outputCalls: ['ai.response.toolCalls'],
      toolName: ['ai.toolCall.name'],
      toolCallId: ['ai.toolCall.id'],
      toolArguments: ['ai.toolCall.args'],
      toolResult: ['ai.toolCall.result'],
      inputTokens: ['ai.usage.inputTokens', 'ai.usage.promptTokens'],
      outputTokens: ['ai.usage.outputTokens', 'ai.usage.completionTokens'],
      reasoningTokens: ['ai.usage.outputTokenDetails.reasoningTokens', 'ai.usage.reasoningTokens'],
      cacheReadTokens: ['ai.usage.inputTokenDetails.cacheReadTokens', 'ai.usage.cachedInputTokens'],
      cacheWriteTokens: ['ai.usage.inputTokenDetails.cacheWriteTokens'],
      totalTokens: ['ai.usage.totalTokens'],
    },
    operations: {
      'ai.generateText': 'agent',
      'ai.streamText': 'agent',
      'ai.generateObject': 'agent',
      'ai.streamObject': 'agent',
      'ai.generateText.doGenerate': 'chat',
      'ai.streamText.doStream': 'chat',
      'ai.generateObject.doGenerate': 'chat',
      'ai.streamObject.doStream': 'chat',
      'ai.toolCall': 'tool',
    },
  },
]

/** The latest time of a JavaScript date. */
const latestNanoseconds = 8.64e21

const nanoseconds = v.pipe(
  v.union([text, v.number()], 'must be a number of nanoseconds'),
  v.transform(Number),
  v.minValue(0, 'must be a number of nanoseconds'),
  v.maxValue(latestNanoseconds, 'is too late for a date'),
)
const attributes = v.array(v.looseObject({ key: text, value: maybe(json) }), 'must be an array')

const span = v.looseObject({
  traceId: text,
  spanId: text,
  parentSpanId: maybe(text),
  name: maybe(text),
  startTimeUnixNano: maybe(nanoseconds),
  endTimeUnixNano: maybe(nanoseconds),
  attributes: maybe(attributes),
  status: maybe(v.looseObject({ code: maybe(v.union([text, v.number()])), message: maybe(text) })),
})

const exported = v.looseObject({
  resourceSpans: v.array(
    v.looseObject({ scopeSpans: maybe(v.array(v.looseObject({ spans: maybe(v.array(span, 'must be an array')) }))) }),
    'must be an array',
  ),
})

export interface GenAiSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly operation: Operation
  readonly startMs: number
  readonly endMs: number
  readonly isFailed: boolean
  readonly message: string | undefined
  /** Returns the value of the first attribute with this meaning; `undefined` if none exists. */
  readonly get: (meaning: Meaning) => Json | undefined
  /** The attributes that no table names. */
  readonly rest: { readonly [name: string]: Json }
}

/** The GenAI spans of an export without duplicates, and the names of all other spans. */
export interface ReadSpans {
  readonly spans: readonly GenAiSpan[]
  readonly others: readonly string[]
}

/** Reads the spans of OTLP/JSON, or returns every problem with its place. */
export function readSpans(documents: readonly TraceDocument[]): ReadSpans | { readonly problems: readonly string[] } {
  const problems: string[] = []
  const spans = new Map<string, GenAiSpan>()
  const others = new Set<string>()
  for (const { value, place } of documents) {
    const read = checked(exported, value)
    if ('problems' in read) {
      problems.push(...read.problems.map((problem) => placed(place, problem)))
      continue
    }
    for (const { scopeSpans } of read.value.resourceSpans)
      for (const one of (scopeSpans ?? []).flatMap((scope) => scope.spans ?? [])) {
        const known = genAiSpan(one)
        if (known === undefined) others.add(one.name ?? 'unnamed')
        else spans.set(`${one.traceId} ${one.spanId}`, known)
      }
  }
  if (problems.length > 0) return { problems }
  const inOrder = [...spans.values()].sort((a, b) => a.startMs - b.startMs || b.endMs - a.endMs)
  return { spans: inOrder, others: [...others] }
}

function genAiSpan(one: v.InferOutput<typeof span>): GenAiSpan | undefined {
  const given = new Map((one.attributes ?? []).map(({ key, value }) => [key, plain(value)]))
  const found = operationOf(given)
  if (found === undefined) return undefined
  const { operation, table } = found
  // Instrumentations mix conventions, so the other tables are tried as well.
  const tables = [table, ...nameTables.filter((other) => other !== table)]
  const { traceId, spanId, status } = one
  const startMs = (one.startTimeUnixNano ?? 0) / 1e6
  return {
    ...{ traceId, spanId, operation, startMs },
    parentSpanId: one.parentSpanId ?? '',
    name: one.name ?? '',
    endMs: Math.max(startMs, (one.endTimeUnixNano ?? 0) / 1e6),
    isFailed: status?.code === 2 || status?.code === 'STATUS_CODE_ERROR',
    message: status?.message ?? undefined,
    get: (meaning) => firstOf(tables, meaning, given),
    rest: Object.fromEntries(
      [...given].filter(([name]) => !allNames.some((known) => name === known || name.startsWith(`${known}.`))),
    ),
  }
}

function operationOf(given: ReadonlyMap<string, Json>) {
  for (const table of nameTables) {
    const value = firstOf([table], 'operation', given)
    const operation = typeof value === 'string' && Object.hasOwn(table.operations, value) && table.operations[value]
    if (operation !== false && operation !== undefined) return { operation, table }
  }
  return undefined
}

function firstOf(tables: readonly NameTable[], meaning: Meaning, given: ReadonlyMap<string, Json>): Json | undefined {
  for (const { names } of tables)
    for (const name of names[meaning] ?? []) {
      const value = given.get(name) ?? nested(name, given)
      if (value !== undefined) return value
    }
  return undefined
}

const allNames = nameTables.flatMap(({ names }) => Object.values(names).flat())

/** Rebuilds an object from attributes such as `llm.input_messages.0.message.role`. */
function nested(prefix: string, given: ReadonlyMap<string, Json>): Json | undefined {
  const root: { [key: string]: unknown } = Object.create(null)
  let isEmpty = true
  for (const [name, value] of given) {
    if (!name.startsWith(`${prefix}.`)) continue
    isEmpty = false
    const path = name
      .slice(prefix.length + 1)
      .split('.')
      .slice(0, 20)
    let at = root
    for (const key of path.slice(0, -1)) {
      const below = at[key]
      const next = isPlainObject(below) ? (below as { [key: string]: unknown }) : Object.create(null)
      at[key] = next
      at = next
    }
    at[path.at(-1) ?? ''] = value
  }
  return isEmpty ? undefined : listed(root)
}

/** An object whose keys are numbers becomes an array. */
function listed(value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value as Json
  const entries = Object.entries(value)
  if (!entries.every(([key]) => /^\d+$/.test(key))) {
    return Object.fromEntries(entries.map(([key, entry]) => [key, listed(entry)]))
  }
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, entry]) => listed(entry))
}

/** Removes the type names from the value of an attribute. */
function plain(value: Json | null | undefined): Json {
  if (!isPlainObject(value)) return value ?? null
  const { stringValue, intValue, doubleValue, boolValue, arrayValue, kvlistValue } = value as {
    readonly [name: string]: Json | undefined
  }
  if (intValue !== undefined) return Number(intValue)
  if (isPlainObject(arrayValue)) return members(arrayValue).map((member) => plain(member))
  if (isPlainObject(kvlistValue))
    return Object.fromEntries(
      members(kvlistValue).flatMap((entry) =>
        isPlainObject(entry) ? [[String(entry['key']), plain(entry['value'] as Json)]] : [],
      ),
    )
  return stringValue ?? doubleValue ?? boolValue ?? null
}

function members(list: object): readonly Json[] {
  const { values } = list as { readonly values?: unknown }
  return Array.isArray(values) ? (values as readonly Json[]) : []
}
