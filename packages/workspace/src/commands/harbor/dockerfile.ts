import { posix } from 'node:path'

/** An instruction of a Dockerfile, with the lines that continue it. */
export interface DockerLine {
  /** Counted from 1. */
  readonly line: number
  /** In capitals, such as `RUN`. */
  readonly name: string
  readonly rest: string
}

/** What of a Dockerfile a machine cannot do without a container. */
interface Obstacle {
  readonly line: number
  /** The instruction, shortened. */
  readonly text: string
  readonly reason: string
}

/** How a Dockerfile makes the files of its workspace. */
export interface DockerPlan {
  /** Absolute: where the workspace is. */
  readonly workdir: string
  /** From the build context to the workspace, in order. `to` ends in a slash where it names a directory. */
  readonly copies: readonly { readonly from: string; readonly to: string }[]
  /** Directories of the workspace that are made. */
  readonly directories: readonly string[]
  /** Variables of the image. */
  readonly env: { readonly [name: string]: string }
  /** The other commands that run while the image is built. */
  readonly runs: readonly DockerLine[]
  /** The first instruction that only a container can follow. */
  readonly obstacle: Obstacle | undefined
}

/** Instructions that change no file. */
const withoutEffect = new Set(['LABEL', 'MAINTAINER', 'EXPOSE', 'CMD'])
const longestShown = 120
/** Where tasks work that do not say it. */
export const usualWorkdir = '/app'

