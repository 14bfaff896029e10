import { hunksOf, lineDiff } from '@jurist/kit/text-diff'
import type { Workspace } from '../../workspace.js'
import { maxReadBytes } from '../../workspace.js'
import { defaultMaxChars, shortened } from '../fence.js'

const maxFileChars = 20_000

/** The changes as a string for a model, with counts of what it leaves out. */
export interface ShownChanges {
  /** `''` when no file differs. */
  readonly text: string
  /** Characters of changed files, and of the list of files, that are not shown. */
  readonly charsLeftOut: number
  /** Changed files whose content is not shown: below a `node_modules` without packages, not text, too large. */
  readonly filesLeftOut: number
}

interface Change {
  readonly head: string
  readonly body: string
  readonly charsLeftOut: number
  readonly isShown: boolean
}

/** Absent bytes: the file is too large to read. */
interface File {
  readonly sizeBytes: number
  readonly bytes?: Uint8Array
}

type Sizes = ReadonlyMap<string, number>

/**
 * First lists the files added, removed and changed, then shows the lines of each: at most 20,000 characters per file
 * and 100,000 in all. Files that are not text, or too large to read, show only their size. `.git` and `node_modules`
 * are left out, at any depth.
 */
export async function shownChanges(before: Workspace, after: Workspace, signal: AbortSignal): Promise<ShownChanges> {
  const [old, fresh] = [await sizesOf(before, signal), await sizesOf(after, signal)]
  const paths = [...new Set([...old.keys(), ...fresh.keys()])].sort()
  const changes: Change[] = []
  let hidden = 0
  let roomLeft = defaultMaxChars
  for (const path of paths) {
    signal.throwIfAborted()
    const place = placeOf(path, old)
    if (place === 'installed') continue
    const change = changeOf(path, await fileOf(before, path, old), await fileOf(after, path, fresh))
    if (change === undefined) continue
    if (place === 'hidden') hidden += 1
    else {
      const shown = withinRoom(change, roomLeft)
      changes.push(shown)
      roomLeft = Math.max(0, roomLeft - shown.body.length - 2 * shown.head.length)
    }
  }
  return { ...asText(changes), filesLeftOut: hidden + changes.filter(({ isShown }) => !isShown).length }
}

export async function workspaceChanges(before: Workspace, after: Workspace, signal: AbortSignal): Promise<string> {
  return (await shownChanges(before, after, signal)).text
}

function asText(changes: readonly Change[]): Pick<ShownChanges, 'text' | 'charsLeftOut'> {
  if (changes.length === 0) return { text: '', charsLeftOut: 0 }
  const list = changes.map(({ head }) => head).join('\n')
  const heads = shortened(list, defaultMaxChars / 2)
  const bodies = changes.filter(({ body }) => body !== '').map(({ head, body }) => `\n${head}\n${body}`)
  const whole = [heads, ...bodies].join('\n')
  const text = shortened(whole)
  const cut = list.length - heads.length + (whole.length - text.length)
  return { text, charsLeftOut: changes.reduce((sum, { charsLeftOut }) => sum + charsLeftOut, Math.max(0, cut)) }
}

/** Keeps only as much of a change as will be shown, because there may be many. */
function withinRoom(change: Change, room: number): Change {
  if (change.body.length <= room) return change
  return { ...change, body: '', charsLeftOut: change.charsLeftOut + change.body.length }
}

async function sizesOf(workspace: Workspace, signal: AbortSignal): Promise<Sizes> {
  const sizes = new Map<string, number>()
  for await (const { path, type, sizeBytes } of workspace.list({ signal }))
    if (type === 'file') sizes.set(path, sizeBytes)
  return sizes
}

/**
 * Installed packages are not the agent's work: the directories of the root, and a `node_modules` next to a
 * `package.json` that was there before. `hidden` is in a directory that only has that name.
 */
function placeOf(path: string, old: Sizes): 'installed' | 'hidden' | 'elsewhere' {
  const segments = path.split('/')
  const index = segments.findIndex((segment) => segment === '.git' || segment === 'node_modules')
  if (index < 0) return 'elsewhere'
  const project = [...segments.slice(0, index), 'package.json'].join('/')
  const isPackage = segments[index] === 'node_modules' && old.has(project)
  return index === 0 || isPackage ? 'installed' : 'hidden'
}

async function fileOf(workspace: Workspace, path: string, sizes: Sizes): Promise<File | undefined> {
  const sizeBytes = sizes.get(path)
  if (sizeBytes === undefined) return undefined
  return sizeBytes > maxReadBytes ? { sizeBytes } : { sizeBytes, bytes: await workspace.readBytes(path) }
}

function changeOf(path: string, old: File | undefined, fresh: File | undefined): Change | undefined {
  const kind = kindOf(old, fresh)
  if (kind === 'same') return undefined
  // A name with a line break must not look like two names.
  const name = /\p{Cc}/u.test(path) ? JSON.stringify(path) : path
  return { head: `${kind} ${name}`, ...bodyOf(path, old, fresh) }
}

function kindOf(old: File | undefined, fresh: File | undefined) {
  if (old === undefined) return 'added'
  if (fresh === undefined) return 'removed'
  if (old.sizeBytes !== fresh.sizeBytes) return 'changed'
  if (old.bytes === undefined || fresh.bytes === undefined) return 'not compared'
  return isSame(old.bytes, fresh.bytes) ? 'same' : 'changed'
}

function isSame(old: Uint8Array, fresh: Uint8Array): boolean {
  return old.length === fresh.length && old.every((byte, index) => byte === fresh[index])
}

/** Pictures, fonts, sound and film cannot be executed. */
const media = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|woff2?|ttf|otf|eot|mp3|mp4|m4a|wav|ogg|webm|mov|pdf)$/i

function bodyOf(path: string, old: File | undefined, fresh: File | undefined): Omit<Change, 'head'> {
  const [before, after] = [linesOf(old), linesOf(fresh)]
  if (before !== undefined && after !== undefined) {
    const whole = diffText(before, after)
    const body = shortened(whole, maxFileChars)
    return { body, charsLeftOut: body === whole ? 0 : whole.length - maxFileChars, isShown: true }
  }
  const sizes = [old, fresh].flatMap((file) => (file === undefined ? [] : [`${file.sizeBytes} bytes`]))
  const body = `(no text that can be shown: ${sizes.join(', then ')})`
  return { body, charsLeftOut: 0, isShown: fresh === undefined || media.test(path) }
}

const marks = { same: ' ', removed: '-', added: '+' } as const

/** Each hunk begins with the numbers of its first line in the old and the new file. */
function diffText(before: readonly string[], after: readonly string[]): string {
  return hunksOf(lineDiff(before, after))
    .flatMap(({ lines, skipped }) => [
      `@@ -${skipped.before + 1} +${skipped.after + 1} @@`,
      ...lines.map(({ kind, text }) => `${marks[kind]}${text}`),
    ])
    .join('\n')
}

/** Empty for a missing file, `undefined` for a file that is not text. */
function linesOf(file: File | undefined): readonly string[] | undefined {
  if (file === undefined) return []
  if (file.bytes === undefined || file.bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file.bytes).split('\n')
  } catch {
    return undefined
  }
}
