import { rm } from 'node:fs/promises'
import { type Git, globMatcher, withoutUserInfo } from '@jurist/workspace/internal'
import { itemDirectory } from '../new-project.js'
import {
  type Candidate,
  type Commit,
  candidateOf,
  type ImportChoices,
  type LeftOut,
  leftOutWords,
  mainLine,
  messages,
  type SizeLimits,
  stillLeftOut,
  treeOf,
} from './candidates.js'
import { type GitItem, giveaways, type Issues, itemIds, taskText, writeItem } from './item.js'
import { gitFailure, type OpenRepository, reading } from './open-repository.js'
import { type ImportedState, saveState } from './project.js'
import { type ProjectRoot, projectRoot, steeringPaths, type TestCommand } from './project-commands.js'
import { hiddenPaths, isRunnable, type ProjectPaths } from './project-paths.js'

interface Mining {
  readonly paths: ProjectPaths
  readonly limits: SizeLimits
  /** Returns the command for the tests of a commit, from the files at its root. */
  readonly testsOf: (root: ProjectRoot) => TestCommand
  readonly issues: Issues
  /** Globs of the files that the agent may add; `[]` for no restriction. */
  readonly sources: readonly string[]
  /** Globs of files that only look like secrets. */
  readonly allowed: readonly string[]
  readonly branch: string | undefined
  readonly since: string | undefined
  /** Whether an earlier import looked at the commit. */
  readonly isKnown: (hash: string) => boolean
  /** The commits of existing items, by item id. */
  readonly taken: ReadonlyMap<string, string>
}

/** The result for a commit: an item, or the reason why none exists. */
type Mined =
  | { readonly hash: string; readonly item: GitItem; readonly notes: readonly string[] }
  | { readonly hash: string; readonly leftOut: LeftOut; readonly notes: readonly string[] }

/**
 * Yields the results for the commits of the main line, newest first.
 *
 * @throws `git-failed`
 */
async function* mine(git: Git, mining: Mining): AsyncGenerator<Mined> {
  const findSecrets = await secretFinder(git, mining.allowed)
  const ids = itemIds(await messages(git, mining.branch), mining.taken)
  for await (const commit of mainLine(git, mining)) {
    if (mining.isKnown(commit.hash)) continue
    const candidate = candidateOf(commit, mining.paths, mining.limits)
    if (typeof candidate === 'string') yield { hash: commit.hash, leftOut: candidate, notes: [] }
    else yield await minedOf(git, candidate, mining, { findSecrets, ids })
  }
}

async function minedOf(
  git: Git,
  candidate: Candidate,
  mining: Mining,
  { findSecrets, ids }: { readonly findSecrets: SecretFinder; readonly ids: ReadonlyMap<string, string> },
): Promise<Mined> {
  const { commit, tests } = candidate
  const { hash, parent } = commit
  const tree = await treeOf(git, hash)
  const left = (leftOut: LeftOut, notes: readonly string[] = []): Mined => ({ hash, leftOut, notes })
  const there = new Set(tree)
  const present = tests.filter((path) => there.has(path))
  if (present.length === 0) return left('tests-gone')
  const task = taskText(await fullMessage(git, commit), mining.issues)
  if (task === undefined) return left('says-too-little')
  const secrets = [
    ...(await findSecrets({ commit: hash, paths: tree })),
    ...(await findSecrets({ commit: parent, paths: await treeOf(git, parent) })),
  ]
  if (secrets.length > 0) return left('secrets', [...new Set(secrets)])
  const told = giveaways(task, await addedLines(git, candidate))
  // The judge runs the tests of the commit, which replace those in a copy of the agent's work.
  const command = mining.testsOf(await projectRoot(git, hash))
  const hidden = hiddenPaths(present, tree, mining.paths.isTest)
  const steering = steeringPaths(tree).filter((path) => !hidden.includes(path))
  const sources = mining.sources.length === 0 ? undefined : mining.sources
  const judge = {
    ...command.judge(present.filter(isRunnable)),
    overlay: { paths: [...hidden, ...steering], sources },
    expect: 'lock',
    isolate: 'child',
  }
  return {
    hash,
    item: { id: ids.get(hash) ?? hash, candidate, task, judge },
    notes: told.map((line) => `the task may tell the fix: ${JSON.stringify(line)}`),
  }
}

/** Returns the message of a commit, and for a merge that only names a branch also the subjects of its commits. */
async function fullMessage(git: Git, { message, merged, parent, hash }: Commit): Promise<string> {
  if (merged === undefined || taskText(message) !== undefined) return message
  const subjects = await git(['log', '--reverse', '--no-merges', '--format=%s', `${parent}..${hash}`, '--'])
  return `${message}\n${subjects}`
}

