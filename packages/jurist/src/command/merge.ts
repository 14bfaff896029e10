import { itemDurations, type MergePlan, mergePlan, noteRuns, storeMerged } from '@jurist/experiment/internal'
import type { RunOverview } from '@jurist/experiment/result'
import { usageInvalid } from '../config/problems.js'
import { copyKept, lineMover } from '../merge/merged-files.js'
import { type StoredShard, shardsIn } from '../merge/shard-sources.js'
import { concludeRuns } from './conclude-runs.js'
import { checkOutputFile, writeOutput } from './files.js'
import { findRun } from './find-run.js'
import { type FlagValues, fileEndingIn, flag, text, toggle } from './flags.js'
import { checkReporters, gateFlags, outputFiles, reporterFlag, resultReporters, thresholdsIn } from './gate-flags.js'
import { commandLine, type Host } from './host.js'
import type { Performed } from './perform-run.js'
import { checkWritable, type Results, resultsOf } from './results-store.js'
import { type Subcommand, subcommand } from './subcommand.js'

const flags = {
  into: flag('--into <dir>', 'the results directory of the merged runs (default: that of the config)', text),
  allowMissing: toggle(
    '--allow-missing',
    'merge although shards are missing or unfinished: jurist run --resume runs the rest',
  ),
  durations: flag(
    '--durations <file>',
    'write how long the trials of each item take, for jurist run --shard --durations',
    fileEndingIn('.json'),
  ),
  ...gateFlags,
  reporter: reporterFlag(resultReporters),
} as const

type MergeFlags = FlagValues<typeof flags>

/** `jurist merge`. */
export const merge: Subcommand = subcommand({
  arguments: [['<place...>', 'results directories, or bundles, with the runs of jurist run --shard']],
  flags,
  examples: ['merge shards/* --threshold 80% --reporter junit=report.xml', 'merge results --durations durations.json'],
  note: 'The shards stay where they are. One run is made of each experiment, variant and session.',
  check({ reporter }, problem) {
    checkReporters(reporter, resultReporters, problem)
  },
  async run(host, [places], given) {
    const results = await resultsOf(given.into === undefined ? host : withResults(host, given.into))
    const outputs = outputFiles(given)
    await checkTargets(host, results, given, outputs)
    const merged = await mergeAll(host, places, given, results)
    const runs = merged.map(({ run }) => run)
    await noteSessions(results, merged)
    for (const { run, missing } of merged) tellMissing(host, missing, run)
    if (given.durations !== undefined) await writeDurations(host, given.durations, runs)
    const thresholds = { ...(await host.configIfAny())?.config.thresholds, ...thresholdsIn(given) }
    const read = { failOn: given.failOn, reporter: given.reporter, outputs }
    const performed = performedIn(runs)
    return concludeRuns(host, { performed, results, thresholds, read, unwritten: [], interrupted: [] })
  },
})

function withResults(host: Host, results: string): Host {
  return { ...host, flags: { ...host.flags, results } }
}

/** Checks that everything can be written, before anything is. */
async function checkTargets(host: Host, results: Results, { durations }: MergeFlags, outputs: readonly string[]) {
  if (results.directory === undefined)
    throw usageInvalid(
      '--into',
      `Shards are merged into a directory, and the results are in ${results.shown}. Add --into <dir>, then copy it: jurist store copy <dir> postgres://…`,
    )
  await checkWritable(results)
  for (const name of outputs) await checkOutputFile(host, '--output', name)
  if (durations !== undefined) await checkOutputFile(host, '--durations', durations)
}

/** A merged run that is stored. */
interface Merged {
  readonly run: RunOverview
  readonly items: readonly string[]
  readonly missing: readonly string[]
}

/** Merges all shards. Afterwards none of them is in memory any more. */
async function mergeAll(host: Host, places: readonly string[], given: MergeFlags, results: Results) {
  const shards = await shardsIn(places, host)
  const plans = grouped(shards).map((runs) => mergePlan(runs, { allowMissing: given.allowMissing }))
  const baseline = await baselineOf(results, given.baseline, host)
  const merged: Merged[] = []
  for (const plan of plans) {
    const run = await storePlan(baseline === undefined ? plan : against(plan, baseline), shards, results)
    merged.push({ run, items: plan.record.itemOrder ?? [], missing: plan.missing })
  }
  return merged
}

/** The shards of each experiment, variant and session. */
function grouped(shards: readonly StoredShard[]): readonly (readonly RunOverview[])[] {
  const groups = new Map<string, RunOverview[]>()
  for (const { run } of shards) {
    const key = JSON.stringify([run.experimentName, run.variant, run.session])
    groups.set(key, [...(groups.get(key) ?? []), run])
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, runs]) => runs)
}

/** `latest` is looked up for each merged run; any other name is a run that must be there. */
async function baselineOf(results: Results, given: string | undefined, { cwd }: Host): Promise<string | undefined> {
  return given === undefined || given === 'latest' ? given : (await findRun(results, given, cwd, ['agent'])).id
}

function against(plan: MergePlan, baseline: string): MergePlan {
  return { ...plan, record: { ...plan.record, baseline } }
}

async function storePlan(plan: MergePlan, shards: readonly StoredShard[], { directory = '' }: Results) {
  const places = new Map(shards.map((shard) => [shard.run.id, shard]))
  const own = plan.shards.flatMap(({ id }) => places.get(id) ?? [])
  const movers = new Map(own.map((shard) => [shard.run.id, lineMover(shard.directory, directory)]))
  return await storeMerged(plan, directory, {
    moverOf: ({ id }) => movers.get(id),
    keep: (place) => copyKept(own, place),
  })
}

/** Notes the runs of each session in it, with all its variants. */
async function noteSessions({ store }: Results, merged: readonly Merged[]) {
  const sessions = new Map<string, Merged[]>()
  for (const one of merged) {
    if (one.run.session === null) continue
    const key = JSON.stringify([one.run.experimentName, one.run.session])
    sessions.set(key, [...(sessions.get(key) ?? []), one])
  }
  for (const members of sessions.values()) {
    const runs = members.map(({ run }) => run)
    await noteRuns(store, runs, members[0]?.items ?? [])
  }
}

function tellMissing(host: Host, missing: readonly string[], run: RunOverview): void {
  if (missing.length === 0) return
  for (const line of missing) host.note(`warning: ${line}`)
  const { id, experimentName, counts } = run
  const line = commandLine(host.flags, 'run', experimentName, '--resume', id)
  host.note(`Run ${id} has ${counts.run} of ${counts.planned} trials. Run the others: ${line}`)
}

async function writeDurations(host: Host, file: string, runs: readonly RunOverview[]): Promise<void> {
  await writeOutput(host, file, `${JSON.stringify(itemDurations(runs), undefined, 2)}\n`)
  host.note(`wrote ${file}`)
}

/** The runs as a command reports them: those of a session together. */
function performedIn(runs: readonly RunOverview[]): readonly Performed[] {
  const groups = new Map<string, RunOverview[]>()
  for (const run of runs) {
    const key = run.session === null ? run.id : JSON.stringify([run.experimentName, run.session])
    groups.set(key, [...(groups.get(key) ?? []), run])
  }
  return [...groups.values()].map((results) => ({
    ...{ experiment: { name: results[0]?.experimentName ?? '' }, session: results[0]?.session ?? null, results },
    ...{ broken: [], left: [] },
  }))
}
