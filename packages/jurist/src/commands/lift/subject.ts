import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { access, cp, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type Json, type JsonObject, JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { existingDirectory, usageInvalid } from '@jurist/experiment/plugin'
import { checkoutOf } from '@jurist/workspace'
import { readingGit, repositoryAround } from '@jurist/workspace/internal'

export const subjectKinds = ['skill', 'file', 'mcp', 'plugin'] as const
export type SubjectKind = (typeof subjectKinds)[number]

/** The subject of a study, as an agent gets it. */
export interface Subject {
  readonly kind: SubjectKind
  readonly name: string
  /** The directory that it is in, and that the files of its evals are relative to. */
  readonly directory: string
  /** The paths of its files in the directory. No workspace gets them. */
  readonly files: readonly string[]
  /** A hash over the paths, the contents and the executable bits of its files. */
  readonly hash: string
  /** The words in an agent's requests that show that it is loaded: all of them, or for a plugin any. */
  readonly signs: readonly string[]
  /** The servers of MCP by name, with absolute paths; `{}` for others. */
  readonly servers: JsonObject
  readonly warnings: readonly string[]
}

/** The words of the command line for a subject. */
export const argumentOf: { readonly [kind in SubjectKind]: string } = {
  skill: 'skill',
  file: '--file',
  mcp: '--mcp',
  plugin: '--plugin',
}

/**
 * Reads what is at a path.
 *
 * @throws `usage-invalid` for what no agent could load
 */
export function readSubject(kind: SubjectKind, given: string, cwd: string): Promise<Subject> {
  return { skill: readSkill, file: readInstructions, mcp: readServers, plugin: readPlugin }[kind](given, cwd)
}

const [longestName, longestDescription, largestFile] = [64, 1_024, 5_242_880]
/** Agents cut long instructions, but not at their beginning. */
const signLength = 200

async function readSkill(given: string, cwd: string): Promise<Subject> {
  const directory = await realpath(await existingDirectory(given, 'skill', cwd))
  const text = await readFile(join(directory, 'SKILL.md'), 'utf8').catch(() => undefined)
  if (text === undefined) throw usageInvalid('skill', `${given} has no SKILL.md. Give the directory of a skill.`)
  const head = headOf(text)
  if (head === undefined)
    throw usageInvalid(
      'skill',
      `${given}/SKILL.md:1: there is no front matter. Begin with "---", name and description.`,
    )
  const fields = await fieldsOf(head).catch((thrown: unknown) => {
    const reason = thrown instanceof Error ? thrown.message.split('\n')[0] : thrown
    throw usageInvalid('skill', `${given}/SKILL.md: the front matter is not YAML: ${reason} Quote its values.`)
  })
  const { name, description } = isPlainObject(fields) ? fields : {}
  for (const [key, value] of Object.entries({ name, description }))
    if (typeof value !== 'string' || value.trim() === '')
      throw usageInvalid('skill', `${given}/SKILL.md:2: "${key}" is missing. Add it to the front matter.`)
  const [called, described] = [checkedName('skill', `${given}/SKILL.md`, name), String(description).trim()]
  const files = await installedFiles(directory)
  return {
    ...{ kind: 'skill', name: called, directory, files, signs: [described], servers: {} },
    hash: await hashOf(directory, files),
    warnings: [
      ...(called === basename(directory)
        ? []
        : [`its directory is "${basename(directory)}", and its name "${called}"`]),
      ...(described.length > longestDescription
        ? [`its description has ${described.length} characters; agents cut it at ${longestDescription}`]
        : []),
    ],
  }
}

async function readInstructions(given: string, cwd: string): Promise<Subject> {
  const { path, text } = await fileText('--file', given, cwd)
  if (text.trim() === '') throw usageInvalid('--file', `${given} is empty. Name a file with instructions.`)
  const [directory, name] = [dirname(path), basename(path)]
  return {
    ...{ kind: 'file', name: name.replaceAll(/[^\w.-]+/g, '-'), directory, files: [name], servers: {} },
    signs: [text.trim().slice(0, signLength)],
    hash: await hashOf(directory, [name]),
    warnings: [],
  }
}

/** Programs of servers are named relative to their file, and the working directory of an agent is elsewhere. */
async function readServers(given: string, cwd: string): Promise<Subject> {
  const { path, text } = await fileText('--mcp', given, cwd)
  const directory = dirname(path)
  const value = jsonIn('--mcp', given, text)
  const found = isPlainObject(value) ? (value['mcpServers'] ?? value['servers']) : undefined
  if (!isPlainObject(found) || Object.keys(found).length === 0)
    throw usageInvalid('--mcp', `${given} has no "mcpServers". Write {"mcpServers": {"name": {"command": "…"}}}.`)
  const files = new Set([basename(path)])
  const servers: Record<string, Json> = {}
  for (const [name, server] of Object.entries(found)) {
    checkedName('--mcp', given, name)
    if (!isPlainObject(server) || (typeof server['command'] !== 'string' && typeof server['url'] !== 'string'))
      throw usageInvalid('--mcp', `${given}: mcpServers.${name} has neither "command" nor "url". Add one.`)
    const here = async (word: unknown) => {
      if (typeof word !== 'string' || !/[./]/.test(word) || word.startsWith('-')) return word as Json
      const target = await realpath(resolve(directory, word)).catch(() => undefined)
      if (target === undefined || !(await stat(target)).isFile()) return word
      if (target.startsWith(`${directory}${sep}`)) files.add(target.slice(directory.length + 1))
      return target
    }
    const { command, args } = server
    servers[name] = {
      ...(server as JsonObject),
      ...(command === undefined ? {} : { command: await here(command) }),
      ...(Array.isArray(args) ? { args: await Promise.all(args.map(here)) } : {}),
    }
  }
  const paths = [...files].sort()
  return {
    ...{ kind: 'mcp', name: Object.keys(servers).join('-').slice(0, longestName), directory, files: paths, servers },
    signs: Object.keys(servers).map((name) => `mcp__${name}`),
    hash: await hashOf(directory, paths),
    warnings: [],
  }
}

async function readPlugin(given: string, cwd: string): Promise<Subject> {
  const directory = await realpath(await existingDirectory(given, '--plugin', cwd))
  const manifest = '.claude-plugin/plugin.json'
  const text = await readFile(join(directory, manifest), 'utf8').catch(() => undefined)
  if (text === undefined)
    throw usageInvalid('--plugin', `${given} has no ${manifest}. Give the directory of a plugin of Claude Code.`)
  const value = jsonIn('--plugin', `${given}/${manifest}`, text)
  const name = checkedName('--plugin', `${given}/${manifest}`, isPlainObject(value) ? value['name'] : undefined)
  const files = await installedFiles(directory)
  const described = files.filter((file) => /^(?:skills\/[^/]+\/SKILL|commands\/.+|agents\/.+)\.md$/.test(file))
  const descriptions = await Promise.all(
    described.map(async (file) => {
      const head = headOf(await readFile(join(directory, file), 'utf8'))
      const fields = head === undefined ? undefined : await fieldsOf(head).catch(() => undefined)
      const description = isPlainObject(fields) ? fields['description'] : undefined
      return typeof description === 'string' && description.trim() !== '' ? [description.trim()] : []
    }),
  )
  return {
    ...{ kind: 'plugin', name, directory, files, servers: {}, warnings: [] },
    signs: [...descriptions.flat(), `mcp__plugin_${name}_`],
    hash: await hashOf(directory, files),
  }
}

async function fileText(flag: string, given: string, cwd: string) {
  const path = await realpath(resolve(cwd, given)).catch(() => undefined)
  const size = path === undefined ? undefined : await stat(path)
  if (path === undefined || size === undefined) throw usageInvalid(flag, `${given} is missing. Give a file.`)
  if (!size.isFile()) throw usageInvalid(flag, `${given} is not a file. Give a file.`)
  if (size.size > largestFile) throw usageInvalid(flag, `${given} is larger than ${largestFile} bytes. Shorten it.`)
  return { path, text: (await readFile(path, 'utf8')).replace(/^\uFEFF/, '') }
}

export function jsonIn(argument: string, file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : thrown
    throw usageInvalid(argument, `${file} is not JSON: ${reason}. Correct it.`)
  }
}

