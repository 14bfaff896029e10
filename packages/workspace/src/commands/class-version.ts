import { posix } from 'node:path'
import {
  abstain,
  type Check,
  fail,
  type Judge,
  type Judgment,
  JuristError,
  pass,
  unjudgeable,
  type Workspace,
  withInfo,
} from '@jurist/core'
import {
  checkOptions,
  described,
  describeJudge,
  type OptionDescriptions,
  option,
  optionInvalid,
} from '@jurist/core/internal'
import { readFileStart } from '../file-content.js'
import { directoryOf } from '../workspace-settings.js'
import { projectEntries } from './overlay.js'

/** The major version of a class file, or the reason why it cannot be read. */
type ClassFile =
  | { readonly kind: 'class'; readonly path: string; readonly major: number }
  | { readonly kind: 'broken'; readonly path: string; readonly problem: string }

const magic = 0xcafebabe

const headerBytes = 8

const maxClassBytes = 1024 ** 3

/** Reads the header of a class file: its magic number, then the minor and the major version, big-endian. */
async function readClassFile(workspace: Workspace, path: string): Promise<ClassFile> {
  const broken = (problem: string): ClassFile => ({ kind: 'broken', path, problem })
  try {
    const bytes = await startOf(workspace, path)
    if (bytes.length < headerBytes) return broken(`has ${bytes.length} bytes, too few for a class file`)
    const header = new DataView(bytes.buffer, bytes.byteOffset, headerBytes)
    if (header.getUint32(0) !== magic) return broken('does not begin like a class file')
    return { kind: 'class', path, major: header.getUint16(6) }
  } catch (thrown) {
    if (thrown instanceof JuristError) return broken(`cannot be read: ${thrown.code}`)
    throw thrown
  }
}

/** Reads only the header if the workspace has a directory. Other workspaces return the whole file. */
async function startOf(workspace: Workspace, path: string): Promise<Uint8Array> {
  const root = directoryOf(workspace)
  return root === undefined
    ? await workspace.readBytes(path, { maxBytes: maxClassBytes })
    : readFileStart(root, path, headerBytes)
}

const firstRelease = 5

const offset = 44

/**
 * Returns the major version of the class files of a Java release.
 *
 * @param release 5 or later
 * @throws `option-invalid`
 *
 * @example
 * import { javaClassVersion } from '@jurist/workspace/commands'
 *
 * javaClassVersion(17) // 61
 */
export function javaClassVersion(release: number): number {
  if (Number.isSafeInteger(release) && release >= firstRelease) return release + offset
  optionInvalid('release', `javaClassVersion: the release must be 5 or later (got ${String(release)}).`)
}

function shownVersion(major: number): string {
  return major < javaClassVersion(firstRelease) ? String(major) : `${major} (Java ${major - offset})`
}

/** Options of `classVersion`. */
export interface ClassVersionOptions {
  /** The major version that every class must have, such as 61 for Java 17; see `javaClassVersion`. */
  readonly expected?: number
  readonly atMost?: number
  readonly atLeast?: number
  /**
   * The key of the version in the metadata of the context, used if `expected` is absent. Default `targetClassVersion`.
   */
  readonly targetFrom?: string
  /** Globs of the directories that contain classes. Default: the output directories of Maven and Gradle. */
  readonly roots?: readonly string[]
  /** `'all'` includes `module-info.class` and `META-INF/versions`. Default `'main'`. */
  readonly include?: 'main' | 'all'
}

const maxFileChecks = 50
const defaultRoots = ['**/target/classes', '**/build/classes/*/main']
const version = option.integer(1)
const rules: OptionDescriptions<ClassVersionOptions> = {
  expected: described(version, 'The major version that every class must have, such as 61 for Java 17.'),
  atMost: described(version, 'The highest major version that passes.'),
  atLeast: described(version, 'The lowest major version that passes.'),
  targetFrom: described(
    option.string,
    'The key of the metadata that has the version when no version is given here.',
    'targetClassVersion',
  ),
  roots: {
    wants: 'an array of globs',
    holds: (value) => option.strings.holds(value) && (value as readonly string[]).every((glob) => glob.trim() !== ''),
    schema: { type: 'array', items: { type: 'string' } },
    description: 'Globs of the directories of classes. Default: those that Maven and Gradle write.',
  },
  include: described(
    option.oneOf('main', 'all'),
    'Whether `module-info.class` and `META-INF/versions` are examined too.',
    'main',
  ),
}

/**
 * Passes when every class that was built has the right major version. Fails when classes are missing: `before` or the
 * reference has some, or their directory is empty or is not a directory. Abstains when no version is given, or nothing
 * was ever built.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { classVersion, javaClassVersion } from '@jurist/workspace/commands'
 *
 * classVersion(javaClassVersion(17))
 */
