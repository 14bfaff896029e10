import { readdirSync } from 'node:fs'
import {
  type JudgeView,
  type Judgment,
  JuristError,
  type SharedWorkspace,
  type Workspace,
  type WritableWorkspace,
} from '@jurist/core'
import { judgmentFromJson } from '@jurist/core/internal'
import { ownRoot } from './containment.js'
import { copyTree } from './copy-tree.js'
import { deleteOrWarn, temporaryDirectory } from './temporary-directory.js'

/** A workspace with a directory in which commands can run. */
interface RunningWorkspace extends WritableWorkspace, AsyncDisposable {
  readonly root: string
}

/** The original of a view, and how it is copied. */
export interface ViewSource {
  /** The workspace that is read as long as there is no copy. */
  readonly original: () => Workspace
  /** The directory to copy; `undefined` if nothing was written yet. */
  readonly rootToCopy: () => string | undefined
  /** The parent directory of copies; `undefined` for the system's temporary directory. */
  readonly parentDirectory: string | undefined
  /** Opens a directory as a workspace that runs its commands as the original does. */
  readonly open: (directory: string) => RunningWorkspace
  /** The names that commands of judges have left in copies. */
  readonly products: Products
}

interface View {
  copy: Promise<RunningWorkspace> | undefined
  made: RunningWorkspace | undefined
  over: boolean
  /** Created with the copy, which most views never have. */
  ending: AbortController | undefined
}

/**
 * Creates a workspace for one judge. It shows the original until a command runs or something is written. From then on,
 * it is a copy, which is deleted when the view ends.
 */
export function judgeView(source: ViewSource): JudgeView {
  const view: View = { copy: undefined, made: undefined, over: false, ending: undefined }
  const now = (): Workspace => view.made ?? source.original()
  const changed = async (): Promise<RunningWorkspace> => {
    if (view.over)
      throw new JuristError('aborted', 'The judge has ended: its copy of the workspace is gone.', { reason: 'ended' })
    view.copy ??= makeCopy(source, view)
    return view.copy
  }
  const workspace: Omit<WritableWorkspace & SharedWorkspace, 'root'> = {
    exists: (path) => now().exists(path),
    isFile: (path) => now().isFile(path),
    read: (path, options) => now().read(path, options),
    readBytes: (path, options) => now().readBytes(path, options),
    list: (options) => now().list(options),
    run: async (command, options) => (await changed()).run(command, options),
    write: async (path, content) => (await changed()).write(path, content),
    remove: async (path) => (await changed()).remove(path),
    forJudge: () => judgeView({ ...source, original: now, rootToCopy: () => view.made?.root ?? source.rootToCopy() }),
  }
  const place = {
    root: { enumerable: true, get: () => now().root },
    sandbox: { enumerable: true, get: () => (now() as { readonly sandbox?: unknown }).sandbox },
  }
  return {
    workspace: Object.freeze(Object.defineProperties(workspace, place)) as WritableWorkspace,
    end(judgment) {
      view.over = true
      return view.copy === undefined ? explained(judgment, source.products, []) : end(view, source, judgment)
    },
  }
}

async function makeCopy(source: ViewSource, view: View): Promise<RunningWorkspace> {
  const directory = temporaryDirectory(source.parentDirectory)
  view.ending = new AbortController()
  try {
    const root = source.rootToCopy()
    const { signal } = view.ending
    const how = { ignore: [], clone: 'auto', misfits: 'leave-out', links: 'all', signal } as const
    if (root !== undefined) await copyTree(ownRoot(root), directory, how)
    view.made = source.open(directory)
    return view.made
  } catch (thrown) {
    await deleteOrWarn(directory)
    throw thrown
  }
}

/** Waits until nothing is left of the copy: judges must not meet the commands of others. */
async function end(view: View, source: ViewSource, judgment: Judgment): Promise<Judgment> {
  view.ending?.abort(new Error('the judge has ended'))
  const made = await view.copy?.catch(() => undefined)
  if (made === undefined) return judgment
  await made[Symbol.asyncDispose]()
  const present = readdirSync(made.root)
  const told = explained(judgment, source.products, present)
  addProducts(source.products, namesIn(source.rootToCopy()), present)
  await deleteOrWarn(made.root)
  return told
}

function namesIn(root: string | undefined): readonly string[] {
  return root === undefined ? [] : readdirSync(root)
}

/** The names at the root of a workspace that only commands of judges wrote, each in a copy. */
type Products = Set<string>

const plainName = /^[\w.@-]{2,64}$/
const mostNames = 32

/** Adds the names that a copy has and its original does not. */
function addProducts(products: Products, original: readonly string[], copy: readonly string[]): void {
  const known = new Set(original)
  for (const name of copy) if (products.size < mostNames && !known.has(name) && plainName.test(name)) products.add(name)
}

/**
 * Adds to a failing judgment what the judge may have missed: something that a command of another judge wrote in a copy
 * that is gone.
 *
 * @param present the names at the root of what the judge saw
 */
function explained(judgment: Judgment, products: Products, present: readonly string[]): Judgment {
  if (products.size === 0 || judgment.status !== 'fail') return judgment
  const { output, command } = judgment.metadata
  const text = [judgment.reasoning, ...judgment.checks.map(({ message }) => message), output, command].join('\n')
  const missed = [...products].find((name) => !present.includes(name) && names(text, name))
  if (missed === undefined) return judgment
  const hint = `${missed} was written by a command of another judge, in its own copy; put both judges into inOneCopy to let this one see it`
  return judgmentFromJson({ ...judgment, reasoning: `${judgment.reasoning} (${hint})` })
}

function names(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w.-])${name.replaceAll('.', '\\.')}(?![\\w-])`).test(text)
}

/**
 * Creates a view for judges that cannot change files. `write` and `remove` of the workspace, if it has them, reject
 * with `read-only`. Commands still run in the directory itself; those of judges that are combined run in a copy.
 */
export function readOnly(workspace: Workspace): Workspace {
  const refuse = async (path: string): Promise<never> => {
    throw new JuristError('read-only', `${path} cannot be changed: the workspace is read-only.`, { path })
  }
  const { root } = workspace
  const { forJudge } = workspace as SharedWorkspace
  const view = {
    root,
    // The way its commands run is not secret: a copy must run them in the same way.
    ...('sandbox' in workspace ? { sandbox: workspace.sandbox } : {}),
    exists: (path) => workspace.exists(path),
    isFile: (path) => workspace.isFile(path),
    read: (path, options) => workspace.read(path, options),
    readBytes: (path, options) => workspace.readBytes(path, options),
    list: (options) => workspace.list(options),
    run: (command, options) => workspace.run(command, options),
    // A copy belongs to one judge, which may delete reports in it.
    ...(forJudge && { forJudge: () => forJudge.call(workspace) }),
  } satisfies SharedWorkspace
  return Object.freeze({ ...view, ...('write' in workspace ? { write: refuse, remove: refuse } : {}) })
}
