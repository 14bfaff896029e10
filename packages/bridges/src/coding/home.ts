import type { AgentEnvironment } from './coding-options.js'
import { scratchDirectory } from './scratch-home.js'

/** The home directory of one call. */
export interface AgentHome extends AsyncDisposable {
  /** Absent: that of the host. */
  readonly path?: string
}

const kept = async (): Promise<void> => {}

/** Opens the home of one call; a scratch home is empty, and gone afterwards. */
export async function openHome(home: AgentEnvironment['home'] = 'scratch'): Promise<AgentHome> {
  switch (home) {
    case 'host':
      return { [Symbol.asyncDispose]: kept }
    case 'scratch':
      return scratchDirectory('home')
    default:
      return { path: home, [Symbol.asyncDispose]: kept }
  }
}
