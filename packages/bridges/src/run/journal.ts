import type { JournalEvent } from '@jurist/core'
import { withinText, withoutMiddle } from '../context/to-json.js'
import { withoutSecrets } from './secrets.js'

/** How much of a run goes to the journal. */
export type Transcript = 'full' | 'events' | 'none'

export interface JournalOptions {
  /** Without one nothing is written. */
  readonly record?: ((event: JournalEvent) => void) | undefined
  /** `events` shortens texts to 64 KiB, `none` keeps only states and model calls. Default `events`. */
  readonly transcript?: Transcript | undefined
  /** Replaced by `***` everywhere. */
  readonly secrets?: readonly string[]
  /** Told `journal-failed` once when `record` throws. */
  readonly warnings: string[]
}

/** Writes one event; never throws. */
export type WriteJournal = (event: JournalEvent) => void

const maxText = 65_536

/**
 * The journal of one run: stamps each event with the time of its arrival, shortens texts and blanks secrets.
 *
 * @example
 * const write = journalFor({ record: task.record, secrets: secretsIn(task.env), warnings })
 * write({ type: 'state', state: 'started' })
 */
export function journalFor(options: JournalOptions): WriteJournal {
  const { record, transcript = 'events', secrets = [], warnings } = options
  if (record === undefined) return () => undefined
  let broken = false
  const failed = () => {
    if (!broken) warnings.push('journal-failed')
    broken = true
  }
  return (event) => {
    if (transcript === 'none' && event.type !== 'state' && event.type !== 'model-call') return
    const safe = withoutSecrets(event, secrets)
    const told = transcript === 'full' ? safe : shortened(safe)
    try {
      const recorded: unknown = record(Object.freeze({ at: new Date().toISOString(), ...told }))
      // Nobody waits for an asynchronous one, but its rejection must not end the program.
      if (typeof recorded === 'object') Promise.resolve(recorded).catch(failed)
    } catch {
      failed()
    }
  }
}

function shortened(event: JournalEvent): JournalEvent {
  switch (event.type) {
    case 'prompt':
    case 'text':
    case 'thinking':
      return { ...event, text: withoutMiddle(event.text, maxText) }
    case 'tool-call':
      return { ...event, input: withinText(event.input, maxText) }
    case 'tool-result':
      return { ...event, content: withoutMiddle(event.content, maxText) }
    case 'custom':
      return { ...event, data: withinText(event.data, maxText) }
    case 'model-call':
    case 'state':
    case 'file':
      return event
    default:
      return event satisfies never
  }
}
