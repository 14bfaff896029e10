import { copyWorkspaces } from 'jurist'
import type { Provision } from 'jurist/experiment'

/** Workspaces as usual, each with a file of rules for the agent. */
export function withRules(rules: string, inner: Provision = copyWorkspaces()): Provision {
  const provision: Provision = async (request) => {
    const lease = await inner(request)
    try {
      await lease.workspace.write('AGENTS.md', rules)
      return lease
    } catch (thrown) {
      await lease[Symbol.asyncDispose]()
      throw thrown
    }
  }
  // `isolation` and `reopen` stay those of the inner one.
  return Object.assign(provision, inner)
}