function checkedName(argument: string, file: string, given: unknown): string {
  const name = typeof given === 'string' ? given.trim() : ''
  if (/^[\w.-]+$/.test(name) && !name.startsWith('.') && name.length <= longestName) return name
  throw usageInvalid(
    argument,
    `${file}: the name "${name}" must be 1 to ${longestName} letters, digits, "-", "_", "." that can be a directory. Change it.`,
  )
}

function headOf(text: string): string | undefined {
  return /^\uFEFF?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s.exec(text)?.[1]
}

async function fieldsOf(head: string): Promise<unknown> {
  const { parse } = await import('yaml')
  return parse(head)
}

async function hashOf(directory: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of files) {
    const { mode } = await stat(join(directory, path))
    hash.update(JSON.stringify([path, (mode & 0o111) !== 0]))
    hash.update(await readFile(join(directory, path)))
  }
  return hash.digest('hex')
}

/** All files, without tests, results and what is too large to be instructions. Links are followed within the directory. */
async function installedFiles(directory: string, under = ''): Promise<readonly string[]> {
  const found: string[] = []
  for (const { name } of await readdir(join(directory, under), { withFileTypes: true })) {
    const path = under === '' ? name : `${under}/${name}`
    const target = await realpath(join(directory, path)).catch(() => '')
    if (!target.startsWith(`${directory}${sep}`)) continue
    const { size, ...entry } = await stat(target)
    const isDirectory = (entry.mode & 0o170000) === 0o040000
    if (name === '.git' || (under === '' && (path === 'evals' || name.endsWith('-workspace')))) continue
    if (isDirectory) found.push(...(await installedFiles(directory, path)))
    else if (size <= largestFile) found.push(path)
  }
  return found.sort()
}

