import type { JournalEvent } from '@jurist/core'
import type { JSX } from 'preact'
import type { JournalDocument } from '../../src/files/journal.js'
import { count, duration } from '../amounts.js'
import { useDocument } from '../source.js'
import { State } from '../state.js'
import { EventText } from './event-text.js'
import type { TrialPlace } from './item-view.js'
import { JournalStrip } from './journal-strip.js'

/** What the agent told while it worked, as a timeline. */
export function JournalPart({ trial: { run, itemId, repetition } }: { readonly trial: TrialPlace }): JSX.Element {
  const loading = useDocument<JournalDocument>(['runs', run, 'items', itemId, repetition, 'journal'])
  return (
    <State of={loading} missing="A report of one file holds no journals. Look at the store: jurist view">
      {(journal) =>
        journal.state === 'unknown' ? <p class="empty">{journal.reason}</p> : <Events journal={journal} />
      }
    </State>
  )
}

type Read = Extract<JournalDocument, { readonly state: 'read' }>

function Events({ journal: { events, total, dropped } }: { readonly journal: Read }): JSX.Element {
  const startedAt = Date.parse(events.find(({ at }) => at !== undefined)?.at ?? '')
  const results = new Map(events.flatMap((event) => (event.type === 'tool-result' ? [[event.id, event] as const] : [])))
  const calls = new Set(events.flatMap((event) => (event.type === 'tool-call' ? [event.id] : [])))
  const shown = events.filter((event) => event.type !== 'tool-result' || !calls.has(event.id))
  return (
    <>
      <JournalStrip events={events} />
      <p class="quiet small">
        {count(total)} events
        {events.length < total ? `, the first ${count(events.length)} are shown` : ''}
        {dropped > 0 ? `, ${count(dropped)} damaged lines left out` : ''}
      </p>
      <ol class="timeline">
        {shown.map((event, index) => (
          <li key={`${index} ${event.type}`}>
            <span class="when">{sinceStart(event, startedAt)}</span>
            <span class="what">{wordOf(event)}</span>
            <div>
              <EventText event={event} result={event.type === 'tool-call' ? results.get(event.id) : undefined} />
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
