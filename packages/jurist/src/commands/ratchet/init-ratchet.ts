import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, realpath, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { type DatasetItem, type ExperimentOptions, planExperiment } from '@jurist/experiment'
import { answerTreeLevel, lookPower } from '@jurist/experiment/compare'
import { canonicalJson, isDatasetPath, openedDataset, pathOf, readQuarantine } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { deleteTree, repositoryAround } from '@jurist/workspace/internal'
import { experimentsOf } from '../../command-kit/configured-experiment.js'
import type { Host } from '../../command-kit/host.js'
import { commitOf, copyProject, isBelow, linkPackages, moduleFiles } from '../hook/pinned-config.js'
import {
  type Levels,
  type Plan,
  planText,
  type Ratchet,
  ratchetsIn,
  readLog,
  referenceOf,
  treeAlpha,
} from './ratchet-state.js'
import { experimentIn } from './trials.js'
import { pointTo, treeHash, versionIn } from './versions.js'

/** The settings that a person asks for. */
export interface Wanted {
  readonly name: string
  readonly experiment: string | undefined
  readonly variant: string | undefined
  readonly visible: number | undefined
  readonly hidden: number | undefined
  readonly reserve: number | undefined
  readonly looks: number
  readonly alpha: number
  readonly renewals: number
  readonly blind: boolean
  readonly editable: readonly string[]
  readonly lookMs: number | undefined
  readonly state: string | undefined
}

/** The least number of items of a part. */
const fewest = 10

const [shortestLookMs, longestLookMs] = [1_000, 24 * 60 * 60_000]

/**
 * Begins a ratchet: divides the items, copies what judges as the commit has it, and writes the first entry. No trial runs.
 *
 * @throws `usage-invalid` naming every problem, before anything is written
 */
export async function beginRatchet(host: Host, wanted: Wanted, signal: AbortSignal): Promise<void> {
  const problems: string[] = []
  const loaded = await host.config()
  const [experiment] = await experimentsOf(loaded, wanted.experiment === undefined ? [] : [wanted.experiment])
  if (experiment === undefined) throw usageInvalid('experiment', 'The config has no experiment. Add one.')
  const { name, looks, alpha, renewals } = wanted
  const file = await realpath(loaded.file)
  const root = repositoryAround(loaded.directory)?.tree ?? null
  const commit = root === null ? null : await commitOf(root, file)
  if (root === null || commit === null)
    problems.push(
      `The config ${basename(file)} is in no commit. Commit the project first: accepted versions are commits.`,
    )
  const directory = ratchetsIn(wanted.state, host.cwd)
  const state = join(directory, name)
  if (!/^[\w][\w.-]{0,31}$/.test(name))
    problems.push(`The name "${name}" must be 1 to 32 letters, digits, "-", "_", "." that can be a directory.`)
  else if (existsSync(state))
    problems.push(
      `There is a ratchet "${name}" in ${directory} already. A changed plan is a new ratchet: choose another name.`,
    )
  const project = root ?? loaded.directory
  if (isBelow(project, resolve(directory)))
    problems.push(
      `--state ${directory} is inside the project, where the agent can change it. Name a directory elsewhere.`,
    )
  if (!(looks >= 1 && looks <= 1_000)) problems.push(`--looks must be from 1 to 1000 (got ${looks}).`)
  if (!(alpha > 0 && alpha <= 0.2)) problems.push(`--alpha must be above 0 and at most 0.2 (got ${alpha}).`)
  const { lookMs = 0 } = wanted
  if (lookMs !== 0 && (lookMs < shortestLookMs || lookMs > longestLookMs))
    problems.push('--look-time must be 0, or from 1s to 24h.')
  const variants = Object.keys(experiment.variants ?? {})
  if (variants.length > 0 ? !variants.includes(wanted.variant ?? '') : wanted.variant !== undefined)
    problems.push(
      variants.length === 0
        ? `${experiment.name} has no variants. Remove --variant.`
        : `Name a variant of ${experiment.name} with --variant: ${variants.join(', ')}.`,
    )
  const editable = wanted.editable.map((path) => relative(project, resolve(host.cwd, path)).split(sep).join('/'))
  const dataset = isDatasetPath(experiment.dataset) ? pathOf(experiment.dataset) : null
  problems.push(...editableProblems(editable, project, file, dataset))
  const opened = await openedDataset(experiment)
  const quarantined = new Set((await readQuarantine(opened)).entries.map(({ item }) => item))
  const items: DatasetItem[] = []
  for await (const item of opened.items(experiment.filter)) if (!quarantined.has(item.id)) items.push(item)
  const units = unitsOf(items)
  const sizes = {
    visible: wanted.visible,
    hidden: Array.from({ length: renewals + 1 }, () => wanted.hidden ?? Math.floor(items.length / 2 / (renewals + 1))),
    reserve: wanted.reserve ?? Math.floor(items.length / 4),
  }
  const parts = splitOf(units, sizes)
  for (const [part, ids, asked] of [
    ['visible', parts.visible, sizes.visible ?? fewest],
    ...parts.hidden.map(
      (ids, place) => [place === 0 ? 'hidden' : `hidden (renewal ${place})`, ids, sizes.hidden[place] ?? 0] as const,
    ),
    ['reserve', parts.reserve, sizes.reserve],
  ] as const) {
    if (asked < fewest || ids.length < fewest)
      problems.push(
        `The ${part} part would have ${counted(Math.min(asked, ids.length), 'item')} of ${items.length}: each part needs at least ${fewest}. Add items, or ask for fewer: --hidden, --reserve, --renewals.`,
      )
    else if (ids.length < asked * 0.9)
      problems.push(
        `The ${part} part would have ${ids.length} of ${asked} items: ${items.length} are not enough, or too many lie in one cluster.`,
      )
  }
  const most = new Set(parts.hidden[0]?.map((id) => units.get(id))).size
  if (problems.length === 0) {
    const level = levelOf({ alpha, looks, blind: wanted.blind, parts }, 0)
    if (0.5 ** most > level)
      problems.push(
        `With ${most} hidden items nothing could be accepted, even if all of them were better: a look has the level ${level.toPrecision(2)}. Ask for more --hidden, or fewer --looks.`,
      )
  }
  if (problems.length > 0 || root === null || commit === null)
    throw usageInvalid('ratchet', [...new Set(problems)].join('\n'))
  const plan: Plan = {
    ...{ name, looks, alpha, blind: wanted.blind, commit, parts },
    experiment: experiment.name,
    variant: wanted.variant ?? null,
    project: root,
    config: relative(root, file).split(sep).join('/'),
    editable,
    units: Object.fromEntries([...units].filter(([id, unit]) => id !== unit)),
    items: Object.fromEntries(
      items.map(({ id, hash, repetitions }) => [id, [hash, repetitions ?? experiment.repetitions ?? 1]]),
    ),
    dataset: null,
    lookMs: wanted.lookMs ?? null,
  }
  await written(state, plan, experiment, signal)
}

