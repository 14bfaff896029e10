import { JuristError } from './errors.js'
import type { ListOptions, Workspace } from './workspace.js'
import { normalizePath } from './workspace.js'

const faultCodes: ReadonlySet<string> = new Set([
  ...['path-escape', 'not-found', 'not-a-file', 'not-text', 'too-large', 'limit-exceeded'],
  ...['report-corrupt', 'report-unsupported'],
  // Errors of the system that the agent's files cause: removed, linked in a circle, too deep, not readable. ENOSPC,
  // EMFILE and EIO are missing on purpose.
  ...['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'ENXIO', 'ENODEV', 'EOPNOTSUPP'],
  ...['EFBIG', 'EOVERFLOW', 'ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG'],
])
/** Only for a path from a listing. If another path is invalid, the judge made a mistake. */
const oddCodes: ReadonlySet<string> = new Set([...faultCodes, 'path-invalid'])
const faults = new WeakMap<object, Fault>()
const maxCauses = 8

/** Registered globally, so that two copies of this package agree on it. */
const marking = Symbol.for('jurist.judged-workspace')

type Marking = { readonly [marking]?: (thrown: unknown) => void }

/**
 * Marks an error as the agent's fault if it was thrown while reading the files of the judged workspace: a judge that
 * does not catch it fails instead of breaking. Errors of `reference` and `before` are not marked. The workspace of a
 * context marks what its own methods throw; use this function where a judge reads its `root` directly.
 *
 * @returns the thrown value, to be thrown again
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

/** The reason why the agent is to blame for a thrown value. */
export interface Fault {
  readonly code: string
  /** The path in the workspace, if it is known. */
  readonly path?: string
}

/** Also looks at the causes of the thrown value. */
export function faultIn(thrown: unknown): Fault | undefined {
  let error = thrown
  for (let depth = 0; depth < maxCauses && typeof error === 'object' && error !== null; depth++) {
    const fault = faults.get(error)
    if (fault !== undefined) return fault
    error = (error as { readonly cause?: unknown }).cause
  }
  return undefined
}

/** Keeps the fault of an error for a value that was made from it. */
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

function codeIn(thrown: unknown): string | undefined {
  // The directory of the judge's command no longer exists.
  if (JuristError.is(thrown, 'option-invalid') && thrown.details.option === 'cwd') return 'not-found'
  const { code, cause } = (thrown ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  const known = code ?? (cause as { readonly code?: unknown } | null | undefined)?.code
  return typeof thrown === 'object' && typeof known === 'string' ? known : undefined
}

/**
 * Returns the workspace as judges see it: it marks errors of its files as the agent's fault, so that a judge that does
 * not catch them fails instead of breaking. The workspace of every context is marked already; a judge that copies it
 * marks the copy with this function.
 */
export function judgedWorkspace<Judged extends Workspace>(workspace: Judged): Judged {
  if (typeof workspace !== 'object' || workspace === null || isJudgedWorkspace(workspace)) return workspace
  return openedWhenUsed(() => workspace) as Judged
}

/** Does not open the workspace. */
export function isJudgedWorkspace(workspace: object): boolean {
  return marking in workspace
}

/** Its methods are created when one of them is first read. */
interface Viewed {
  readonly open: () => Workspace
  methods?: Omit<Workspace, 'root'>
}

/**
 * Opens the workspace on first use, since many judges look only at the answer.
 *
 * @param open returns the same workspace each time
 */
export function openedWhenUsed(open: () => Workspace): Workspace {
  // The target is not a workspace, because a proxy must answer as its target does where that is frozen.
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

function methodsOf(workspace: Workspace): Omit<Workspace, 'root'> {
  /** Paths from a listing that no judge may name: on Linux a file name may contain a backslash. */
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

/** A command also needs files outside the workspace. If these are missing, the agent is not to blame. */
function isOfTree(thrown: unknown, { root }: Workspace): boolean {
  const { path } = (thrown ?? {}) as { readonly path?: unknown }
  if (typeof path !== 'string' || root === undefined) return true
  return path === root || path.startsWith(`${root}/`) || ['ENAMETOOLONG', 'ELOOP'].includes(codeIn(thrown) ?? '')
}

/** An invalid path is the judge's own mistake, unless a listing returned it. */
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
 * Whether judges rely on this key of the metadata, so that an agent must not set it: `baselineCoverage`, `choices`,
 * `expectedState`, `scenario`, `targetClassVersion`, `toolCalls`, and every key that begins with `rag.`. A dataset, a
 * hook and settings may set it.
 */
export function isJudgeFact(key: string): boolean {
  return judgeFacts.has(key) || key.startsWith('rag.')
}
