import { JuristError } from './errors.js'
import type { ListOptions, Workspace } from './workspace.js'
import { normalizePath } from './workspace.js'

/** What a judge cannot judge because of what the agent left. */
const faultCodes: ReadonlySet<string> = new Set([
  ...['path-escape', 'not-found', 'not-a-file', 'not-text', 'too-large', 'limit-exceeded'],
  ...['report-corrupt', 'report-unsupported'],
  // What the system says of a tree: removed, linked in a circle, too deep, closed. ENOSPC, EMFILE and EIO are not here.
  ...['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'ENXIO', 'ENODEV', 'EOPNOTSUPP'],
  ...['EFBIG', 'EOVERFLOW', 'ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG'],
])
/** The same for a path that no judge could have made up. */
const oddCodes: ReadonlySet<string> = new Set([...faultCodes, 'path-invalid'])
/** What the agent is to blame for, with the code that its check is named after. */
const faults = new WeakMap<object, Fault>()
const maxCauses = 8

/** The key under which a judged workspace marks errors; registered, so that two copies of this package agree. */
const marking = Symbol.for('jurist.judged-workspace')

type Marking = { readonly [marking]?: (thrown: unknown) => void }

/**
 * Marks what was thrown while the files of a workspace were read, when the workspace is the judged one and the error is
 * about its files: a judge that lets it pass fails, and does not break. Files of a reference and of `before` are not
 * marked. The workspace of a context marks what its own methods throw; use this where a judge reads its `root` directly.
 *
 * @returns what was thrown, to be thrown again
 *
 * @example
 * import { readFile } from 'node:fs/promises'
 * import { blamed, type Judge } from '@jurist/core'
 *
 * export const isLong: Judge = async ({ workspace }) => {
 *   try {
 *     return (await readFile(`${workspace.root}/report.bin`)).length > 1_000
 *   } catch (thrown) {
 *     throw blamed(workspace, thrown)
 *   }
 * }
 */
export function blamed(workspace: Workspace, thrown: unknown): unknown {
  ;(workspace as Marking)[marking]?.(thrown)
  return thrown
}

/** A thrown value that the agent is to blame for. */
export interface Fault {
  readonly code: string
  /** Where in the workspace, when it is known. */
  readonly path?: string
}

/** What the agent is to blame for in a thrown value, or in its causes; `undefined` when it is not to blame. */
export function faultIn(thrown: unknown): Fault | undefined {
  let error = thrown
  for (let depth = 0; depth < maxCauses && typeof error === 'object' && error !== null; depth++) {
    const fault = faults.get(error)
    if (fault !== undefined) return fault
    error = (error as { readonly cause?: unknown }).cause
  }
  return undefined
}

/** Remembers of something that was made of an error what the agent is to blame for in that error. */
export function keepFault(made: object, cause: unknown): void {
  const fault = faultIn(cause)
  if (fault !== undefined) faults.set(made, fault)
}

function mark(thrown: unknown, codes: ReadonlySet<string> = faultCodes): void {
  const code = codeIn(thrown)
  if (typeof thrown !== 'object' || thrown === null || code === undefined || !codes.has(code)) return
  const path = (thrown as { readonly details?: { readonly path?: unknown } }).details?.path
  faults.set(thrown, typeof path === 'string' ? { code, path } : { code })
}

/** The error's own code, else that of its cause. */
function codeIn(thrown: unknown): string | undefined {
  // A command needs a directory to run in: the one that a judge names no longer exists.
  if (JuristError.is(thrown, 'option-invalid') && thrown.details.option === 'cwd') return 'not-found'
  const { code, cause } = (thrown ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  const known = code ?? (cause as { readonly code?: unknown } | null | undefined)?.code
  return typeof thrown === 'object' && typeof known === 'string' ? known : undefined
}

/**
 * The workspace as judges see it: what its methods throw about its files is marked, so that a judge that lets it pass fails
 * and does not break. Everything else is as it was. The workspace of every context is one; a judge that copies it uses this
 * for the copy.
 */
export function judgedWorkspace<Judged extends Workspace>(workspace: Judged): Judged {
  if (typeof workspace !== 'object' || workspace === null || isJudgedWorkspace(workspace)) return workspace
  return openedWhenUsed(() => workspace) as Judged
}

/** Whether a workspace is a judged one; it is not opened for that. */
export function isJudgedWorkspace(workspace: object): boolean {
  return marking in workspace
}

/** What a view shows. Its methods are made when one of them is first read. */
interface Viewed {
  readonly open: () => Workspace
  methods?: Omit<Workspace, 'root'>
}

/**
 * A judged workspace that is opened when it is used: many judges look at the answer only.
 *
 * @param open returns the same workspace each time
 */
export function openedWhenUsed(open: () => Workspace): Workspace {
  // The target is not a workspace: a proxy must answer as its target does where that is frozen.
  return new Proxy({ open } as Viewed as unknown as Workspace, handler as unknown as ProxyHandler<Workspace>)
}

const handler: ProxyHandler<Viewed> = {
  get: valueIn,
  has: ({ open }, key) => key === marking || Reflect.has(open(), key),
  set: ({ open }, key, value) => Reflect.set(open(), key, value),
  ownKeys: ({ open }) => Reflect.ownKeys(open()),
  getPrototypeOf: ({ open }) => Reflect.getPrototypeOf(open()),
  getOwnPropertyDescriptor(viewed, key) {
    const workspace = viewed.open()
    if (!Object.hasOwn(workspace, key)) return undefined
    const { enumerable = false } = Reflect.getOwnPropertyDescriptor(workspace, key) ?? {}
    return { get: () => valueIn(viewed, key), enumerable, configurable: true }
  },
}

const methodNames: ReadonlySet<string | symbol> = new Set<keyof Workspace>([
  ...(['exists', 'isFile', 'read', 'readBytes', 'list', 'run'] as const),
])

function valueIn(viewed: Viewed, key: string | symbol): unknown {
  if (key === marking) return (thrown: unknown) => mark(thrown)
  const workspace = viewed.open()
  if (methodNames.has(key) && Reflect.has(workspace, key)) {
    viewed.methods ??= methodsOf(workspace)
    return viewed.methods[key as keyof Viewed['methods']]
  }
  const value: unknown = Reflect.get(workspace, key, workspace)
  return typeof value === 'function' ? value.bind(workspace) : value
}

/** The methods of the port, each marking what it throws. */
function methodsOf(workspace: Workspace): Omit<Workspace, 'root'> {
  /** Paths that a listing gave, and that no judge may name: on Linux a name may hold a backslash. */
  const odd = new Set<string>()
  const at = async <Value>(path: string, step: () => Promise<Value>): Promise<Value> => {
    try {
      return await step()
    } catch (thrown) {
      markAt(thrown, path, odd)
      throw thrown
    }
  }
  return {
    exists: (path) => at(path, () => workspace.exists(path)),
    isFile: (path) => at(path, () => workspace.isFile(path)),
    read: (path, ...options) => at(path, () => workspace.read(path, ...options)),
    readBytes: (path, ...options) => at(path, () => workspace.readBytes(path, ...options)),
    list: (...options) => listed(workspace, options, odd),
    async run(command, ...options) {
      try {
        return await workspace.run(command, ...options)
      } catch (thrown) {
        if (isOfTree(thrown, workspace)) markAt(thrown, options[0]?.cwd ?? '.', odd)
        throw thrown
      }
    },
  }
}

/** A command also needs places that are not the agent's; what the system misses there is not its fault. */
function isOfTree(thrown: unknown, { root }: Workspace): boolean {
  const { path } = (thrown ?? {}) as { readonly path?: unknown }
  if (typeof path !== 'string' || root === undefined) return true
  return path === root || path.startsWith(`${root}/`) || ['ENAMETOOLONG', 'ELOOP'].includes(codeIn(thrown) ?? '')
}

/** A path that cannot be one is the judge's own mistake, unless a listing gave it. */
function markAt(thrown: unknown, path: string, odd: ReadonlySet<string>): void {
  if (isPlain(path)) mark(thrown)
  else if (odd.has(path)) mark(thrown, oddCodes)
}

async function* listed(workspace: Workspace, [options]: readonly (ListOptions | undefined)[], odd: Set<string>) {
  try {
    for await (const entry of workspace.list(options)) {
      if (!isPlain(entry.path)) odd.add(entry.path)
      yield entry
    }
  } catch (thrown) {
    markAt(thrown, options?.under ?? '.', odd)
    throw thrown
  }
}

function isPlain(path: string): boolean {
  try {
    return normalizePath(path) !== ''
  } catch {
    return false
  }
}

const judgeFacts: ReadonlySet<string> = new Set([
  'baselineCoverage',
  'choices',
  'expectedState',
  'scenario',
  'targetClassVersion',
  'toolCalls',
])

/**
 * Whether judges judge by this key of the metadata, so that an agent must not set it: `baselineCoverage`, `choices`,
 * `expectedState`, `scenario`, `targetClassVersion`, `toolCalls`, and every key that begins with `rag.`. A dataset, a hook and
 * settings may.
 */
export function isJudgeFact(key: string): boolean {
  return judgeFacts.has(key) || key.startsWith('rag.')
}
