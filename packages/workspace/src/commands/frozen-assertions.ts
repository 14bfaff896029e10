import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from '@jurist/core'
import { rootsOf } from './within-workspace.js'

/** Code under test shares a process with its tests, and what it replaces here would make every assertion hold. */
const source = `for (const name of ['node:assert', 'node:test'])
  try {
    const part = require(name)
    Object.freeze(part.strict ?? part)
    Object.freeze(part)
  } catch {}
`

/**
 * The option that makes Node freeze its assertions and its test runner before it loads anything else, in a workspace that is
 * thrown away. Not `--import`: with it, Node 20 ignores what other options register for the extensions of files.
 */
export function freezingAssertions(workspace: Workspace): string {
  const [inside] = rootsOf(workspace)
  if (workspace.root === undefined || inside === undefined) return ''
  const file = `.jurist-assertions-${randomBytes(8).toString('hex')}.cjs`
  writeFileSync(join(workspace.root, file), source, { flag: 'wx' })
  return `--require=${JSON.stringify(join(inside, file))}`
}