/** Copies the files of a subject, with modes. */
export async function install({ directory, files }: Subject, target: string): Promise<void> {
  for (const path of files) await cp(join(directory, path), join(target, path), { dereference: true })
}

/** A version of a subject, for as long as it is needed. */
interface Version extends AsyncDisposable {
  readonly subject: Subject
}

const timeoutMs = 60_000

/**
 * Another version of the subject at a path: another path, or a commit of the repository that it is in.
 *
 * @throws `usage-invalid` for what is neither
 */
export async function versionOf(
  kind: SubjectKind,
  path: string,
  given: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<Version> {
  const isPath = await access(resolve(cwd, given)).then(
    () => true,
    () => false,
  )
  if (isPath) return { subject: await readSubject(kind, given, cwd), [Symbol.asyncDispose]: async () => {} }
  const place = realpathSync(resolve(cwd, path))
  const tree = repositoryAround(resolve(place, kind === 'file' || kind === 'mcp' ? '..' : '.'))?.tree ?? null
  const commit = tree === null ? null : await commitOf(tree, given)
  if (tree === null || commit === null)
    throw usageInvalid('--against', `${given} is neither a path nor a commit of the repository of ${path}. Name one.`)
  const checkout = await checkoutOf({ repository: tree, ref: commit }, { signal })
  const dispose = () => checkout[Symbol.asyncDispose]()
  try {
    const subject = await readSubject(kind, relative(tree, place), checkout.root)
    return { subject, [Symbol.asyncDispose]: dispose }
  } catch (thrown) {
    await dispose()
    throw thrown
  }
}

async function commitOf(tree: string, given: string): Promise<string | null> {
  try {
    return await readingGit({ cwd: tree, timeoutMs }, (git) =>
      git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${given}^{commit}`]),
    )
  } catch (thrown) {
    if (JuristError.is(thrown, 'git-failed')) return null
    throw thrown
  }
}
