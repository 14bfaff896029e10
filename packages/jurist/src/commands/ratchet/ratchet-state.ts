import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { JuristError } from '@jurist/core'
import { replaceFile, takeLock } from '@jurist/experiment/internal'
import { commandLine } from '@jurist/kit/command-line'
import { parseOrUndefined } from '@jurist/kit/json'
import { repositoryAround } from '@jurist/workspace/internal'
import * as v from 'valibot'
import { hashOf, treeHash } from './versions.js'

declare module '@jurist/core' {
  interface Problems {
    'ratchet-refused': { readonly name: string }
  }
}

/** The error of a ratchet that cannot continue: exit code 3. */
export function ratchetRefused(name: string, message: string): JuristError<'ratchet-refused'> {
  return new JuristError('ratchet-refused', message, { name })
}

const entrySchema = v.strictObject({
  /** 1 is the first. */
  seq: v.number(),
  at: v.string(),
  kind: v.picklist(['init', 'rehearsal', 'look', 'answer', 'report', 'renew', 'seen', 'ignored']),
  /** The hash of the editable files of a version. */
  tree: v.string(),
  /** Units that are better and worse than those of the kept version. */
  b: v.exactOptional(v.number()),
  w: v.exactOptional(v.number()),
  p: v.exactOptional(v.number()),
  level: v.exactOptional(v.number()),
  accepted: v.exactOptional(v.boolean()),
  /** Why a look was not accepted, unless its p value explains it. */
  reason: v.exactOptional(v.picklist(['undecided', 'late', 'failed', 'abandoned'])),
  /** The hash of hidden trials: those of the version to beat for a look, those of the candidate for its answer. */
  trials: v.exactOptional(v.string()),
  /** Changed paths that were not taken. */
  paths: v.exactOptional(v.array(v.string())),
  /** The commit of an accepted version, or of the start. */
  commit: v.exactOptional(v.string()),
  /** The run with the trials of the entry. */
  run: v.exactOptional(v.nullable(v.string())),
  /** The entry that was looked at. */
  seen: v.exactOptional(v.number()),
  /** Hashes of the plan and of the files that judge, of the first entry. */
  plan: v.exactOptional(v.string()),
  pinned: v.exactOptional(v.string()),
  /** The hash of the entry before; `null`: it is the first. */
  previous: v.nullable(v.string()),
  /** SHA-256 of the canonical JSON of the entry without this field. */
  hash: v.string(),
})

/** One entry of a log. */
export type Entry = v.InferOutput<typeof entrySchema>

type NewEntry = Omit<Entry, 'seq' | 'at' | 'previous' | 'hash'>

/** The entries of a ratchet: each has the hash of the one before, and is on the disk when `append` returns. */
interface Log {
  readonly entries: readonly Entry[]
  append(entry: NewEntry): Promise<Entry>
}

/**
 * Reads and checks a log. An entry that a crash cut off never counted, and is left out.
 *
 * @throws `ratchet-refused` naming the entry that is missing or changed
 */
export async function readLog(directory: string, ratchet: string): Promise<Log> {
  const [file, head] = [join(directory, 'log.jsonl'), join(directory, 'head.json')]
  const text = await readFile(file, 'utf8').catch(() => '')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  let size = Buffer.byteLength(whole)
  const entries: Entry[] = []
  const broken = (seq: number) =>
    ratchetRefused(
      ratchet,
      `The log ${file} is broken at entry ${seq}: it was changed, or an entry is missing. Begin a new ratchet.`,
    )
  for (const line of whole.split('\n').slice(0, -1)) {
    const read = v.safeParse(entrySchema, parseOrUndefined(line))
    if (!read.success) throw broken(entries.length + 1)
    const { hash, ...rest } = read.output
    const isNext = rest.seq === entries.length + 1 && rest.previous === (entries.at(-1)?.hash ?? null)
    if (!isNext || hash !== hashOf(rest)) throw broken(entries.length + 1)
    entries.push(read.output)
  }
  // The last entries would be missed by nothing else. A crash may leave the head one entry behind.
  const known = v.safeParse(headSchema, parseOrUndefined(await readFile(head, 'utf8').catch(() => '')))
  const { seq, hash } = known.success ? known.output : { seq: 0, hash: undefined }
  if (entries[seq - 1]?.hash !== hash || entries.length > seq + 1) throw broken(Math.min(seq, entries.length) + 1)
  return {
    entries,
    async append(entry) {
      const next = {
        ...{ seq: entries.length + 1, at: new Date().toISOString() },
        ...entry,
        previous: entries.at(-1)?.hash ?? null,
      }
      const added = { ...next, hash: hashOf(next) }
      const line = `${JSON.stringify(added)}\n`
      await using handle = await open(file, 'a', 0o600)
      await handle.truncate(size)
      await handle.writeFile(line)
      await handle.sync()
      size += Buffer.byteLength(line)
      const newest = JSON.stringify({ seq: added.seq, hash: added.hash })
      await replaceFile(head, newest, { temporary: directory, sync: true })
      entries.push(added)
      return added
    },
  }
}