function editableProblems(
  editable: readonly string[],
  project: string,
  config: string,
  dataset: string | null,
): readonly string[] {
  if (editable.length === 0)
    return ['--editable is missing. Name what the agent may change, such as --editable prompts.']
  return editable.flatMap((path) => {
    const place = join(project, path)
    if (path === '' || path.startsWith('..'))
      return [`--editable ${path || '.'} must be inside the project, and not all of it.`]
    const covers = moduleFiles(config).find((one) => isBelow(place, one))
    if (covers !== undefined)
      return [
        `--editable ${path} holds ${relative(project, covers)}, which judges or starts the agent. Name only what the agent may change.`,
      ]
    if (dataset !== null && (isBelow(place, dataset) || isBelow(dataset, place)))
      return [`--editable ${path} holds items of the dataset. Name only what the agent may change.`]
    return existsSync(place) ? [] : [`--editable ${path} does not exist. Make it, and commit it.`]
  })
}

async function written(state: string, plan: Plan, { dataset }: ExperimentOptions, signal: AbortSignal): Promise<void> {
  const unfinished = `${state}.unfinished-${process.pid}`
  await mkdir(dirname(state), { recursive: true, mode: 0o700 })
  await mkdir(unfinished, { mode: 0o700 })
  try {
    const tree = join(unfinished, 'tree')
    await copyProject(tree, plan.project, plan.commit)
    await mkdir(join(unfinished, 'versions'), { mode: 0o700 })
    await linkPackages([plan.project, dirname(join(plan.project, plan.config))], unfinished)
    const place = isDatasetPath(dataset) ? await realpath(pathOf(dataset)) : null
    const isCopied =
      place !== null && isBelow(plan.project, place) && existsSync(join(tree, relative(plan.project, place)))
    const whole = { ...plan, dataset: isCopied ? null : place }
    const { text, hash } = planText(whole)
    await writeFile(join(unfinished, 'plan.json'), text, { mode: 0o600 })
    const start = await versionIn(tree, plan.editable)
    const log = await readLog(unfinished, plan.name)
    await log.append({
      ...{ kind: 'init', tree: start.tree, commit: plan.commit, run: null },
      ...{ plan: hash, pinned: await treeHash(tree) },
    })
    // What the commit lacks shows here, and not in the night.
    const { options } = await experimentIn(whole, tree)
    await planExperiment<string>(options, plan.variant === null ? {} : { variant: plan.variant })
    signal.throwIfAborted()
    await rename(unfinished, state)
    await pointTo(plan.project, referenceOf(plan), plan.commit)
  } catch (thrown) {
    await deleteTree(unfinished)
    throw thrown
  }
}

