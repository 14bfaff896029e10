import { asText, type Workspace } from '@jurist/core'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import {
  type KeptTrialScan,
  keepScan,
  rulesHash,
  scanHash,
  trialScansKept,
  withModelRules,
} from '@jurist/experiment/internal'
import { journalLines, phaseEvents } from '@jurist/experiment/internal/journal'
import { counted, itemsOf, outputOf, trialText } from '@jurist/experiment/internal/results'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import {
  type ModelRule,
  type ScannedTrial,
  type ScanOptions,
  type ScanRule,
  scanFigures,
  scanRules,
  scanTrial,
  type TrialScan,
} from '@jurist/experiment/scan'
import { commandLine } from '@jurist/kit/command-line'
import { didYouMean } from '@jurist/kit/did-you-mean'
import { parseObject } from '@jurist/kit/json'
import { safeLine } from '@jurist/kit/terminal'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import type { LoadedConfig } from '../../config/load-config.js'
import { configInvalid } from '../../config/problems.js'
import { startingDirectories } from '../show/show.js'
import { changedTexts, type DiffPlace, type JournalText, journalText } from '../show/trial-evidence.js'

/** How a command scans: rules that read, rules that ask a model, and what is allowed. */
export interface ScanPlan extends Required<ScanOptions> {
  readonly models: readonly ModelRule[]
}

export function isUnknownRule(name: string, rules: readonly { readonly name: string }[]): boolean {
  return !rules.some((rule) => rule.name === name)
}

export function unknownRule(wanted: string, rules: readonly { readonly name: string }[]): string {
  const names = rules.map(({ name }) => name)
  return `There is no rule "${wanted}".${didYouMean(wanted, names)} List them: ${commandLine('scan', '--list')}`
}

/** The rules of Jurist and those of a config. */
export function rulesOf(loaded: LoadedConfig | undefined): readonly (ScanRule | ModelRule)[] {
  const scan = loaded?.config.scan
  return [...scanRules, ...((typeof scan === 'object' ? scan.rules : undefined) ?? [])]
}

/**
 * The rules and allowances of a config; those of Jurist without a config.
 *
 * @throws `config-invalid` for an unknown rule, and for a rule with the name of another one
 */
export function configuredScan(loaded: LoadedConfig | undefined): ScanPlan {
  const scan = loaded?.config.scan
  const { without = [], allow = [] } = typeof scan === 'object' ? scan : {}
  const all = rulesOf(loaded)
  const named = [
    ...without.map((name, index) => ({ name, path: `scan.without.${index}` })),
    ...allow.map(({ rule: name }, index) => ({ name, path: `scan.allow.${index}.rule` })),
  ]
  const problems = [
    ...named.flatMap(({ name, path }) => (isUnknownRule(name, all) ? [{ path, problem: unknownRule(name, all) }] : [])),
    ...all.flatMap(({ name }, index) =>
      all.findIndex((one) => one.name === name) === index
        ? []
        : [{ path: `scan.rules.${index - scanRules.length}.name`, problem: `Another rule is called "${name}".` }],
    ),
  ]
  if (problems.length > 0)
    throw configInvalid(
      loaded?.file ?? '',
      problems.map((one) => ({ ...one, remedy: '' })),
    )
  return planOf(
    all.filter(({ name }) => !without.includes(name)),
    allow,
  )
}

export function planOf(rules: readonly (ScanRule | ModelRule)[], allow: ScanPlan['allow']): ScanPlan {
  return {
    rules: rules.filter((rule) => 'find' in rule),
    models: rules.filter((rule) => 'ask' in rule),
    allow,
  }
}

/**
 * Scans trials of a run one after the other. What the run keeps of an equal trial, with an equal journal and equal rules,
 * is not computed again.
 */
export async function scannedItems(
  host: Host,
  { results, run, isOwn }: { readonly results: Results; readonly run: RunResult; readonly isOwn: boolean },
  items: readonly ItemResult[],
  { rules, models, allow }: ScanPlan,
): Promise<readonly KeptTrialScan[]> {
  const place = { run, results, datasets: await startingDirectories(host, isOwn ? run : undefined, []) }
  const kept = new Map((await trialScansKept(results.store, run)).map((one) => [trialText(one.scan), one]))
  const ofRules = rulesHash([...rules, ...models], allow)
  const { signal } = new AbortController()
  const scans: KeptTrialScan[] = []
  for (const item of items) {
    const journal = await journalText(results, run, item)
    const of = scanHash(ofRules, item, journal)
    const known = kept.get(trialText(item))
    if (known?.of === of) {
      scans.push(known)
      continue
    }
    const trial = await scannedTrial(place, item, journal)
    scans.push({
      of,
      scan: await withModelRules(trial, scanTrial(trial, { rules, allow }), { rules: models, allow, signal }),
    })
  }
  return scans
}

/** Keeps the findings of a whole run beside it. Results that can only be read are scanned too. */
export async function keepRunFindings(
  host: Host,
  { store }: Results,
  run: RunResult,
  scans: readonly KeptTrialScan[],
): Promise<void> {
  await keepScan(store, run, scans).catch((thrown: unknown) =>
    host.note(`The findings were not kept: ${safeLine(failureOf(thrown).message)}`),
  )
}

