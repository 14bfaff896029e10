import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { pathIn } from './tool-calls.js'

/** The change of one file that a tool call asked for. */
export interface FileEdit {
  readonly path: string
  /** `replaced`: parts of it; `written`: its whole content. */
  readonly change: 'replaced' | 'written' | 'added' | 'modified' | 'removed'
  /** The replaced parts. Empty where the agent recorded only the path. */
  readonly parts: readonly { readonly before: string; readonly after: string }[]
}

/** Names that editing tools give the text to find and the text that replaces it. */
const replacements: readonly (readonly [before: string, after: string])[] = [
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['old_text', 'new_text'],
  ['oldString', 'newString'],
  ['oldText', 'newText'],
  ['search', 'replace'],
]
const contents: readonly string[] = ['content', 'contents', 'file_text', 'new_source', 'text', 'insert_text']
const patches: readonly string[] = ['patch', 'diff', 'input', 'patchText', 'command', 'cmd']

/** The file changes in the input of a tool; empty if it changes no file, or does not declare the change. */
export function fileEdits(input: Json): readonly FileEdit[] {
  const patch = patchIn(input)
  if (patch !== undefined) return patchEdits(patch)
  if (!isPlainObject(input)) return []
  const given: { readonly [key: string]: unknown } = input
  const path = pathIn(input) ?? ''
  if (Array.isArray(given['edits'])) {
    const parts = given['edits'].flatMap((edit) => replacedIn(edit) ?? [])
    if (parts.length > 0) return [{ path, change: 'replaced', parts }]
  }
  const replaced = replacedIn(given)
  if (replaced !== undefined) return [{ path, change: 'replaced', parts: [replaced] }]
  if (Array.isArray(given['changes'])) return given['changes'].flatMap(changeOf)
  const content = contents.map((key) => given[key]).find((value) => typeof value === 'string')
  if (typeof content !== 'string' || path === '') return []
  const change = given['command'] === 'insert' ? 'replaced' : 'written'
  return [{ path, change, parts: [{ before: '', after: content }] }]
}

function replacedIn(value: unknown): FileEdit['parts'][number] | undefined {
  if (!isPlainObject(value)) return undefined
  const given: { readonly [key: string]: unknown } = value
  for (const [old, now] of replacements) {
    const [before, after = ''] = [given[old], given[now]]
    if (typeof before === 'string' && typeof after === 'string') return { before, after }
  }
  return undefined
}

/** One entry of a list of changes: Codex records the path and the kind alone. */
function changeOf(value: unknown): readonly FileEdit[] {
  if (!isPlainObject(value)) return []
  const given: { readonly [key: string]: unknown } = value
  const kinds: { readonly [kind: string]: FileEdit['change'] } = { add: 'added', delete: 'removed', update: 'modified' }
  const kind = String(given['kind'])
  const replaced = replacedIn(given)
  const change = Object.hasOwn(kinds, kind) ? (kinds[kind] ?? 'modified') : 'modified'
  return [{ path: pathIn(value as Json) ?? '', change, parts: replaced === undefined ? [] : [replaced] }]
}

function patchIn(input: Json): string | undefined {
  const given: { readonly [key: string]: unknown } = isPlainObject(input) ? input : {}
  const texts = typeof input === 'string' ? [input] : patches.flatMap((key) => given[key] ?? []).flat()
  return texts.find(
    (text): text is string => typeof text === 'string' && /^\*\*\* Begin Patch|^--- .*\n\+\+\+ /m.test(text),
  )
}

const fileHeads: readonly (readonly [head: RegExp, change: FileEdit['change']])[] = [
  [/^\*\*\* Add File: (.+)$/, 'added'],
  [/^\*\*\* Update File: (.+)$/, 'modified'],
  [/^\*\*\* Delete File: (.+)$/, 'removed'],
  [/^\+\+\+ (?:b\/)?([^\t]+)/, 'modified'],
]

/** The edits of a patch: in the form of `apply_patch`, or a unified diff. */
function patchEdits(patch: string): readonly FileEdit[] {
  const edits: { path: string; change: FileEdit['change']; parts: { before: string; after: string }[] }[] = []
  let part: { before: string; after: string } | undefined
  for (const line of patch.split('\n')) {
    const head = fileHeads.flatMap(([form, change]) => {
      const [, path] = form.exec(line) ?? []
      return path === undefined ? [] : [{ path, change, parts: [] }]
    })[0]
    if (head !== undefined) edits.push(head)
    if (head !== undefined || /^(@@|\*\*\* |--- )/.test(line)) {
      part = undefined
      continue
    }
    const edit = edits.at(-1)
    if (edit === undefined || !/^[-+ ]/.test(line)) continue
    if (part === undefined) {
      part = { before: '', after: '' }
      edit.parts.push(part)
    }
    const text = `${line.slice(1)}\n`
    if (line[0] !== '+') part.before += text
    if (line[0] !== '-') part.after += text
  }
  return edits
}