const headSchema = v.object({ seq: v.number(), hash: v.string() })

const ids = v.array(v.string())

const planSchema = v.strictObject({
  name: v.string(),
  experiment: v.string(),
  variant: v.nullable(v.string()),
  /** The chance that any acceptance is false, over all trees of answers. */
  alpha: v.number(),
  /** The looks of each tree of answers. */
  looks: v.number(),
  /** Whether nothing is answered until the report. */
  blind: v.boolean(),
  /** The root of the repository, and the commit of the start. */
  project: v.string(),
  commit: v.string(),
  /** The config, and the paths that the agent may change, below the root. */
  config: v.string(),
  editable: ids,
  /** Ids of items. There are hidden ones for each tree of answers: the first, and one for each renewal. */
  parts: v.strictObject({ visible: ids, hidden: v.array(ids), reserve: ids }),
  /** The unit of each item that does not stand alone. */
  units: v.record(v.string(), v.string()),
  /** The hash and the number of repetitions of each item. */
  items: v.record(v.string(), v.tuple([v.string(), v.number()])),
  /** The dataset, where it is outside of the project or not in its commit; `null`: the commit has it. */
  dataset: v.nullable(v.string()),
  /** How long each look takes; 0: as long as its trials, `null`: full minutes, twice as long as those of the start. */
  lookMs: v.nullable(v.number()),
})

/** The settings that are fixed when a ratchet begins. */
export type Plan = v.InferOutput<typeof planSchema>

/** A ratchet that was begun. */
export interface Ratchet {
  /** Its directory, outside of the project. */
  readonly state: string
  readonly plan: Plan
  readonly log: Log
}

/** The directory of all ratchets. */
export function ratchetsIn(given: string | undefined, cwd: string): string {
  return given === undefined ? join(homedir(), '.jurist', 'ratchets') : resolve(cwd, given)
}

export function referenceOf({ name }: Pick<Plan, 'name'>): string {
  return `refs/jurist/ratchet/${name}`
}

export function planText(plan: Plan): { readonly text: string; readonly hash: string } {
  const text = `${JSON.stringify(plan)}\n`
  return { text, hash: createHash('sha256').update(text).digest('hex') }
}

/**
 * Opens a ratchet and checks that it was not changed.
 *
 * @param name default: that of this repository, or the only one
 * @throws `ratchet-refused`
 */
export async function openRatchet(directory: string, name: string | undefined, cwd: string): Promise<Ratchet> {
  const known = (await readdir(directory).catch(() => [])).filter((one) =>
    existsSync(join(directory, one, 'log.jsonl')),
  )
  const chosen = name ?? (await nameHere(directory, known, cwd))
  if (chosen === undefined || !known.includes(chosen))
    throw ratchetRefused(
      name ?? '',
      name === undefined
        ? known.length === 0
          ? `No ratchet exists. Begin one: ${commandLine('ratchet', 'init', 'NAME')}`
          : `There are several ratchets. Name one: ${known.join(', ')}.`
        : `There is no ratchet "${name}". Known: ${known.join(', ') || 'none'}.`,
    )
  const state = join(directory, chosen)
  const log = await readLog(state, chosen)
  const text = await readFile(join(state, 'plan.json'), 'utf8').catch(() => '')
  const plan = v.safeParse(planSchema, parseOrUndefined(text))
  const [first] = log.entries
  if (!plan.success || first?.plan !== createHash('sha256').update(text).digest('hex'))
    throw ratchetRefused(chosen, `${join(state, 'plan.json')} was changed. Begin a new ratchet.`)
  return { state, plan: plan.output, log }
}

/** The plans in a directory that can be read. */
async function plansIn(directory: string): Promise<readonly Plan[]> {
  const texts = (await readdir(directory).catch(() => [])).map((name) =>
    readFile(join(directory, name, 'plan.json'), 'utf8').catch(() => ''),
  )
  return (await Promise.all(texts)).flatMap((text) => {
    const plan = v.safeParse(planSchema, parseOrUndefined(text))
    return plan.success ? [plan.output] : []
  })
}

