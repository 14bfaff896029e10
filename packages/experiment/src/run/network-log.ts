import type { JournalEvent, JsonObject } from '@jurist/core'
import type { NetworkAttempt } from '@jurist/workspace'
import type { TrialJournal } from '../journal/trial-journal.js'
import type { TrialNetwork } from '../result/records.js'

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
