import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseLines } from '@jurist/kit/json'
import { regularFileText } from '@jurist/kit/regular-file'
import * as v from 'valibot'
import type { KeptFinding } from './finding-text.js'
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

const findingSchema: v.GenericSchema<unknown, ScanFinding> = v.object({
  itemId: v.string(),
  repetition: v.number(),
  rule: v.string(),
  level: v.picklist(['suspect', 'attempt', 'note']),
  place: v.union([
    v.object({ step: v.number(), from: v.number(), to: v.number() }),
    v.object({ answer: v.literal(true), from: v.number(), to: v.number() }),
    v.object({ path: v.string(), line: v.number() }),
  ]),
  evidence: v.string(),
  remark: v.optional(v.string()),
})

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
  const at = new Date().toISOString()
  const lines = scans.flatMap(({ findings }) => findings.map((finding) => `${JSON.stringify({ ...finding, at })}\n`))
  await writeFile(`${path}.${process.pid}`, lines.join(''))
  await rename(`${path}.${process.pid}`, path)
}

/** Returns what the last scan of a whole run found. */
export async function findingsKept(directory: string): Promise<readonly KeptFinding[]> {
  const found = await linesOf(join(directory, 'findings.jsonl'), findingSchema)
  const settlements = found.length === 0 ? [] : await settlementsKept(directory)
  return found.map((finding) => ({ ...finding, settled: isSettled(finding, settlements) }))
}
