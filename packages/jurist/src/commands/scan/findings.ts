import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { trialText } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import type { RunResult } from '@jurist/experiment/result'
import type { ScanFinding, TrialScan } from '@jurist/experiment/scan'
import { parseLines } from '@jurist/kit/json'
import { regularFileText } from '@jurist/kit/regular-file'
import { safeLine } from '@jurist/kit/terminal'
import * as v from 'valibot'
import type { Results } from '../../command-kit/results-store.js'

const settlementSchema = v.object({
  itemId: v.string(),
  /** Absent: every repetition. */
  repetition: v.optional(v.number()),
  rule: v.string(),
  /** The judgment of a person. The last one applies. */
  as: v.picklist(['fine', 'suspect']),
  reason: v.string(),
  by: v.string(),
  at: v.string(),
})

/** The judgment of a person about findings. It changes no verdict, and the findings stay. */
export type Settlement = v.InferOutput<typeof settlementSchema>

const maxBytes = 64 * 1024 * 1024

function placeOf({ directory }: Results, { experimentName, id }: RunResult, file: string): string | undefined {
  return directory === undefined ? undefined : join(directory, experimentName, id, file)
}

async function linesIn(path: string | undefined): Promise<readonly unknown[]> {
  if (path === undefined) return []
  return parseLines(await regularFileText(path, maxBytes).catch(() => ''))
}

/** Returns the settlements beside a run, oldest first. */
export async function settlementsKept(results: Results, run: RunResult): Promise<readonly Settlement[]> {
  const lines = await linesIn(placeOf(results, run, 'settlements.jsonl'))
  return lines.flatMap((line) => {
    const { success, output } = v.safeParse(settlementSchema, line)
    return success ? [output] : []
  })
}

/** @throws `usage-invalid` for a store without a directory */
export async function keepSettlement(
  results: Results,
  run: RunResult,
  settlement: Omit<Settlement, 'by' | 'at'>,
): Promise<void> {
  const path = placeOf(results, run, 'settlements.jsonl')
  if (path === undefined)
    throw usageInvalid('--settle', 'This store keeps no settlements: they need a results directory.')
  await mkdir(dirname(path), { recursive: true })
  const line = { ...settlement, by: userInfo().username, at: new Date().toISOString() }
  await appendFile(path, `${JSON.stringify(line)}\n`)
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

/** Writes the findings of a whole run beside it, for `show`. A store without a directory keeps none. */
export async function keepFindings(results: Results, run: RunResult, scans: readonly TrialScan[]): Promise<void> {
  const path = placeOf(results, run, 'findings.jsonl')
  if (path === undefined) return
  const at = new Date().toISOString()
  const lines = scans.flatMap(({ findings }) => findings.map((finding) => `${JSON.stringify({ ...finding, at })}\n`))
  await writeFile(`${path}.${process.pid}`, lines.join(''))
  await rename(`${path}.${process.pid}`, path)
}

const findingSchema = v.object({
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

/** Returns the findings that the last scan of the whole run has kept; `null` if it was never scanned. */
async function findingsKept(results: Results, run: RunResult): Promise<readonly ScanFinding[] | null> {
  const path = placeOf(results, run, 'findings.jsonl')
  const text = path === undefined ? undefined : await regularFileText(path, maxBytes).catch(() => undefined)
  if (text === undefined) return null
  return parseLines(text).flatMap((line) => {
    const { success, output } = v.safeParse(findingSchema, line)
    return success ? [output as ScanFinding] : []
  })
}

/** Returns what the last scan found in one trial, with the settlements of its run. */
export async function findingsOfTrial(
  results: Results,
  run: RunResult,
  { itemId, repetition }: Pick<ScanFinding, 'itemId' | 'repetition'>,
) {
  const kept = (await findingsKept(results, run)) ?? []
  const findings = kept.filter((one) => one.itemId === itemId && one.repetition === repetition)
  return { findings, settlements: findings.length === 0 ? [] : await settlementsKept(results, run) }
}

/** Formats a finding with its place. */
export function findingLine(finding: ScanFinding, settlements: readonly Settlement[]): string {
  const { rule, level, place, evidence, remark } = finding
  const at =
    'step' in place ? `step ${place.step}` : 'answer' in place ? 'answer' : `${safeLine(place.path)}:${place.line}`
  const found =
    'path' in place && evidence.startsWith(`${place.path}: `) ? evidence.slice(place.path.length + 2) : evidence
  const notes = [remark, ...(isSettled(finding, settlements) ? ['settled as fine'] : [])].filter(
    (one) => one !== undefined,
  )
  return `  ${safeLine(trialText(finding))}  ${level} ${rule}  ${at}  ${safeLine(found)}${notes.length === 0 ? '' : `  (${notes.map(safeLine).join('; ')})`}`
}