/** The instructions of a Dockerfile. Its syntax is that of Docker without its parser directives. */
function dockerLines(text: string): readonly DockerLine[] {
  const lines: DockerLine[] = []
  let open: { readonly line: number; text: string } | undefined
  let document: string | undefined
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    if (document !== undefined) {
      if (raw.trim() === document) document = undefined
      continue
    }
    if (/^\s*#/.test(raw) || (open === undefined && raw.trim() === '')) continue
    open ??= { line: index + 1, text: '' }
    const continues = /\\\s*$/.test(raw)
    open.text += `${raw.replace(/\\\s*$/, '').trim()} `
    if (continues) continue
    const line = lineOf(open)
    lines.push(line)
    open = undefined
    // The lines of a here-document are not instructions.
    if (line.name === 'RUN' || line.name === 'COPY') document = /<<-?\s*(["']?)(\w+)\1/.exec(line.rest)?.[2]
  }
  return open === undefined ? lines : [...lines, lineOf(open)]
}

function lineOf({ line, text }: { readonly line: number; readonly text: string }): DockerLine {
  const [, name = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? []
  return { line, name: name.toUpperCase(), rest }
}

/** The plan of a Dockerfile. `workdir` wins over what it says. */
export function dockerPlan(text: string, workdir?: string): DockerPlan {
  const lines = dockerLines(text)
  const copies: { from: string; to: string }[] = []
  const directories: string[] = []
  const runs: DockerLine[] = []
  const env: Record<string, string> = {}
  const last = workdir ?? workdirOf(lines)
  let cwd = '/'
  let stages = 0
  let obstacle: Obstacle | undefined
  for (const line of lines) {
    let reason: string | undefined
    if (line.name === 'FROM') reason = ++stages > 1 ? 'it begins a second stage' : undefined
    else if (line.name === 'WORKDIR') cwd = posix.resolve(cwd, unquoted(line.rest))
    else if (line.name === 'COPY') reason = addCopies(line.rest, cwd, last, copies)
    else if (line.name === 'ENV') reason = addVariables(line.rest, env)
    else if (line.name === 'RUN') reason = addRun(line, cwd, last, { directories, runs })
    else if (!withoutEffect.has(line.name)) reason = `${line.name} is not understood without a container`
    if (reason !== undefined) obstacle ??= { line: line.line, text: shown(line), reason }
  }
  return { workdir: last, copies, directories, env, runs, obstacle }
}

/** An instruction as messages show it. */
export function shown({ name, rest }: DockerLine): string {
  const text = `${name} ${rest}`.replace(/\s+/g, ' ').trim()
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
}

function workdirOf(lines: readonly DockerLine[]): string {
  const named = lines.filter(({ name }) => name === 'WORKDIR').map(({ rest }) => unquoted(rest))
  return named.length === 0 ? usualWorkdir : posix.resolve('/', ...named)
}

function unquoted(word: string): string {
  return word.trim().replace(/^(["'])(.*)\1$/, '$2')
}

/** Adds what a COPY copies. Returns why it needs a container. */
function addCopies(
  rest: string,
  cwd: string,
  workdir: string,
  copies: { from: string; to: string }[],
): string | undefined {
  const words = copyWords(rest)
  if (words === undefined) return 'its form is not understood'
  const flags = words.filter((word) => word.startsWith('--'))
  const odd = flags.find((flag) => !/^--(chown=|link$)/.test(flag))
  if (odd !== undefined) return `${odd} is not understood without a container`
  const paths = words.filter((word) => !word.startsWith('--'))
  const to = paths.at(-1)
  if (to === undefined || paths.length < 2) return 'it names no source and destination'
  const strange = paths.find((path) => /[$*?[\]<>"']/.test(path))
  if (strange !== undefined) return `${strange} is a pattern or a variable`
  const place = posix.resolve(cwd, to)
  if (place !== workdir && !place.startsWith(`${workdir}/`)) return `${place} is outside of the workspace ${workdir}`
  const below = posix.relative(workdir, place)
  const isDirectory = /(^|\/)\.{0,2}$/.test(to) || paths.length > 2 || below === ''
  for (const from of paths.slice(0, -1)) {
    if (posix.normalize(`./${from}`).startsWith('..')) return `${from} leads out of environment/`
    copies.push({ from: posix.normalize(`./${from}`), to: isDirectory ? `${below}/` : below })
  }
  return undefined
}

function copyWords(rest: string): readonly string[] | undefined {
  const list = /^((?:--\S+\s+)*)(\[.*\])\s*$/.exec(rest)
  if (list === null) return rest.trim().split(/\s+/)
  try {
    const words: unknown = JSON.parse(list[2] ?? '')
    const flags = (list[1] ?? '').trim().split(/\s+/).filter(Boolean)
    return Array.isArray(words) && words.every((word) => typeof word === 'string') ? [...flags, ...words] : undefined
  } catch {
    return undefined
  }
}

/** Variables that decide which programs run. */
const steering = /^(?:PATH|LD_.*|BASH_ENV|ENV)$/

/** Adds the variables of an ENV. Returns why it needs a container. */
function addVariables(rest: string, env: Record<string, string>): string | undefined {
  const text = rest.trim()
  // The old form has one variable, whose value is the rest of the line.
  const old = /^(\w+)\s+([^=][\s\S]*)$/.exec(text)
  const pairs = old === null ? text.match(/[^\s=]+=(?:"[^"]*"|'[^']*'|[^\s"']*)(?=\s|$)/g) : [`${old[1]}=${old[2]}`]
  if (pairs === null || (old === null && pairs.join(' ') !== text.replace(/\s+(?=[^\s=]+=)/g, ' ')))
    return 'its form is not understood'
  for (const pair of pairs) {
    const [name, value] = [pair.slice(0, pair.indexOf('=')), unquoted(pair.slice(pair.indexOf('=') + 1))]
    if (!/^[A-Za-z_]\w*$/.test(name)) return `${name} is not a variable`
    if (steering.test(name)) return `${name} decides which programs run`
    if (/[$\\]/.test(value)) return `the value of ${name} is not plain`
    env[name] = value
  }
  return undefined
}

/** Directories that every task finds, beside its workspace. */
const usualDirectories = /^\/(?:tmp|tests|solution|logs(?:\/(?:verifier|agent|artifacts))?)$/

/** Adds what a RUN does. Returns why it needs a container. */
function addRun(
  line: DockerLine,
  cwd: string,
  workdir: string,
  into: { readonly directories: string[]; readonly runs: DockerLine[] },
): string | undefined {
  const made = /^mkdir\s+-p\s+([\w./\s-]+)$/.exec(line.rest.trim())
  if (made === null) {
    into.runs.push(line)
    return undefined
  }
  for (const path of (made[1] ?? '').trim().split(/\s+/)) {
    const place = posix.resolve(cwd, path)
    if (usualDirectories.test(place)) continue
    if (place !== workdir && !place.startsWith(`${workdir}/`)) return `${place} is outside of the workspace ${workdir}`
    into.directories.push(posix.relative(workdir, place))
  }
  return undefined
}
