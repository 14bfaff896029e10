import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../structure/source.js'

/** A block of code in a document, with what the comments before it say. */
export interface Fence {
  readonly page: string
  readonly line: number
  /** Empty for what is printed. */
  readonly language: string
  readonly code: string
  /** The file that it is, by its first line or the line before it. */
  readonly name?: string
  /** Code that goes before that of the fence, where the text around it says what a name is. */
  readonly before: string
  /** Directories whose files are beside the program. */
  readonly directories: readonly string[]
  /** Files beside the program. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /** Why it is not run, only compiled. */
  readonly notRun?: string
  /** Why it is not compiled: it is the code of another tool. */
  readonly notCompiled?: string
  /** The key of a config that a part of one belongs to. */
  readonly within?: string
}

/** Documents whose code is checked. */
export const pages: readonly string[] = [
  'README.md',
  ...readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`),
  ...readmesIn('examples'),
  ...readmesIn('packages'),
  'packages/jurist/skills/jurist/SKILL.md',
].filter((page) => page.endsWith('.md'))

function readmesIn(directory: string): readonly string[] {
  return readdirSync(join(root, directory), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && readdirSync(join(root, directory, entry.name)).includes('README.md'))
    .map((entry) => `${directory}/${entry.name}/README.md`)
}

/** Every block of code of a document. */
export function fencesOf(page: string): readonly Fence[] {
  const text = readFileSync(join(root, page), 'utf8')
  const blocks = text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)
  return [...blocks].map(({ index, 1: indent = '', 2: language = '', 3: indented = '' }) => {
    const before = text.slice(0, index)
    const code = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    const [comments = ''] = /(?:<!--(?:(?!-->)[\s\S])*-->\s*)*$/.exec(before) ?? []
    const [, title] =
      /^`([\w.-]+)`:\s*$/m.exec(
        before
          .slice(0, before.length - comments.length)
          .trimEnd()
          .split('\n')
          .at(-1) ?? '',
      ) ?? []
    const [, first] = /^(?:\/\/|#) ([\w.-]+\.\w+)\b/.exec(code) ?? []
    const name = first ?? title
    const place = { page, line: before.split('\n').length, language, code, ...(name === undefined ? {} : { name }) }
    const notes = [...comments.matchAll(/<!--\s*([\s\S]*?)\s*-->/g)].map(([, note = '']) => note)
    return { ...place, ...read(notes, place) }
  })
}

type Notes = Omit<Fence, 'page' | 'line' | 'language' | 'code' | 'name'>

function read(notes: readonly string[], { page, line }: Pick<Fence, 'page' | 'line'>): Notes {
  let found: Notes = { before: '', directories: [], files: [] }
  for (const note of notes) {
    const [, word = '', rest = ''] =
      /^(with\b|files:|file |not run:|not compiled:|in the config:)\s*([\s\S]*)$/.exec(note) ?? []
    const [first = '', ...lines] = rest.split('\n')
    if (word === 'with') found = { ...found, before: `${rest}\n` }
    else if (word === 'files:') found = { ...found, directories: [...found.directories, rest] }
    else if (word === 'file ')
      found = { ...found, files: [...found.files, { path: first, text: `${lines.join('\n')}\n` }] }
    else if (word === 'not run:') found = { ...found, notRun: rest }
    else if (word === 'not compiled:') found = { ...found, notCompiled: rest, notRun: rest }
    else if (word === 'in the config:') found = { ...found, within: rest }
    else
      throw new Error(
        `${page}:${line}: "${note}" is not a comment on code: with, files:, file, not run:, not compiled:, in the config:`,
      )
  }
  return found
}