/** The level of a look. Candidates of a blind ratchet share the whole, as Holm's method does with the best of them. */
function levelOf(plan: Levels, accepted: number): number {
  const { looks, blind } = plan
  if (blind) return treeAlpha(plan) / looks
  return accepted < looks ? answerTreeLevel({ looks, accepted, alpha: treeAlpha(plan) }) : 0
}

/** Shares of items that get better and worse: gains of 20, 10 and 5 points. */
const gains = [
  [0.25, 0.05],
  [0.15, 0.05],
  [0.08, 0.03],
] as const

/** Says which gains a look finds. */
export function powerText(plan: Plan, accepted: number): string {
  const hidden = new Set(plan.parts.hidden[0]?.map((id) => plan.units[id] ?? id)).size
  const shares = (behind: number) => {
    const level = levelOf(plan, behind)
    return gains.map(([better, worse]) => Math.round(100 * lookPower({ items: hidden, better, worse, level })))
  }
  const [large, medium, small] = shares(accepted)
  const now = `A look accepts +20 points in ${large} %, +10 in ${medium} %, +5 in ${small} %`
  if (plan.blind || accepted > 0) return `${now}.`
  const [later, less, least] = shares(1)
  return `${now}; after one acceptance ${later}, ${less} and ${least} %.`
}

/** Says what a ratchet begins with, and what the agent must not be able to read. */
export function initText({ state, plan, log }: Ratchet): string {
  const { visible, hidden, reserve } = plan.parts
  const all = [visible, ...hidden, reserve].reduce((sum, ids) => sum + ids.length, 0)
  const spare = hidden.length === 1 ? '' : ` and ${(hidden.length - 1) * (hidden[1]?.length ?? 0)} for renewals`
  return [
    `  ${all} items: ${visible.length} visible, ${hidden[0]?.length} hidden${spare}, ${reserve.length} in reserve (secret split). At most ${counted(plan.looks, 'look')} at the hidden items, ${percentOf(plan.alpha)} that any acceptance is false.`,
    `  ${powerText(plan, 0)}`,
    `  State: ${state} (not in the project). The agent may read and change: ${plan.editable.join(', ')}. It may not read: the dataset, ${plan.config}, the state.`,
    `  Kept version: ${plan.commit.slice(0, 7)}, at ${referenceOf(plan)}`,
    `  Note the first hash of the log, ${log.entries[0]?.hash.slice(0, 16)}: a log that was begun again lacks it (ratchet report --expect).`,
    `  The agent calls: ${commandLine('ratchet', 'try', plan.name)}`,
  ].join('\n')
}

export function percentOf(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`
}

/**
 * The units of items, by item: those of one `cluster` or one `source` in the metadata, and those that ask the same, are one unit.
 * Their trials depend on each other, so that they count once, and never lie in two parts.
 */
function unitsOf(items: readonly DatasetItem[]): ReadonlyMap<string, string> {
  const leaders = new Map<string, string>()
  const leader = (id: string): string => {
    const above = leaders.get(id) ?? id
    return above === id ? id : leader(above)
  }
  const first = new Map<string, string>()
  for (const item of items)
    for (const key of keysOf(item)) {
      const known = first.get(key)
      if (known === undefined) first.set(key, item.id)
      else leaders.set(leader(item.id), leader(known))
    }
  return new Map(items.map(({ id }) => [id, leader(id)]))
}

function keysOf({ task, input, before, metadata }: DatasetItem): readonly string[] {
  const named = ['cluster', 'source'].flatMap((name) => {
    const value = isPlainObject(metadata) ? metadata[name] : undefined
    return value === undefined || value === null ? [] : [`${name} ${canonicalJson(value)}`]
  })
  const asked = { task: task.toLowerCase().replaceAll(/\s+/g, ' ').trim(), input, before: JSON.stringify(before) }
  return [...named, `text ${canonicalJson(asked)}`]
}

/**
 * Divides units by random numbers of the system, which leave no seed behind. A unit that is too large for the rest of a part goes
 * to another.
 */
function splitOf(
  units: ReadonlyMap<string, string>,
  wanted: { readonly visible: number | undefined; readonly hidden: readonly number[]; readonly reserve: number },
): Plan['parts'] {
  const byUnit = new Map<string, string[]>()
  for (const [id, unit] of units) byUnit.set(unit, [...(byUnit.get(unit) ?? []), id])
  const keyed = [...byUnit.values()].map((ids) => ({ ids, key: randomInt(2 ** 47) }))
  const groups = keyed.sort((one, other) => one.key - other.key).map(({ ids }) => ids)
  const take = (most: number) => {
    const taken: string[] = []
    for (let place = 0; place < groups.length && taken.length < most; ) {
      const group = groups[place] ?? []
      if (taken.length + group.length > most) place += 1
      else taken.push(...(groups.splice(place, 1)[0] ?? []))
    }
    return taken
  }
  const hidden = wanted.hidden.map(take)
  const reserve = take(wanted.reserve)
  return { hidden, reserve, visible: take(wanted.visible ?? units.size) }
}
