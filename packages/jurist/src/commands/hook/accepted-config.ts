import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { commandLine } from '@jurist/kit/command-line'
import { parseObject } from '@jurist/kit/json'
import { safeLine } from '@jurist/kit/terminal'
import * as v from 'valibot'
import { hooksDirectory, keepRecord, type Pin, shortName } from './hook-session.js'
import { copiedFrom, inGit, isBelow, moduleFiles, repositoryOf } from './pinned-config.js'

const judging = v.object({
  /** The hash of each file, by its path in the project. */
  files: v.record(v.string(), v.string()),
  /** The commit that contains the files. */
  commit: v.nullable(v.string()),
  /** Whether it has judged a session, which reveals the modules that it loads by a computed name. */
  hasJudged: v.boolean(),
})

const projectSchema = v.object({
  /** The config that a person accepted, or the one that judged first. */
  accepted: judging,
  /** The config that judges now instead, with a description of the changes for a person. */
  pending: v.nullable(v.object({ ...judging.entries, changes: v.array(v.string()) })),
})

type Judging = v.InferOutput<typeof judging>
type KnownProject = v.InferOutput<typeof projectSchema>

/**
 * Finds the known project around a directory. A config or a repository that appears below it does not start a new
 * project.
 */
async function knownAround(directory: string) {
  for (let at = realpathSync(directory); ; at = dirname(at)) {
    const file = fileOf(at)
    if (existsSync(file)) {
      const read = v.safeParse(projectSchema, parseObject(await readFile(file, 'utf8')))
      if (read.success) return { file, project: read.output }
    }
    if (at === dirname(at)) return undefined
  }
}

function fileOf(directory: string): string {
  return join(hooksDirectory(), 'projects', `${shortName(directory)}.json`)
}

/** A session with the config that judges it. */
interface JudgedSession {
  /** The directory in which the session began. */
  readonly directory: string
  readonly pin: Pin | null
  /** The modules that the config loaded, if it did. */
  readonly loaded?: readonly string[]
}

/**
 * Describes how the config that judges a session differs from the accepted one. The config that judges first is
 * accepted automatically.
 */
export async function unacceptedConfig(session: JudgedSession): Promise<string | undefined> {
  const { directory, pin, loaded } = session
  const known = await knownAround(directory)
  if (known === undefined && pin === null) return undefined
  const imported = pin === null ? [] : inProject(pin, moduleFiles(pin.file))
  const files = filesNow(session, imported, known?.project.accepted)
  const now = { files, commit: pin?.commit ?? null, hasJudged: loaded !== undefined }
  if (known === undefined) {
    const start = realpathSync(directory)
    const root = pin !== null && isBelow(pin.project, start) ? pin.project : start
    await keepRecord(fileOf(root), { accepted: now, pending: null } satisfies KnownProject)
    return undefined
  }
  const { file, project } = known
  const { accepted } = project
  const names = Object.keys({ ...accepted.files, ...files }).filter((name) => accepted.files[name] !== files[name])
  const isLearnt = (name: string) => !accepted.hasJudged && !(name in accepted.files) && !imported.includes(name)
  if (names.every(isLearnt)) {
    const hasJudged = accepted.hasJudged || now.hasJudged
    await keepRecord(file, { accepted: { ...accepted, files, hasJudged }, pending: null })
    return undefined
  }
  const changes = await changesOf(names, session, accepted, now)
  await keepRecord(file, { accepted, pending: { ...now, changes: [...changes] } })
  const what = pin === null ? 'No config judges this session' : 'The config that judges this session is not accepted'
  return [
    `${what}. Since the last one that was:`,
    ...changes.map((change) => `- ${change}`),
    `If you want that, run this in a terminal: ${commandLine('hook', 'accept')}. If not, restore these files, and begin a new session.`,
  ].join('\n')
}

