import { type Git, globMatcher } from '@jurist/workspace/internal'
import {
  type Candidate,
  type Commit,
  candidateOf,
  type LeftOut,
  mainLine,
  messages,
  type SizeLimits,
  treeOf,
} from './candidates.js'
import { type GitItem, giveaways, type Issues, itemIds, taskText } from './item.js'
import { gitFailure } from './open-repository.js'
import { type ProjectRoot, projectRoot, steeringPaths, type TestCommand } from './project-commands.js'
import { hiddenPaths, isRunnable, type ProjectPaths } from './project-paths.js'

export interface Mining {
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
export type Mined =
  | { readonly hash: string; readonly item: GitItem; readonly notes: readonly string[] }
  | { readonly hash: string; readonly leftOut: LeftOut; readonly notes: readonly string[] }

/**
 * Yields the results for the commits of the main line, newest first.
 *
 * @throws `git-failed`
 */
export async function* mine(git: Git, mining: Mining): AsyncGenerator<Mined> {
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