/** Scans runs that have just ended, as the config asks for. A scan that fails is a notice, and no failure of the run. */
export async function scanFinished(
  host: Host,
  results: Results,
  runs: readonly RunResult[],
  plan: ScanPlan,
): Promise<void> {
  for (const run of runs) {
    try {
      const kept = await scannedItems(host, { results, run, isOwn: true }, await itemsOf(run), plan)
      await keepRunFindings(host, results, run, kept)
      const { suspectPasses, passes } = scanFigures(kept.map(({ scan }): TrialScan => scan))
      if (suspectPasses > 0)
        host.note(
          `scan: ${suspectPasses} of ${counted(passes, 'pass', 'passes')} ${suspectPasses === 1 ? 'is' : 'are'} suspect: ${commandLine('scan', run.id)}`,
        )
    } catch (thrown) {
      host.note(`scan: run ${run.id} could not be scanned: ${safeLine(failureOf(thrown).message)}`)
    }
  }
}

/** Reads a stored trial for a scan: its journal, its changed files, and the names of its project. */
async function scannedTrial(place: DiffPlace, item: ItemResult, journal: JournalText): Promise<ScannedTrial> {
  const { itemId, repetition, task, passed, agentMs, metadata, detail } = item
  const { before, changes, reference } = await changedTexts(place, item)
  const records = journal.text === undefined ? null : journalLines(journal.text).records
  const output = outputOf(item)
  // An agent without a journal may have reported its own phases.
  const reported = detail?.kind === 'agent' ? phaseEvents(detail.invocation.phases ?? [], '') : []
  const manifests = before === null ? {} : await manifestsOf(before)
  return {
    ...{ itemId, repetition, task, passed, durationMs: agentMs, changes, reference },
    output: output === undefined ? '' : asText(output),
    records: records ?? (reported.length > 0 ? reported : null),
    isOwnReport: records === null && reported.length > 0,
    upstream: [...new Set([...repositoriesIn(metadata['source']), ...(manifests.upstream ?? [])])],
    project: manifests.project ?? [],
    scripts: manifests.scripts ?? {},
    secret: [item.referencePath, place.results.directory].filter((path) => path !== null && path !== undefined),
  }
}

const hosted = /(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?(?:[/#?].*)?$/

const short = /^[\w.-]+\/[\w.-]+$/

/** The repositories that a source of an item names. */
function repositoriesIn(source: unknown): readonly string[] {
  if (!isPlainObject(source)) return []
  const given: { readonly [key: string]: unknown } = source
  return ['repository', 'repo', 'url', 'remote'].flatMap((key) => repositoryIn(given[key]) ?? [])
}

function repositoryIn(value: unknown): string | undefined {
  const text = isPlainObject(value) ? (value as { readonly url?: unknown }).url : value
  if (typeof text !== 'string') return undefined
  const plain = text.replace(/^(?:github|gitlab|bitbucket):/, '')
  return hosted.exec(text)?.[1] ?? (short.test(plain) ? plain : undefined)
}

interface Manifests {
  readonly upstream?: readonly string[]
  readonly project?: ScannedTrial['project']
  readonly scripts?: ScannedTrial['scripts']
}

/** The names that manifests give the project: `package.json`, `pyproject.toml`, `Cargo.toml`, `go.mod`, `pom.xml`. */
async function manifestsOf(workspace: Workspace): Promise<Manifests> {
  const text = (path: string) => workspace.read(path).catch(() => '')
  const [npm, python, cargo, go, maven] = await Promise.all(
    ['package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'pom.xml'].map(text),
  )
  const manifest: { readonly [key: string]: unknown } = parseObject(npm ?? '') ?? {}
  const scripts = isPlainObject(manifest['scripts']) ? Object.entries(manifest['scripts']) : []
  const named = [
    { name: manifest['name'], version: manifest['version'] },
    ...[python, cargo].map((toml) => ({ name: valueIn(toml, 'name'), version: valueIn(toml, 'version') })),
  ]
  const module = /^module\s+(\S+)/m.exec(go ?? '')?.[1]
  return {
    upstream: [
      repositoryIn(manifest['repository']),
      ...[python, cargo, maven]
        .flatMap((other) => other?.match(/https?:\/\/[^\s"'<]+/g) ?? [])
        .map((url) => repositoryIn(url)),
      repositoryIn(module),
    ].filter((name) => name !== undefined),
    project: named.flatMap(({ name, version }) =>
      typeof name === 'string' && name !== '' ? [{ name, version: typeof version === 'string' ? version : null }] : [],
    ),
    scripts: Object.fromEntries(scripts.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
  }
}

/** A string among the settings of the project itself, which come first in a TOML manifest. */
function valueIn(toml: string | undefined, key: string): string | undefined {
  return new RegExp(`^${key}\\s*=\\s*"([^"]+)"`, 'm').exec(toml ?? '')?.[1]
}
