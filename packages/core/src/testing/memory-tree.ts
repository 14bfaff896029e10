import { JuristError } from '../errors.js'
import { normalizePath } from '../workspace.js'

export type TreeNode =
  | { readonly type: 'file'; readonly bytes: Uint8Array }
  | { readonly type: 'directory' }
  | { readonly type: 'link'; readonly target: string }

/** Every entry by its path, except the root. */
export type Tree = Map<string, TreeNode>

const maxLinks = 40
const directory: TreeNode = { type: 'directory' }

export function treeOf(
  files: { readonly [path: string]: string | Uint8Array },
  links: { readonly [path: string]: string },
): Tree {
  const tree: Tree = new Map()
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/') && content.length === 0) makeDirectories(tree, normalizePath(path))
    else put(tree, normalizePath(path, 'file'), { type: 'file', bytes: bytesOf(content) })
  }
  for (const [path, target] of Object.entries(links)) put(tree, normalizePath(path, 'file'), { type: 'link', target })
  return tree
}

/** Follows links. `undefined` where nothing exists; throws `path-escape` when a link leaves the root. */
export function locate(tree: Tree, path: string): TreeNode | undefined {
  const resolved = resolve(tree, path)
  return resolved === '.' ? directory : tree.get(resolved)
}

/** Ordered by code units; links are not followed. */
export function childPaths(tree: Tree, under: string): readonly string[] {
  const resolved = resolve(tree, under)
  if (resolved !== '.' && tree.get(resolved)?.type !== 'directory') return []
  const prefix = resolved === '.' ? '' : `${resolved}/`
  return [...tree.keys()].filter((path) => path.startsWith(prefix)).sort(byCodeUnits)
}

/** Never writes through a link at the end of the path. */
export function plant(tree: Tree, path: string, content: string | Uint8Array): void {
  const { parent, name } = split(path)
  const place = parent === '.' ? name : `${resolve(tree, parent)}/${name}`
  if (tree.get(place)?.type === 'directory')
    throw new JuristError('not-a-file', `${path} is a directory; remove it first.`, { path })
  put(tree, place, { type: 'file', bytes: bytesOf(content) })
}

/** Removes a link itself, not its target. */
export function uproot(tree: Tree, path: string): void {
  const { parent, name } = split(path)
  const place = parent === '.' ? name : `${resolve(tree, parent)}/${name}`
  for (const key of [...tree.keys()]) if (key === place || key.startsWith(`${place}/`)) tree.delete(key)
}

function resolve(tree: Tree, path: string, links = 0): string {
  if (path === '.') return path
  let at = ''
  const segments = path.split('/')
  for (const [index, segment] of segments.entries()) {
    const here = at === '' ? segment : `${at}/${segment}`
    const node = tree.get(here)
    if (node?.type === 'link') {
      if (links >= maxLinks) return here
      const target = follow(at, node.target, path)
      return resolve(tree, [target, ...segments.slice(index + 1)].join('/').replace(/^\.\//, ''), links + 1)
    }
    at = here
  }
  return at
}

/** Returns a path from the root. */
function follow(from: string, target: string, path: string): string {
  const leaves = () => new JuristError('path-escape', `${path} is a link that leaves the workspace.`, { path })
  if (target.startsWith('/')) throw leaves()
  const steps = from === '' ? [] : from.split('/')
  for (const step of target.split('/')) {
    if (step === '' || step === '.') continue
    if (step !== '..') steps.push(step)
    else if (steps.pop() === undefined) throw leaves()
  }
  return steps.length === 0 ? '.' : steps.join('/')
}

function put(tree: Tree, path: string, node: TreeNode): void {
  makeDirectories(tree, split(path).parent)
  tree.set(path, node)
}

function makeDirectories(tree: Tree, path: string): void {
  if (path === '.') return
  const node = tree.get(path)
  if (node?.type === 'file') throw new JuristError('not-a-file', `${path} is a file, not a directory.`, { path })
  makeDirectories(tree, split(path).parent)
  if (node === undefined) tree.set(path, directory)
}

function split(path: string): { readonly parent: string; readonly name: string } {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? { parent: '.', name: path } : { parent: path.slice(0, slash), name: path.slice(slash + 1) }
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content.slice()
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
