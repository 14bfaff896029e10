import type { JournalEvent } from '@jurist/core'
import { withinText, withoutMiddle } from '../context/to-json.js'
import { withoutSecrets } from './secrets.js'

/** How much of a run is written to the journal. */
export type Transcript = 'full' | 'events' | 'none'

export interface JournalOptions {
  /** Receives the events. Default: nothing is written. */
  readonly record?: ((event: JournalEvent) => void) | undefined
  /** `full` writes all; `events` shortens strings to 64 KiB; `none` writes only states and model calls. Default `events`. */
  readonly transcript?: Transcript | undefined
  /** Values that are replaced by `***`. */
  readonly secrets?: readonly string[]
  /** Receives `journal-failed` once if `record` throws. */
  readonly warnings: string[]
}

/** Never throws. */
export type WriteJournal = (event: JournalEvent) => void

const maxText = 65_536

/** Adds the time to each event, shortens strings and replaces secrets. */
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
    const shown = transcript === 'full' ? safe : shortened(safe)
    try {
      const recorded: unknown = record(Object.freeze({ at: new Date().toISOString(), ...shown }))
      // A promise is not awaited, but its rejection must not end the program.
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
