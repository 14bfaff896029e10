import { createHash } from 'node:crypto'
import { parseLines } from '@jurist/kit/json'
import * as v from 'valibot'
import { sha256 } from '../dataset/hash.js'
import type { ItemResult } from '../result/records.js'
import { ownVersion } from '../run/check-run.js'
import type { ResultStore, StoredRunName } from '../store/store.js'
import { type KeptScan, keptScanOf } from './finding-text.js'
import { trialScanFields } from './findings-schema.js'
import type { ModelRule } from './model-rule.js'
import type { ScanAllowance, ScanRule } from './rule.js'
import type { ScanFinding, TrialScan } from './scan.js'

/** A store as far as scans use it. */
type ScanStore = Pick<ResultStore, 'findings' | 'settlements'>

/** The judgment of a person about findings. It changes no verdict, and the findings stay. */
export interface Settlement {
  readonly itemId: string
  /** Absent: every repetition. */
  readonly repetition?: number | undefined
  readonly rule: string
  /** The last settlement of a finding applies. */
  readonly as: 'fine' | 'suspect'
  readonly reason: string
  readonly by: string
  readonly at: string
}

/** The scan of a trial as a run keeps it. */
export interface KeptTrialScan {
  /** The hash of the trial, its journal and the rules. An equal one need not be scanned again. */
  readonly of: string
  readonly scan: TrialScan
}

const settlementSchema: v.GenericSchema<unknown, Settlement> = v.object({
  itemId: v.string(),
  repetition: v.optional(v.number()),
  rule: v.string(),
  as: v.picklist(['fine', 'suspect']),
  reason: v.string(),
  by: v.string(),
  at: v.string(),
})
const headSchema: v.GenericSchema<unknown, { readonly at: string }> = v.object({ at: v.string() })
const trialSchema = v.object({ of: v.string(), scan: v.object(trialScanFields) }) as v.GenericSchema<
  unknown,
  KeptTrialScan
>

/** Reads the lines that fit a schema, and leaves out others. */
function linesOf<Line>(text: string, schema: v.GenericSchema<unknown, Line>): readonly Line[] {
  return parseLines(text).flatMap((line): readonly Line[] => {
    const { success, output } = v.safeParse(schema, line)
    return success ? [output] : []
  })
}

/** Returns the settlements of a run, oldest first. */
export async function settlementsKept(store: ScanStore, run: StoredRunName): Promise<readonly Settlement[]> {
  return linesOf((await store.settlements?.read(run)) ?? '', settlementSchema)
}

/** Identifies rules and what is allowed. */
export function rulesHash(rules: readonly (ScanRule | ModelRule)[], allow: readonly ScanAllowance[]): string {
  const versions = rules.map((rule) => [rule.name, rule.version ?? ('find' in rule ? `${rule.find}` : '')])
  return sha256(JSON.stringify([ownVersion(), versions, allow]))
}

/** Identifies what a scan of a trial reads: of the stored trial and its journal every byte. */
export function scanHash(rules: string, item: ItemResult, journal: { readonly text?: string }): string {
  return createHash('sha256')
    .update(`${rules}\n${JSON.stringify(item)}\n`)
    .update(journal.text ?? '')
    .digest('hex')
}

/** Whether a person has settled a finding as fine. */
export function isSettled(
  { itemId, repetition, rule }: Pick<ScanFinding, 'itemId' | 'repetition' | 'rule'>,
  settlements: readonly Settlement[],
): boolean {
  const last = settlements.findLast(
    (one) => one.itemId === itemId && one.rule === rule && (one.repetition ?? repetition) === repetition,
  )
  return last?.as === 'fine'
}

/** Replaces what a run keeps of its last scan. A store that keeps no findings keeps none of these. */
export async function keepScan(
  store: ScanStore,
  { experimentName, id }: StoredRunName,
  scans: readonly KeptTrialScan[],
): Promise<void> {
  const lines = [{ at: new Date().toISOString() }, ...scans].map((line) => `${JSON.stringify(line)}\n`)
  await store.findings?.replace({ experimentName, id }, lines.join(''))
}

/** Returns the scans of the trials that a run keeps. */
export async function trialScansKept(store: ScanStore, run: StoredRunName): Promise<readonly KeptTrialScan[]> {
  return linesOf((await store.findings?.read(run)) ?? '', trialSchema)
}

/** Returns what the last scan of a whole run found and could not see; `null` if the run was never scanned. */
export async function scanKept(store: ScanStore, run: StoredRunName): Promise<KeptScan | null> {
  const [text = '', settlements] = await Promise.all([store.findings?.read(run), settlementsKept(store, run)])
  const end = text.indexOf('\n')
  const [head] = linesOf(text.slice(0, end + 1), headSchema)
  if (head === undefined) return null
  const scans = linesOf(text.slice(end + 1), trialSchema).map(({ scan }) => scan)
  return { ...keptScanOf(scans, (finding) => isSettled(finding, settlements)), ...head }
}