/** Returns the files that judge, and earlier ones that still exist. */
function filesNow(
  { pin, loaded = [] }: JudgedSession,
  imported: readonly string[],
  accepted: Judging | undefined,
): Judging['files'] {
  if (pin === null) return {}
  const top = copiedFrom(pin)
  const own = new Set([...imported, ...inProject(pin, loaded)])
  const names = new Set([...Object.keys(accepted?.files ?? {}), ...own])
  const hashes = [...names].flatMap((name) => {
    const isCopied = top !== null && isBelow(top, name)
    // The file of another config, which is not in this copy, counts as unchanged.
    const hash = isCopied
      ? hashOf(join(`${pin.tree}`, relative(top, name)))
      : own.has(name)
        ? hashOf(name)
        : accepted?.files[name]
    return hash === undefined ? [] : [[name, hash] as const]
  })
  return Object.fromEntries(hashes)
}

/** Maps paths in the copy to paths in the project. */
function inProject(pin: Pin, paths: readonly string[]): readonly string[] {
  const { tree } = pin
  const top = copiedFrom(pin)
  return paths.map((path) =>
    tree !== null && top !== null && isBelow(tree, path) ? join(top, relative(tree, path)) : path,
  )
}

function hashOf(path: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return undefined
  }
}

const mostShown = 10
const maxLine = 500

/** Returns a line for each file that differs, with the kind of change and its commits. */
async function changesOf(
  names: readonly string[],
  { directory, pin }: JudgedSession,
  accepted: Judging,
  now: Judging,
): Promise<readonly string[]> {
  const start = realpathSync(directory)
  const lines: string[] = []
  for (const name of names.slice(0, mostShown)) {
    const how = !(name in now.files) ? 'removed' : name in accepted.files ? 'changed' : 'added'
    const who = (await commitsOf(name, pin, accepted.commit)) ?? 'not by a commit'
    const shown = isBelow(start, name) ? relative(start, name) : name
    lines.push(safeLine(`${shown} was ${how}: ${who}`).slice(0, maxLine))
  }
  return names.length > mostShown ? [...lines, `and ${names.length - mostShown} more`] : lines
}

const mostCommits = 3

/** Describes the commits that changed a file since a given commit; `undefined` if there are none. */
async function commitsOf(path: string, pin: Pin | null, since: string | null): Promise<string | undefined> {
  const repository = await repositoryOf(nearest(dirname(path)))
  if (repository === null) return undefined
  const name = relative(repository, path)
  const isCopy = pin !== null && pin.tree !== null
  const isCommitted = isCopy
    ? pin.commit !== null
    : (await inGit(repository, ['diff', '--quiet', 'HEAD', '--', name])) !== null
  if (!isCommitted) return undefined
  const end = (isCopy ? pin.commit : null) ?? 'HEAD'
  const log = async (range: string) =>
    (await inGit(repository, ['log', '--format=commit %h of %an <%ae>, %cs', `-${mostCommits + 1}`, range, '--', name]))
      ?.split('\n')
      .filter((line) => line !== '') ?? []
  const found = since === null ? [] : await log(`${since}..${end}`)
  // The history may have been rewritten.
  const shown = found.length > 0 ? found.slice(0, mostCommits) : (await log(end)).slice(0, 1)
  if (shown.length === 0) return undefined
  return [...shown, ...(found.length > mostCommits ? ['and earlier ones'] : [])].join('; ')
}

/** Returns the directory or its nearest existing parent. */
function nearest(directory: string): string {
  return existsSync(directory) || directory === dirname(directory) ? directory : nearest(dirname(directory))
}

/** The current config, which no person has accepted, with a description of the differences. */
export async function pendingConfig(
  directory: string,
): Promise<{ readonly changes: readonly string[]; readonly accept: () => Promise<void> } | undefined> {
  const known = await knownAround(directory)
  if (known === undefined || known.project.pending === null) return undefined
  const { changes, ...accepted } = known.project.pending
  return { changes, accept: () => keepRecord(known.file, { accepted, pending: null } satisfies KnownProject) }
}
