import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Judge, type Judgment, runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { localWorkspace, type Sandbox } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'

export interface AttemptOptions {
  /** The directory below `fixtures`. */
  readonly project: string
  /** What the agent delivers: the solution, or what it began with. Default `'before'`. */
  readonly delivers?: 'reference' | 'before'
  /** What the agent does beyond that. */
  readonly change?: (root: string, places: Places) => void
  readonly sandbox?: Sandbox
}
export interface Places {
  readonly before: string
  readonly reference: string
}
/** What an agent delivered, in a copy that is thrown away. */
export interface Attempt extends Disposable {
  readonly root: string
  judge(judge: Judge): Promise<Judgment>
}

/** An agent's work on a project, with what it began with and the solution beside it. */
export function attempt({ project, delivers = 'before', change, sandbox }: AttemptOptions): Attempt {
  const fixture = fileURLToPath(new URL(`../fixtures/${project}/`, import.meta.url))
  const directory = mkdtempSync(join(tmpdir(), 'jurist-attempt-'))
  const [root, before, reference] = [join(directory, 'work'), join(directory, 'before'), join(directory, 'reference')]
  cpSync(join(fixture, delivers), root, { recursive: true })
  cpSync(join(fixture, 'before'), before, { recursive: true })
  cpSync(join(fixture, 'reference'), reference, { recursive: true })
  const startedAt = new Date().toISOString()
  change?.(root, { before, reference })
  const workspace = localWorkspace(root, sandbox === undefined ? {} : { sandbox })
  const context = aContext({
    workspace,
    before: readOnly(localWorkspace(before)),
    reference: readOnly(localWorkspace(reference)),
    startedAt,
  })
  return {
    root,
    judge: (judge) => runJudge(judge, context),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}
