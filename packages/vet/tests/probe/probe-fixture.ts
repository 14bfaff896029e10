import { join } from 'node:path'
import { consensus, type Judge, jury } from '@jurist/core'
import { copyWorkspaces, type Hooks, type InlineItem, type Provision } from '@jurist/experiment'
import { type ProbeReport, runProbes } from '@jurist/vet'
import { localWorkspace } from '@jurist/workspace'
import type { TestOptions } from '@jurist/workspace/commands'

/** An item, and judges of it: those that believe what they are shown, and one that does not. */
export interface ProbeFixture {
  readonly item: InlineItem
  readonly judges: { readonly [name: string]: Judge }
  /** Default: copies on the machine itself. */
  readonly provision?: Provision
  /** Prepares the workspace for the agent. */
  readonly prepare?: NonNullable<Hooks['beforeAgent']>
}

/**
 * Runs probes over the item of a fixture, with its judges as members of one jury.
 *
 * @returns for the right answer (`reference`), for doing nothing (`idle`) and for each probe, the judges that pass it, and
 * `found` where the probe found what it must not
 * @throws when a probe was not tried, or a judge did not decide
 */
export async function passing(
  { item, judges, provision = copyWorkspaces(), prepare }: ProbeFixture,
  probes: readonly string[],
): Promise<{ readonly [probe: string]: readonly string[] }> {
  const hooks = prepare === undefined ? {} : { beforeAgent: prepare }
  const report = await runProbes(
    { name: 'fixture', dataset: [item], jury: jury({ judges, vote: consensus() }), provision, hooks },
    { probes, withoutSandbox: true, online: true },
  )
  const rows = report.probes.map((row) => [row.name, passersOf(row, Object.keys(judges))] as const)
  return Object.fromEntries([['reference', withReference(report, judges)], ...rows])
}

/** What `passing` answers when these judges pass the right answer and every probe, and nothing passes without work. */
export function expectedPassing(
  { judges }: Pick<ProbeFixture, 'judges'>,
  passers: { readonly [probe: string]: readonly string[] },
): { readonly [probe: string]: readonly string[] } {
  return { reference: Object.keys(judges), idle: [], ...passers }
}

function withReference({ reference }: ProbeReport, judges: ProbeFixture['judges']): readonly string[] {
  if (reference.passed === 1) return Object.keys(judges)
  throw new Error(`The reference does not pass: ${reference.failed.map(({ reason }) => reason).join()}`)
}

function passersOf(row: ProbeReport['probes'][number], names: readonly string[]): readonly string[] {
  const undecided = names.filter((name) => row.members[name]?.judged !== 1)
  const hasFound = row.passed.some(({ found }) => found.length > 0)
  if (undecided.length === 0)
    return [...names.filter((name) => row.members[name]?.passed === 1), ...(hasFound ? ['found'] : [])]
  throw new Error(`${row.name} was not judged by ${undecided.join()}: ${row.problems.join() || 'it was not tried'}`)
}

/** An item of a directory with `before`, `reference` and, for the strict judge alone, `hidden`. */
export function itemIn(directory: string): InlineItem {
  return {
    id: 'sums',
    task: 'Make the tests pass.',
    before: join(directory, 'before'),
    reference: join(directory, 'reference'),
  }
}

/** The hidden tests of such a directory. */
export function hiddenIn(directory: string, ...paths: readonly string[]): NonNullable<TestOptions['overlay']> {
  return { from: localWorkspace(join(directory, 'hidden')), paths }
}