export function classVersion(expected?: number | ClassVersionOptions): Judge {
  const name = 'classVersion'
  const given = checkOptions(name, typeof expected === 'number' ? { expected } : expected, rules)
  const { targetFrom = 'targetClassVersion', roots = defaultRoots, include = 'main', ...asked } = given
  const judge: Judge = async ({ workspace, before, reference, metadata, signal }) => {
    const stated = Object.hasOwn(metadata, targetFrom) ? metadata[targetFrom] : undefined
    const target = Object.keys(asked).length > 0 ? asked : targetIn(stated, targetFrom)
    if (typeof target === 'string') return abstain(target)
    const { paths, missing } = await classPaths(workspace, roots, include, signal)
    if (missing !== undefined) {
      const hadClasses = async (one: Workspace) => (await classPaths(one, roots, include, signal)).paths.length > 0
      const isKnown =
        missing.isLeft || (before && (await hadClasses(before))) || (reference && (await hadClasses(reference)))
      const { reason } = missing
      if (isKnown !== true) return abstain(reason)
      return unjudgeable(reason, {
        code: 'not-found',
        checks: [{ name: 'class_version', passed: false, message: reason }],
      })
    }
    const files: ClassFile[] = []
    for (const path of paths) {
      signal.throwIfAborted()
      files.push(await readClassFile(workspace, path))
    }
    return judgmentOn(files, target)
  }
  return withInfo(judge, { name, options: given })
}

interface Classes {
  readonly paths: readonly string[]
  /** `isLeft`: something exists where classes belong, so there was a build. */
  readonly missing?: { readonly reason: string; readonly isLeft: boolean }
}

/** Lists the class files below the roots, sorted. */
async function classPaths(
  workspace: Workspace,
  roots: readonly string[],
  include: 'main' | 'all',
  signal: AbortSignal,
): Promise<Classes> {
  const { default: picomatch } = await import('picomatch')
  const globs = roots.map((root) => posix.normalize(root).replace(/(?<=.)\/$/, ''))
  const isRoot = picomatch(globs, { dot: true })
  // The root of the workspace is not listed, although every path begins there.
  const found = globs.includes('.') ? [''] : []
  const paths: string[] = []
  let isLeft = false
  for await (const { path, type } of projectEntries(workspace, signal, globs)) {
    const root = found.find((directory) => path.startsWith(directory))
    if (root === undefined && isRoot(path)) isLeft = true
    if (type === 'directory') {
      if (root === undefined && isRoot(path)) found.push(`${path}/`)
    } else if (root !== undefined && path.endsWith('.class') && (include === 'all' || isMain(path.slice(root.length))))
      paths.push(path)
  }
  if (paths.length > 0) return { paths }
  const reason =
    found.length === 0
      ? `no directory of classes: ${roots.join(', ')}`
      : `there are no classes in ${found.map((root) => root || '.').join(', ')}`
  return { paths, missing: { reason, isLeft: isLeft || found.length > 0 } }
}

/** Whether a class is not compiled for a release of its own. */
function isMain(path: string): boolean {
  return !path.startsWith('META-INF/versions/') && path.split('/').at(-1) !== 'module-info.class'
}

function judgmentOn(files: readonly ClassFile[], target: VersionTarget): Judgment {
  const wanted = shownTarget(target)
  const offending = files.flatMap((file) => offence(file, target, wanted))
  const message =
    offending.length === 0
      ? `all ${files.length} classes have version ${wanted}`
      : `${offending.length} of ${files.length} classes do not have version ${wanted}`
  const checks = [
    { name: 'class_version', passed: offending.length === 0, message },
    ...offending.slice(0, maxFileChecks),
  ]
  const { expected = null, atMost = null, atLeast = null } = target
  const counts = { classes: files.length, mismatched: offending.length, versions: versionsOf(files) }
  const extras = { checks, metadata: { expected, atMost, atLeast, ...counts } }
  return offending.length === 0 ? pass(message, extras) : fail(message, extras)
}

function offence(file: ClassFile, target: VersionTarget, wanted: string): readonly Check[] {
  const { path } = file
  const check = (message: string): Check => ({ name: path, passed: false, message, location: { path } })
  if (file.kind === 'broken') return [check(file.problem)]
  return isWanted(file.major, target) ? [] : [check(`has version ${shownVersion(file.major)}, expected ${wanted}`)]
}

function versionsOf(files: readonly ClassFile[]): { readonly [major: string]: number } {
  const versions: { [major: string]: number } = {}
  for (const file of files) if (file.kind === 'class') versions[file.major] = (versions[file.major] ?? 0) + 1
  return versions
}

/** The allowed major versions; at least one field is present. */
interface VersionTarget {
  readonly expected?: number
  readonly atMost?: number
  readonly atLeast?: number
}

function isWanted(major: number, { expected, atMost, atLeast }: VersionTarget): boolean {
  return (
    (expected === undefined || major === expected) &&
    (atMost === undefined || major <= atMost) &&
    (atLeast === undefined || major >= atLeast)
  )
}

function shownTarget({ expected, atMost, atLeast }: VersionTarget): string {
  return [
    ...(expected === undefined ? [] : [shownVersion(expected)]),
    ...(atLeast === undefined ? [] : [`at least ${shownVersion(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${shownVersion(atMost)}`]),
  ].join(' and ')
}

/**
 * Reads the target from a value of the metadata: an integer, or a string of digits. Otherwise returns what is wrong
 * with it.
 */
function targetIn(value: unknown, key: string): VersionTarget | string {
  if (value === undefined) return `no class version is asked for, and the metadata has no "${key}"`
  const version = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value
  if (Number.isSafeInteger(version) && (version as number) > 0) return { expected: version as number }
  const type = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
  return `"${key}" of the metadata must be an integer or a string of digits (got ${type})`
}

describeJudge<ClassVersionOptions>(classVersion, {
  passes: 'every class that was built has the right major version',
  options: rules,
  make: classVersion,
})
