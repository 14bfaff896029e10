import type { JournalEvent, Json } from '@jurist/core'
import { grouped } from '@jurist/experiment/internal/results'
import { dollars, duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { JournalDocument } from '../../src/files/journals.js'
import { Loaded, useDocument } from '../documents.js'
import { type TrialRoute, trialPath } from '../router.js'
import { plainText } from '../text.js'
import { Ansi } from './ansi.js'
import { Markdown } from './markdown.js'
import { isRaw, RawSwitch } from './raw-switch.js'

/** The events that the agent recorded, as a timeline. */
export function JournalPart({
  trial,
  query,
}: {
  readonly trial: TrialRoute
  readonly query: URLSearchParams
}): JSX.Element {
  const loading = useDocument<JournalDocument>(trialPath(trial, 'journal'))
  return (
    <Loaded of={loading} missing="A static report does not contain journals. Use the store: jurist view">
      {(journal) =>
        journal.state === 'unknown' ? (
          <p class="empty">{journal.reason}</p>
        ) : (
          <>
            <div class="tools">
              <RawSwitch query={query} />
            </div>
            <Events journal={journal} isRaw={isRaw(query)} />
          </>
        )
      }
    </Loaded>
  )
}

type Read = Extract<JournalDocument, { readonly state: 'read' }>

function Events({
  journal: { events, total, dropped },
  isRaw,
}: {
  readonly journal: Read
  readonly isRaw: boolean
}): JSX.Element {
  const startedAt = Date.parse(events.find(({ at }) => at !== undefined)?.at ?? '')
  const results = new Map(events.flatMap((event) => (event.type === 'tool-result' ? [[event.id, event] as const] : [])))
  const calls = new Set(events.flatMap((event) => (event.type === 'tool-call' ? [event.id] : [])))
  const shown = events.filter((event) => event.type !== 'tool-result' || !calls.has(event.id))
  return (
    <>
      <JournalStrip events={events} />
      <p class="quiet small">
        {grouped(total)} events
        {events.length < total ? `, of which the first ${grouped(events.length)} are shown` : ''}
        {dropped > 0 ? `, ${grouped(dropped)} damaged lines skipped` : ''}
      </p>
      <ol class="timeline">
        {shown.map((event, index) => (
          <li key={`${index} ${event.type}`}>
            <span class="when">{sinceStart(event, startedAt)}</span>
            <span class="what">{wordOf(event)}</span>
            <div>
              <EventText
                event={event}
                result={event.type === 'tool-call' ? results.get(event.id) : undefined}
                isRaw={isRaw}
              />
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}

function sinceStart({ at }: JournalEvent, startedAt: number): string {
  const time = Date.parse(at ?? '')
  return Number.isNaN(time - startedAt) ? '' : `+${duration(Math.max(0, time - startedAt))}`
}

function wordOf(event: JournalEvent): string {
  switch (event.type) {
    case 'prompt':
    case 'text':
    case 'thinking':
    case 'state':
      return event.type
    case 'file':
      return `file ${event.change}`
    case 'model-call':
      return 'model'
    case 'tool-call':
      return 'tool'
    case 'tool-result':
      return 'tool result'
    case 'custom':
      return event.name
    default:
      return event satisfies never
  }
}

const [width, height] = [1_000, 34]

/** Tool calls over time, as marks on a line. The timeline below has the same information as text. */
function JournalStrip({ events }: { readonly events: readonly JournalEvent[] }): JSX.Element | null {
  const times = events.flatMap(({ at }) => (at === undefined ? [] : [Date.parse(at)])).filter(Number.isFinite)
  const [from, to] = [Math.min(...times), Math.max(...times)]
  if (!(to > from)) return null
  const failed = new Set(events.flatMap((event) => (event.type === 'tool-result' && event.failed ? [event.id] : [])))
  const calls = events.flatMap((event) =>
    event.type === 'tool-call' && event.at !== undefined
      ? [{ id: event.id, x: 6 + ((Date.parse(event.at) - from) / (to - from)) * (width - 12) }]
      : [],
  )
  const broken = calls.filter(({ id }) => failed.has(id)).length
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${calls.length} tool calls over time, ${broken} failed`}
    >
      <line class="axis" x1="0" x2={width} y1={height / 2} y2={height / 2} />
      {calls.map(({ id, x }) => (
        <line
          key={id}
          class={failed.has(id) ? 'call broken' : 'call'}
          x1={x}
          x2={x}
          y1={failed.has(id) ? 3 : 9}
          y2={height - (failed.has(id) ? 3 : 9)}
        />
      ))}
    </svg>
  )
}

type Result = Extract<JournalEvent, { readonly type: 'tool-result' }>

/** How much of an input the summary of a tool call shows. */
const summaryLength = 160

/** The content of an event. A tool call includes its result. */
function EventText({
  event,
  result,
  isRaw,
}: {
  readonly event: JournalEvent
  readonly result: Result | undefined
  readonly isRaw: boolean
}): JSX.Element {
  switch (event.type) {
    case 'prompt':
    case 'text':
      return <Markdown text={event.text} isRaw={isRaw} />
    case 'thinking':
      return (
        <div class="quiet">
          <Markdown text={event.text} isRaw={isRaw} />
        </div>
      )
    case 'state':
      return <p>{event.state}</p>
    case 'file':
      return <p class="code">{event.path}</p>
    case 'model-call':
      return <ModelCall call={event} />
    case 'tool-call':
      return <ToolCall name={event.name} input={event.input} result={result} isRaw={isRaw} />
    case 'tool-result':
      return <Content result={event} isRaw={isRaw} />
    case 'custom':
      return <pre class="sheet">{JSON.stringify(event.data, null, 2)}</pre>
    default:
      return event satisfies never
  }
}

function ModelCall({ call }: { readonly call: Extract<JournalEvent, { readonly type: 'model-call' }> }): JSX.Element {
  const { model, usage, costUsd, elapsedMs, finishReason } = call
  const facts = [
    model,
    usage?.inputTokens === undefined ? '' : `${grouped(usage.inputTokens)} tokens in`,
    usage?.outputTokens === undefined ? '' : `${grouped(usage.outputTokens)} out`,
    costUsd === undefined ? '' : dollars(costUsd),
    elapsedMs === undefined ? '' : duration(elapsedMs),
    finishReason ?? '',
  ]
  return <p>{facts.filter((fact) => fact !== '').join(' · ')}</p>
}

function ToolCall({
  name,
  input,
  result,
  isRaw,
}: {
  readonly name: string
  readonly input: Json
  readonly result: Result | undefined
  readonly isRaw: boolean
}): JSX.Element {
  const text = inputText(input)
  return (
    <details>
      <summary>
        <strong>{name}</strong> <span class="code">{text.slice(0, summaryLength).replace(/\s+/g, ' ')}</span>
        {result?.failed === true ? <span class="failed"> failed</span> : null}
        {result?.elapsedMs === undefined ? null : <span class="quiet small"> {duration(result.elapsedMs)}</span>}
      </summary>
      <pre class="sheet">{text}</pre>
      {result === undefined ? (
        <p class="quiet small">There is no result.</p>
      ) : (
        <Content result={result} isRaw={isRaw} />
      )}
    </details>
  )
}

function Content({ result, isRaw }: { readonly result: Result; readonly isRaw: boolean }): JSX.Element {
  return (
    <pre class={result.failed ? 'sheet broken' : 'sheet'}>
      <Ansi text={result.content} isRaw={isRaw} />
    </pre>
  )
}

/** The only value of an input with one string, else the whole input. */
function inputText(input: Json): string {
  if (typeof input === 'string') return plainText(input)
  const values = typeof input === 'object' && input !== null ? Object.values(input) : []
  return values.length === 1 && typeof values[0] === 'string' ? plainText(values[0]) : JSON.stringify(input, null, 2)
}
