import { asText, type Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { journalLines, phaseEvents } from '@jurist/experiment/internal/journal'
import { outputOf } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import type { ScannedTrial } from '@jurist/experiment/scan'
import { parseObject } from '@jurist/kit/json'
import { changedTexts, type DiffPlace, type JournalText } from '../show/trial-evidence.js'

/** Reads a stored trial for a scan: its journal, its changed files, and the names of its project. */
export async function scannedTrial(place: DiffPlace, item: ItemResult, journal: JournalText): Promise<ScannedTrial> {
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