/** How many items of a ratchet another one used before, and which one: what an agent learnt of them is known. */
export async function usedBefore(
  directory: string,
  { name, items }: Plan,
): Promise<{ readonly items: number; readonly by: readonly string[] }> {
  const hashes = new Set(Object.values(items).map(([hash]) => hash))
  const others = (await plansIn(directory)).filter((plan) => plan.name !== name)
  const shared = others.map((plan) => Object.values(plan.items).flatMap(([hash]) => (hashes.has(hash) ? [hash] : [])))
  return {
    items: new Set(shared.flat()).size,
    by: others.flatMap((plan, place) => (shared[place]?.length === 0 ? [] : [plan.name])),
  }
}

async function nameHere(directory: string, known: readonly string[], cwd: string): Promise<string | undefined> {
  const root = repositoryAround(cwd)?.tree
  const plans = await plansIn(directory)
  const here = plans.flatMap(({ name, project }) => (project === root && known.includes(name) ? [name] : []))
  const [only, ...others] = here.length > 0 ? here : known
  return others.length === 0 ? only : undefined
}

/**
 * Checks the copy of what judges.
 *
 * @throws `ratchet-refused`
 */
export async function checkPinned({ state, plan, log }: Ratchet): Promise<void> {
  const tree = join(state, 'tree')
  if ((await treeHash(tree).catch(() => '')) === log.entries[0]?.pinned) return
  throw ratchetRefused(
    plan.name,
    `The files in ${tree}, which judge, were changed. Begin a new ratchet, or restore them.`,
  )
}

const staleMs = 60_000

/**
 * Takes the lock of a ratchet: one command at a time.
 *
 * @param waits whether to wait for the command that has it
 * @throws `ratchet-refused` when another command has it
 */
export async function locked(
  state: string,
  name: string,
  waits: boolean,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  for (;;) {
    const lock = await takeLock(join(state, 'lock'), staleMs)
    if (!('holder' in lock)) return { [Symbol.asyncDispose]: () => lock.release() }
    if (!waits || signal.aborted)
      throw ratchetRefused(
        name,
        `Another command uses the ratchet "${name}" (process ${lock.holder.pid} on ${lock.holder.host}). Wait until it has ended, or add --wait.`,
      )
    await setTimeout(250)
  }
}

/** The state that a log describes. */
export interface Standing {
  readonly start: Entry
  /** The version to beat: the start, or the last accepted one. */
  readonly kept: Entry
  /** The number of the tree of answers: 0 is the first. */
  readonly renewals: number
  /** The looks that were used in this tree of answers. */
  readonly used: number
  readonly left: number
  readonly accepted: number
  /** A look without an answer: its command was killed. */
  readonly open: Entry | undefined
  /** All accepted answers. */
  readonly acceptances: readonly Entry[]
}

export function standingOf({ plan, log: { entries } }: Pick<Ratchet, 'plan' | 'log'>): Standing {
  const [start] = entries
  if (start === undefined) throw ratchetRefused(plan.name, `The ratchet "${plan.name}" has no entries. Begin it again.`)
  const acceptances = entries.filter(({ kind, accepted }) => kind === 'answer' && accepted === true)
  const renewed = entries.findLastIndex(({ kind }) => kind === 'renew')
  const now = entries.slice(renewed + 1)
  const used = now.filter(({ kind }) => kind === 'look').length
  const last = now.findLast(({ kind }) => kind === 'look' || kind === 'answer')
  return {
    start,
    kept: acceptances.at(-1) ?? start,
    renewals: entries.filter(({ kind }) => kind === 'renew').length,
    used,
    left: plan.looks - used,
    accepted: now.filter((entry) => acceptances.includes(entry)).length,
    open: last?.kind === 'look' ? last : undefined,
    acceptances,
  }
}

/** The tries of a log: versions whose visible items ran. */
export function triesOf(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter(({ kind }) => kind === 'rehearsal')
}

/** The settings from which the levels of looks follow. */
export type Levels = Pick<Plan, 'alpha' | 'looks' | 'blind' | 'parts'>

/** The level of each tree of answers: the whole is shared evenly among the first and its renewals. */
export function treeAlpha({ alpha, parts }: Levels): number {
  return alpha / parts.hidden.length
}
