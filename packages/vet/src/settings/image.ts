import { posix } from 'node:path'
import { programName, type ShellPart, shellParts } from '@jurist/experiment/internal'
import { isReadableTest } from '../test-code/read-test.js'
import type { TaskFinding } from './task-finding.js'
import { testFacts } from './test-facts.js'

type Place = Pick<TaskFinding, 'file' | 'line'>

/** The last stage of a Dockerfile. */
export interface TaskImage {
  /** The absolute paths of the files that the build makes, with where. `source` is the copied file below `environment/`. */
  readonly made: ReadonlyMap<string, Place & { readonly source: string | null }>
  /** The files that the build removes again. */
  readonly removed: ReadonlyMap<string, Place>
  /** The sources of COPY and ADD as they are written. */
  readonly copied: readonly (Place & { readonly source: string })[]
  /** The commands of RUN. */
  readonly commands: readonly (Place & { readonly part: ShellPart })[]
  /** Whether agents are root, because no USER instruction changes that. */
  readonly isRoot: boolean
  /** Lines that cannot be read. */
  readonly unread: readonly Place[]
}

interface Instruction extends Place {
  readonly word: string
  readonly text: string
}

const file = 'environment/Dockerfile'

/** Splits a Dockerfile into its instructions, with continued lines joined. */
function instructionsOf(dockerfile: string): readonly Instruction[] {
  const found: Instruction[] = []
  let open: { line: number; text: string } | null = null
  for (const [index, line] of dockerfile.split(/\r?\n/).entries()) {
    if (/^\s*#/.test(line) || (open === null && line.trim() === '')) continue
    const whole: { line: number; text: string } = { line: open?.line ?? index + 1, text: `${open?.text ?? ''}${line}` }
    open = /\\\s*$/.test(line) ? { ...whole, text: whole.text.replace(/\\\s*$/, ' ') } : null
    if (open !== null) continue
    const [, word = '', text = ''] = /^\s*(\w+)\s*([\s\S]*)$/.exec(whole.text) ?? []
    found.push({ file, line: whole.line, word: word.toUpperCase(), text: text.trim() })
  }
  return found
}

/**
 * Reads the last stage of a Dockerfile.
 *
 * @param files the texts of the task by their paths
 */
export async function imageOf(dockerfile: string, files: ReadonlyMap<string, string>): Promise<TaskImage> {
  const all = instructionsOf(dockerfile)
  const last = all.findLastIndex(({ word }) => word === 'FROM')
  const made = new Map<string, Place & { readonly source: string | null }>()
  const removed = new Map<string, Place>()
  const copied: (Place & { readonly source: string })[] = []
  const commands: (Place & { readonly part: ShellPart })[] = []
  const unread: Place[] = []
  let [workdir, isRoot] = ['/', true]
  for (const { word, text, ...place } of all.slice(last + 1)) {
    const absolute = (path: string) => posix.resolve(workdir, path)
    if (word === 'WORKDIR') workdir = absolute(text)
    else if (word === 'USER') isRoot = /^(?:root|0)(?::|$)/.test(text)
    else if (word === 'COPY' || word === 'ADD') {
      const words = copyWords(text)
      if (words === undefined) unread.push(place)
      for (const source of words?.slice(0, -1) ?? []) {
        copied.push({ ...place, source })
        for (const [to, from] of copiesOf(source, absolute(words?.at(-1) ?? ''), words ?? [], files))
          made.set(to, { ...place, source: from })
      }
    } else if (word === 'RUN') {
      if (/^<<|^\[/.test(text)) unread.push(place)
      const { parts } = shellParts(text.replace(/^(?:--\S+\s+)+/, ''))
      for (const part of parts) {
        commands.push({ ...place, part })
        for (const path of writtenBy(part)) made.set(absolute(path), { ...place, source: null })
        const script = part.words.slice(1).map((one) => made.get(absolute(one))?.source ?? '')
        for (const source of script.filter((path) => isReadableTest(path)))
          for (const path of (await testFacts(source, files.get(source) ?? ''))?.writes ?? [])
            made.set(absolute(path), { ...place, source: null })
        if (programName(part.words[0] ?? '') !== 'rm') continue
        for (const path of part.words
          .slice(1)
          .filter((one) => !one.startsWith('-'))
          .map(absolute)) {
          removed.set(path, place)
          for (const known of made.keys()) if (known === path || known.startsWith(`${path}/`)) made.delete(known)
        }
      }
    }
  }
  return { made, removed, copied, commands, isRoot, unread }
}

/** The words of COPY and ADD without options; `undefined` for those that copy from another stage, or cannot be read. */
function copyWords(text: string): readonly string[] | undefined {
  const options = /^(?:--\S+\s+)*/.exec(text)?.[0] ?? ''
  if (/--from=|<</.test(text)) return undefined
  const rest = text.slice(options.length)
  try {
    return rest.startsWith('[') ? JSON.parse(rest) : rest.split(/\s+/)
  } catch {
    return undefined
  }
}

/** The paths that a source becomes in the image, with the file that each comes from. */
function copiesOf(
  source: string,
  to: string,
  words: readonly string[],
  files: ReadonlyMap<string, string>,
): readonly (readonly [to: string, from: string])[] {
  const from = posix.normalize(posix.join('environment', source)).replace(/\/$/, '')
  const isDirectory = words.length > 2 || (words.at(-1) ?? '').endsWith('/')
  if (files.has(from)) return [[isDirectory ? posix.join(to, posix.basename(from)) : to, from]]
  return [...files.keys()].flatMap((path) =>
    path.startsWith(`${from}/`) ? [[posix.join(to, path.slice(from.length + 1)), path] as const] : [],
  )
}

/** The files that a command of a shell makes. */
export function writtenBy({ words, writes }: ShellPart): readonly string[] {
  const [program = '', ...args] = words
  const paths = args.filter((one) => !one.startsWith('-'))
  const name = programName(program)
  if (/^(?:cp|mv|install|ln)$/.test(name)) {
    const [to = '', sources] = [paths.at(-1), paths.slice(0, -1)]
    const isDirectory = to.endsWith('/') || sources.length > 1
    return [...writes, ...(isDirectory ? sources.map((one) => posix.join(to, posix.basename(one))) : [to])]
  }
  if (name === 'tee' || name === 'touch') return [...writes, ...paths]
  const at = args.findIndex((one) => one === '-o' || one === '-O')
  return /^(?:wget|curl)$/.test(name) && at >= 0 ? [...writes, args[at + 1] ?? ''] : writes
}
