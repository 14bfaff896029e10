import { join } from 'node:path'
import { consensus, type Judge, jury } from '@jurist/core'
import type { InlineItem } from '@jurist/experiment'
import { type Probe, type ProbeReport, probes, runProbes } from '@jurist/vet'
import { localWorkspace } from '@jurist/workspace'
import type { TestOptions } from '@jurist/workspace/commands'
import type { TrickName } from '../src/probe/toolchain.js'
import { trickProbe } from '../src/probe/trick-probe.js'

/** An item, a jury that believes what it is shown, and one that does not. */
export interface ProbeFixture {
  readonly item: InlineItem
  readonly naive: Judge
  readonly strict: Judge
}

/** What the two juries did with a probe. */
export type Held = 'only the naive jury passes it' | 'no jury passes it' | 'both juries pass it' | string

/**
 * Runs probes over the item of a fixture, with both juries as members of one.
 *
 * @returns for `reference`, for `idle` and for each probe that could be tried, which juries passed it
 */
export async function triedProbes(
  { item, naive, strict }: ProbeFixture,
  names: readonly TrickName[],
): Promise<ReadonlyMap<string, Held>> {
  const report = await runProbes(
    { name: 'fixture', dataset: [item], jury: jury({ judges: { naive, strict }, vote: consensus() }) },
    { probes: names.map(probeOf), withoutSandbox: true },
  )
  const rows = report.probes.filter(({ applicable }) => applicable > 0)
  return new Map([['reference', referenceOf(report)], ...rows.map((row) => [row.name, heldIn(row)] as const)])
}

function probeOf(name: TrickName): Probe {
  const known = probes.find((one) => one.name === name)
  return known ?? trickProbe({ name, what: 'Does the trick.', pattern: 'tests', remedy: 'Hide the tests.' })
}

function referenceOf({ reference: { applicable, passed, failed } }: ProbeReport): Held {
  return passed === applicable ? 'both juries pass it' : `fails: ${failed.map(({ reason }) => reason).join()}`
}

function heldIn({ members, problems }: ProbeReport['probes'][number]): Held {
  const { naive, strict } = members
  if (naive?.judged !== 1 || strict?.judged !== 1) return `not judged: ${problems.join()}`
  if (strict.passed === 1) return naive.passed === 1 ? 'both juries pass it' : 'only the strict jury passes it'
  return naive.passed === 1 ? 'only the naive jury passes it' : 'no jury passes it'
}

/** An item of a directory with `before`, `reference` and, for the strict jury alone, `hidden`. */
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
