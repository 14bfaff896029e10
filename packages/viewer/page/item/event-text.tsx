import type { JournalEvent, Json } from '@jurist/core'
import type { JSX } from 'preact'
import { count, dollars, duration } from '../amounts.js'
import { plainText } from '../plain-text.js'

type Result = Extract<JournalEvent, { readonly type: 'tool-result' }>

const shortLength = 160

/** What an event says; a tool call with what came of it. */
export function EventText({
  event,
  result,
}: {
  readonly event: JournalEvent
  readonly result: Result | undefined
}): JSX.Element {
  switch (event.type) {
    case 'prompt':
    case 'text':
      return <p class="prose">{plainText(event.text)}</p>
    case 'thinking':
      return <p class="prose quiet">{plainText(event.text)}</p>
    case 'state':
      return <p>{event.state}</p>
    case 'file':
      return <p class="code">{event.path}</p>
    case 'model-call':
      return <ModelCall call={event} />
    case 'tool-call':
      return <ToolCall name={event.name} input={event.input} result={result} />
    case 'tool-result':
      return <pre class={`sheet ${event.failed ? 'failed' : ''}`}>{plainText(event.content)}</pre>
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
    usage?.inputTokens === undefined ? '' : `${count(usage.inputTokens)} tokens in`,
    usage?.outputTokens === undefined ? '' : `${count(usage.outputTokens)} out`,
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
}: {
  readonly name: string
  readonly input: Json
  readonly result: Result | undefined
}): JSX.Element {
  const text = inputText(input)
  return (
    <details>
      <summary>
        <strong>{name}</strong> <span class="code">{text.slice(0, shortLength).replace(/\s+/g, ' ')}</span>
        {result?.failed === true ? <span class="failed"> failed</span> : null}
        {result?.elapsedMs === undefined ? null : <span class="quiet small"> {duration(result.elapsedMs)}</span>}
      </summary>
      <pre class="sheet">{text}</pre>
      {result === undefined ? (
        <p class="quiet small">It was not answered.</p>
      ) : (
        <pre class={`sheet ${result.failed ? 'failed' : ''}`}>{plainText(result.content)}</pre>
      )}
    </details>
  )
}

/** The only value of an input of one, else all of it. */
function inputText(input: Json): string {
  if (typeof input === 'string') return plainText(input)
  const values = typeof input === 'object' && input !== null ? Object.values(input) : []
  return values.length === 1 && typeof values[0] === 'string' ? plainText(values[0]) : JSON.stringify(input, null, 2)
}