async function addedLines(git: Git, { commit, sources }: Candidate): Promise<readonly string[]> {
  const patch = await git([
    ...['--literal-pathspecs', 'diff', '--no-ext-diff', '--no-textconv', '--no-color', '--unified=0'],
    ...[commit.parent, commit.hash, '--', ...sources],
  ])
  return patch.split('\n').flatMap((line) => (/^\+(?!\+\+ )/.test(line) ? [line.slice(1)] : []))
}

/** Files that contain secrets, in any directory. */
const names: readonly string[] = [
  '**/.env',
  '**/.env.*',
  '**/*.{pem,key,p12,pfx,jks,keystore}',
  '**/id_{rsa,dsa,ecdsa,ed25519}',
  '**/{.netrc,.pgpass,.htpasswd,credentials.json,service-account*.json}',
]
const samples: readonly string[] = ['**/.env.{example,sample,template,dist,defaults,test}']

/** Patterns of private keys, and of the keys of well-known services. */
const contents =
  '-----BEGIN [A-Z ]*PRIVATE KEY-----|_authToken=[A-Za-z0-9_-]{16}|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|sk-(ant-|proj-)?[A-Za-z0-9_-]{32}|xox[abp]-[0-9A-Za-z-]{20}'

/** Finds the files of commits that look like secrets. */
type SecretFinder = (tree: { readonly commit: string; readonly paths: readonly string[] }) => Promise<readonly string[]>

/**
 * Finds secrets by the names and the contents of files.
 *
 * @param allowed globs of files that do not count, such as keys for tests
 */
async function secretFinder(git: Git, allowed: readonly string[]): Promise<SecretFinder> {
  const [isNamed, isSample] = [await globMatcher(names), await globMatcher([...samples, ...allowed])]
  return async function findSecrets({ commit, paths }) {
    const holding = await withKeys(git, commit)
    return [...new Set([...paths.filter(isNamed), ...holding])].filter((path) => !isSample(path)).sort()
  }
}

async function withKeys(git: Git, commit: string): Promise<readonly string[]> {
  try {
    const found = await git(['grep', '-l', '-I', '-z', '-E', '-e', contents, commit, '--'])
    return found.split('\0').flatMap((line) => (line === '' ? [] : [line.slice(commit.length + 1)]))
  } catch (thrown) {
    // `git grep` exits with 1 and prints nothing if it finds nothing.
    if (/fatal|error/i.test(gitFailure(thrown))) throw thrown
    return []
  }
}

const shortHash = 10

/** A note for the user about an item, or about a commit that gave no item. */
interface Note {
  readonly of: string
  readonly note: string
}

/** The settings of an import, and its target. */
interface Importing {
  readonly repository: OpenRepository
  readonly root: string
  readonly mining: Omit<Mining, 'isKnown' | 'taken'>
  readonly choices: ImportChoices
  /** The state that an earlier import left. */
  readonly earlier: ImportedState | undefined
  /** The number of items that the dataset should have. */
  readonly max: number
  /** Whether the files of the items are copied into the dataset. */
  readonly copy: boolean
  readonly validate: Validate
  readonly onProgress: (progress: { readonly looked: number; readonly items: number; readonly max: number }) => void
  readonly signal: AbortSignal
}

/** The reason why an item is unsound, and the explanation from its trials; `null` if there is no more to say. */
export interface Unsound {
  readonly leftOut: LeftOut
  readonly why: string | null
}

