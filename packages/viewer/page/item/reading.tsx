import { createContext } from 'preact'
import type { TrialRoute } from '../router.js'

/** How the view of a trial is read, as the address says. */
export interface Reading {
  /** The trial whose files places lead to; `null` where its workspace was not kept, so that places are plain text. */
  readonly trial: TrialRoute | null
  /** Whether texts are shown as they were recorded, without Markdown and colours. */
  readonly isRaw: boolean
  /** The disclosures that the reader has opened or closed. */
  readonly toggled: ReadonlySet<string>
}

/** How the parts of a trial's view are read. */
export const ReadingContext = createContext<Reading>({ trial: null, isRaw: false, toggled: new Set() })
