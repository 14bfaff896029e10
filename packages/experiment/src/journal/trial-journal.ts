import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { failureOf, type JournalEvent, type JsonObject } from '@jurist/core'
import { isJournalEvent } from './event-types.js'
import { storedEvent } from './stored-event.js'

/** What an agent tells during one trial. */
export interface TrialJournal {
  /** Whether there was anything to keep. */
  isEmpty(): boolean
  /** Keeps an event. Never throws: one that cannot be kept is warned of and left out. */
  record(event: JournalEvent): void
  /** Waits until everything is in the file, and closes it. `false`: there is no file. */
  close(): Promise<boolean>
}

/** Where a journal goes. */
export interface JournalTarget {
  /** The file; `null`: none is written. It is made with the first event, in place of one of an earlier process. */
  readonly path: string | null
  /** What the first line says of the trial. */
  readonly header: JsonObject
  /** Told every event as it is kept. */
  readonly recorded: (event: JournalEvent) => void
  readonly warn: (code: string, message: string) => void
}

/** The journal of one trial. A file that cannot be written is one warning and never more. */
export function trialJournal({ path, header, recorded, warn }: JournalTarget): TrialJournal {
  let file: LineFile | undefined
  let isEmpty = true

  return {
    isEmpty: () => isEmpty,
    record(event) {
      try {
        if (!isJournalEvent(event)) throw new TypeError('it has no type that is known')
        const stored = storedEvent(event)
        isEmpty = false
        if (path !== null) {
          file ??= lineFile(path, { type: 'header', schemaVersion: 1, ...header })
          file.write(stored)
        }
        recorded(stored)
      } catch (thrown) {
        warn('journal-event-invalid', `An event of the journal was left out: ${failureOf(thrown).message}.`)
      }
    },
    async close() {
      if (file === undefined) return false
      const failure = await file.close()
      if (failure === null) return true
      warn('journal-failed', `The journal ${path} could not be written: ${failure}.`)
      return false
    },
  }
}

interface LineFile {
  write(value: unknown): void
  /** What kept it from being written, or `null`. */
  close(): Promise<string | null>
}

/** A new file of JSON lines; lines that come while others are written go out together. */
function lineFile(path: string, header: unknown): LineFile {
  let lines = [JSON.stringify(header)]
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