/** Returns the unsound items among these of the dataset. */
type Validate = (ids: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, Unsound>>

/** The result of an import. */
export interface Imported {
  readonly state: ImportedState
  /** Notes for the user. */
  readonly notes: readonly Note[]
  /** Whether the signal ended it early. */
  readonly stopped: boolean
}

/**
 * The number of items that are validated together. A smaller number costs more starts, a larger one more time after the
 * last item that is needed.
 */
const batchSize = 8

/**
 * Makes items of commits, newest first, until there are enough of them. After every step the result is on disk, so that
 * an interrupted import keeps it.
 *
 * @throws `git-failed`
 */
export async function importRepository(importing: Importing): Promise<Imported> {
  const { repository, root, mining, choices, earlier, max, signal, onProgress } = importing
  const { name } = repository
  const items = [...(earlier?.items ?? [])]
  const leftOut: Record<string, LeftOut> =
    earlier === undefined ? {} : { ...stillLeftOut(earlier.leftOut, earlier.choices, choices) }
  const notes: Note[] = []
  const state = { name, repository: withoutUserInfo(repository.repoPath), items, leftOut, choices }
  const save = (proposed: readonly string[] = []) => saveState(root, state, proposed)
  const known = new Set([...items.map(({ commit }) => commit), ...Object.keys(leftOut)])
  const taken = new Map(items.map(({ id, commit }) => [id, commit]))
  await save()
  try {
    await reading(repository, signal, async (git) => {
      const mined = mine(git, { ...mining, isKnown: (hash) => known.has(hash), taken })
      if (items.length >= max) return
      for await (const batch of batches(mined, () => Math.min(batchSize, max - items.length))) {
        for (const one of await settled(importing, batch, save)) {
          if ('item' in one) items.push({ id: one.item.id, commit: one.hash })
          else leftOut[one.hash] = one.leftOut
          const of = 'item' in one ? one.item.id : one.hash.slice(0, shortHash)
          notes.push(...one.notes.map((note) => ({ of, note })))
        }
        await save()
        onProgress({ looked: items.length + Object.keys(leftOut).length, items: items.length, max })
        if (items.length >= max) return
      }
    })
  } catch (thrown) {
    if (!signal.aborted) throw thrown
  }
  return { state, notes, stopped: signal.aborted }
}

/** Yields groups with the same number of items, together with all commits between them. */
async function* batches(mined: AsyncIterable<Mined>, size: () => number): AsyncGenerator<readonly Mined[]> {
  let batch: Mined[] = []
  for await (const one of mined) {
    batch.push(one)
    if (batch.filter((each) => 'item' in each).length < size()) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Writes the items of a batch, and removes the unsound ones again. */
async function settled(
  importing: Importing,
  batch: readonly Mined[],
  save: (proposed: readonly string[]) => Promise<void>,
): Promise<readonly Mined[]> {
  const { root, choices, signal } = importing
  const items = batch.flatMap((mined) => ('item' in mined ? [mined.item] : []))
  const propose = () => save(items.map(({ id }) => id))
  const unsound = new Map(await tried(importing, items, propose))
  // Tests that hold objects of the code cannot run in a separate process.
  const together = new Map<string, string | null>()
  if (choices.isolate !== true) {
    const others = items.filter(({ id }) => mayNotBeIsolated.has(unsound.get(id)?.leftOut ?? 'first-commit'))
    const inOneProcess = others.map(({ judge: { isolate: _, ...judge }, ...item }) => ({ ...item, judge }))
    const still = await tried(importing, inOneProcess, propose)
    for (const { id } of others) {
      const found = still.get(id)
      if (found === undefined) together.set(id, unsound.get(id)?.why ?? null)
      if (found === undefined) unsound.delete(id)
      else unsound.set(id, found)
    }
  }
  signal.throwIfAborted()
  for (const { id } of items) if (unsound.has(id)) await rm(itemDirectory(root, id), { recursive: true, force: true })
  return batch.map((mined) => outcomeOf(mined, unsound, together))
}

/** Reasons that may apply to an item only because its code runs in a separate process. */
const mayNotBeIsolated: ReadonlySet<LeftOut> = new Set<LeftOut>([
  'reference-fails',
  'not-judged',
  'flaky',
  'no-named-test',
])

/** Writes items and returns the unsound ones. */
async function tried(
  { repository, root, copy, validate, signal }: Importing,
  items: readonly GitItem[],
  propose: () => Promise<void>,
): Promise<ReadonlyMap<string, Unsound>> {
  if (items.length === 0) return new Map()
  const origin = { repoPath: repository.repoPath, repository: repository.directory, copy }
  for (const item of items) {
    await rm(itemDirectory(root, item.id), { recursive: true, force: true })
    await writeItem(itemDirectory(root, item.id), item, origin, signal)
  }
  await propose()
  return validate(
    items.map(({ id }) => id),
    signal,
  )
}

function outcomeOf(
  mined: Mined,
  unsound: ReadonlyMap<string, Unsound>,
  together: ReadonlyMap<string, string | null>,
): Mined {
  if (!('item' in mined)) return mined
  const { id } = mined.item
  const found = unsound.get(id)
  if (found !== undefined) {
    const { leftOut, why } = found
    const notes = why === null ? [] : [`${leftOutWords(leftOut)}: ${firstLine(why)}`]
    return { hash: mined.hash, leftOut, notes }
  }
  const why = together.get(id)
  if (why === undefined) return mined
  const note = `not isolated, tests and code run in one process${why === null ? '' : `: ${firstLine(why)}`}`
  return { ...mined, notes: [...mined.notes, note] }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
