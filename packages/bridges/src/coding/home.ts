import type { AgentEnvironment } from './coding-options.js'
import { scratchDirectory } from './scratch-home.js'

/** The home directory of one call. */
export interface AgentHome extends AsyncDisposable {
  /** Absent: that of the host. */
  readonly path?: string
  /** Deletes a scratch home; never rejects, but tells whether nothing is left of it. */
  remove(): Promise<boolean>
}

const kept = { remove: async (): Promise<boolean> => true, [Symbol.asyncDispose]: async (): Promise<void> => {} }

/** Opens the home of one call; a scratch home is empty, and gone afterwards. */
export async function openHome(home: AgentEnvironment['home'] = 'scratch'): Promise<AgentHome> {
  switch (home) {
    case 'host':
      return kept
    case 'scratch':
      return scratchDirectory('home')
    default:
      return { ...kept, path: home }
  }
}
