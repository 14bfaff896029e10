import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { JournalEvent, Json, JsonObject } from '@jurist/core'
import { failureOf, frozenJson } from '@jurist/core/internal'
import type { NetworkAttempt } from '@jurist/workspace'
import type { TrialNetwork } from '../result/records.js'
import { now } from '../run/events.js'
import { isJournalEvent } from './journal-events.js'

/** The journal of an agent during one trial. */
export interface TrialJournal {
  /** Whether no event was recorded. */
  isEmpty(): boolean
  /** Keeps an event, and returns it as it is kept. Never throws: one that cannot be kept is warned of and left out. */
  record(event: JournalEvent): JournalEvent | undefined
  /** Waits until everything is in the file, and closes it. `false` without a file. */
  close(): Promise<boolean>
}

/** The destination of a journal. */
export interface JournalTarget {
  /**
   * The file, and the trial for its first line. Called with the first event, when the file is made and replaces that of
   * an earlier process. `null`: no file is written.
   */
  readonly file: (() => { readonly path: string; readonly header: JsonObject }) | null
  /** Called with every event as it is stored. */
  readonly recorded: (event: JournalEvent) => void
  readonly warn: (code: string, message: string) => void
}

/** The journal of one trial. A file that cannot be written is one warning and never more. */
export function trialJournal({ file: place, recorded, warn }: JournalTarget): TrialJournal {
  let file: LineFile | undefined
  let isEmpty = true

  return {
    isEmpty: () => isEmpty,
    record(event) {
      try {
        if (!isJournalEvent(event)) throw new TypeError('it has no type that is known')
        const stored = storedEvent(event)
        isEmpty = false
        if (place !== null) {
          file ??= journalFile(place())
          file.write(stored)
        }
        recorded(stored)
        return stored
      } catch (thrown) {
        warn('journal-event-invalid', `An event of the journal was left out: ${failureOf(thrown).message}.`)
        return undefined
      }
    },
    async close() {
      if (file === undefined) return false
      const failure = await file.close()
      if (failure === null) return true
      warn('journal-failed', `The journal ${file.path} could not be written: ${failure}.`)
      return false
    },
  }
}

interface LineFile {
  readonly path: string
  write(value: unknown): void
  /** Resolves to the reason why the journal could not be written, or `null`. */
  close(): Promise<string | null>
}

/** A new file of JSON lines; lines that come while others are written go out together. */
function journalFile({ path, header }: { readonly path: string; readonly header: JsonObject }): LineFile {
  let lines = [JSON.stringify({ type: 'header', schemaVersion: 1, ...header })]
  let failure: string | null = null
  let writing: Promise<void> | undefined
  const opening = mkdir(dirname(path), { recursive: true }).then(() => open(path, 'w'))

  async function drain(): Promise<void> {
    try {
      const handle = await opening
      while (lines.length > 0) {
        const batch = lines
        lines = []
        await handle.appendFile(`${batch.join('\n')}\n`)
      }
    } catch (thrown) {
      failure = failureOf(thrown).message
      lines = []
    }
    writing = undefined
  }

  return {
    path,
    write(value) {
      if (failure !== null) return
      lines.push(JSON.stringify(value))
      writing ??= drain()
    },
    async close() {
      await writing
      await opening.then(
        (handle) => handle.close(),
        () => undefined,
      )
      return failure
    },
  }
}

/** The longest text of an event that is kept, in bytes of UTF-8. */
const longest = 64 * 1024

/**
 * An event as it is stored: a frozen copy with its time and phase, long strings cut.
 *
 * @throws `metadata-invalid` when it is not JSON
 */
function storedEvent(event: JournalEvent): JournalEvent {
  const { type, at = now(), phase = 'agent', ...rest } = frozenJson(withoutUndefined(event), ['event']) as JsonObject
  const { fields, truncated } = cutFields(rest)
  return Object.freeze({ type, at, phase, ...fields, ...(truncated ? { truncated } : {}) }) as unknown as JournalEvent
}

function withoutUndefined(event: JournalEvent): object {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined))
}

function cutFields(event: JsonObject): { readonly fields: JsonObject; readonly truncated: boolean } {
  const fields: { [name: string]: Json } = {}
  let truncated = false
  for (const [name, value] of Object.entries(event)) {
    const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : ''
    const long = text.length > longest / 3 && Buffer.byteLength(text) > longest
    fields[name] = long ? beginningOf(text) : value
    truncated ||= long
  }
  return { fields, truncated }
}

/** The beginning of a string, without a partial character. */
function beginningOf(text: string): string {
  const bytes = Buffer.alloc(longest)
  const { read } = new TextEncoder().encodeInto(text, bytes)
  return text.slice(0, read)
}

/** The network requests of the commands of one trial, over all its attempts. */
export interface NetworkLog {
  /** Records an attempt in the journal, in the given phase of the trial. */
  record(attempt: NetworkAttempt, phase: 'agent' | 'judge'): void
  /** Records what was only counted. Call it once, when nothing more can happen. */
  end(): void
  /** The counts for the record of the trial; `undefined` if nothing was asked for. */
  counts(): TrialNetwork | undefined
}

/** Events of the same host, port and outcome, and different hosts, beyond which attempts are only counted. */
const [mostAlike, mostHosts] = [100, 1_000]

/** Logs attempts in the journal of a trial. A command can make any number of them, so the log stays small. */
export function networkLog(journal: Pick<TrialJournal, 'record'>): NetworkLog {
  const counts = { allowed: new Map<string, number>(), refused: new Map<string, number>() }
  const alike = new Map<string, { readonly event: JournalEvent; written: number; counted: number }>()
  return {
    record(attempt, phase) {
      const { outcome, reason } = attempt
      const ofOutcome = counts[outcome]
      const asked = attempt.host ?? `(${reason})`
      const isKnown = ofOutcome.has(asked) || ofOutcome.size < mostHosts
      const name = isKnown ? asked : '(other hosts)'
      ofOutcome.set(name, (ofOutcome.get(name) ?? 0) + 1)
      const { host, port } = isKnown ? attempt : { host: null, port: null }
      const key = JSON.stringify([name, port, outcome])
      const same = alike.get(key) ?? { event: eventOf({ host, port, outcome }, phase), written: 0, counted: 0 }
      alike.set(key, same)
      if (isKnown && same.written < mostAlike) {
        same.written += 1
        journal.record(eventOf({ ...attempt }, phase))
      } else same.counted += 1
    },
    end() {
      for (const { event, counted } of alike.values())
        if (counted > 0 && event.type === 'custom')
          journal.record({ ...event, data: { ...(event.data as JsonObject), count: counted } })
      alike.clear()
    },
    counts() {
      if (counts.allowed.size + counts.refused.size === 0) return undefined
      return { allowed: Object.fromEntries(counts.allowed), refused: Object.fromEntries(counts.refused) }
    },
  }
}

function eventOf(data: JsonObject, phase: string): JournalEvent {
  return { type: 'custom', name: 'network', phase, data }
}
