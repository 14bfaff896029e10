import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseLines } from '@jurist/kit/json'
import { regularFileText } from '@jurist/kit/regular-file'
import * as v from 'valibot'
import { type KeptScan, keptScanOf } from './finding-text.js'
import { findingFields, headFields } from './findings-schema.js'
import type { ScanFinding, TrialScan } from './scan.js'

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

const settlementSchema: v.GenericSchema<unknown, Settlement> = v.object({
  itemId: v.string(),
  repetition: v.optional(v.number()),
  rule: v.string(),
  as: v.picklist(['fine', 'suspect']),
  reason: v.string(),
  by: v.string(),
  at: v.string(),
})

const findingSchema = v.object(findingFields) as v.GenericSchema<unknown, ScanFinding>
const headSchema = v.object(headFields) as v.GenericSchema<unknown, Omit<KeptScan, 'findings'>>

const maxBytes = 64 * 1024 * 1024

/** Reads the lines of a file that fit a schema. Others, and a missing file, are left out. */
async function linesOf<Line>(path: string, schema: v.GenericSchema<unknown, Line>): Promise<readonly Line[]> {
  const text = await regularFileText(path, maxBytes).catch(() => '')
  return parseLines(text).flatMap((line): readonly Line[] => {
    const { success, output } = v.safeParse(schema, line)
    return success ? [output] : []
  })
}

/** Returns the settlements in the directory of a run, oldest first. */
export async function settlementsKept(directory: string): Promise<readonly Settlement[]> {
  return linesOf(join(directory, 'settlements.jsonl'), settlementSchema)
}

export async function keepSettlement(directory: string, settlement: Settlement): Promise<void> {
  const path = join(directory, 'settlements.jsonl')
  await mkdir(dirname(path), { recursive: true })
  await appendFile(path, `${JSON.stringify(settlement)}\n`)
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

/** Replaces the findings of a whole run beside it. */
export async function keepFindings(directory: string, scans: readonly TrialScan[]): Promise<void> {
  const path = join(directory, 'findings.jsonl')
  const { findings, ...head } = keptScanOf(scans, () => false)
  const lines = [head, ...findings.map(({ settled: _, ...finding }) => finding)]
  await writeFile(`${path}.${process.pid}`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  await rename(`${path}.${process.pid}`, path)
}

/** Returns what the last scan of a whole run found and could not see; `null` if the run was never scanned. */
export async function scanKept(directory: string): Promise<KeptScan | null> {
  const path = join(directory, 'findings.jsonl')
  const [head] = await linesOf(path, headSchema)
  if (head === undefined) return null
  const [found, settlements] = await Promise.all([linesOf(path, findingSchema), settlementsKept(directory)])
  return { ...head, findings: found.map((one) => ({ ...one, settled: isSettled(one, settlements) })) }
}
