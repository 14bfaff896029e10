import { createHash } from 'node:crypto'
import { cp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { basename, join, posix, relative, sep } from 'node:path'
import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { existingDirectory, usageInvalid } from '@jurist/experiment/plugin'

/** A skill, as an agent would get it. */
export interface Skill {
  readonly directory: string
  readonly name: string
  readonly description: string
  /** The paths of the files that are installed. */
  readonly files: readonly string[]
  /** A hash over the paths, the contents and the executable bits of these files. */
  readonly hash: string
  readonly warnings: readonly string[]
}

const [longestName, longestDescription, largestFile, largestFiles] = [64, 1_024, 5_242_880, 67_108_864]

/**
 * Reads a directory with a `SKILL.md`.
 *
 * @throws `usage-invalid` without that file, or without a name or a description in it
 */
export async function readSkill(given: string, cwd: string): Promise<Skill> {
  const directory = await realpath(await existingDirectory(given, 'skill', cwd))
  const text = await readFile(join(directory, 'SKILL.md'), 'utf8').catch(() => undefined)
  if (text === undefined) throw usageInvalid('skill', `${given} has no SKILL.md. Give the directory of a skill.`)
  const [, head] = /^\uFEFF?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s.exec(text) ?? []
  if (head === undefined)
    throw usageInvalid(
      'skill',
      `${given}/SKILL.md:1: there is no front matter. Begin with "---", name and description.`,
    )
  const { parse } = await import('yaml')
  const fields: unknown = (() => {
    try {
      return parse(head)
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message.split('\n')[0] : thrown
      throw usageInvalid('skill', `${given}/SKILL.md: the front matter is not YAML: ${reason} Quote its values.`)
    }
  })()
  const { name, description } = isPlainObject(fields) ? fields : {}
  for (const [key, value] of Object.entries({ name, description }))
    if (typeof value !== 'string' || value.trim() === '')
      throw usageInvalid('skill', `${given}/SKILL.md:2: "${key}" is missing. Add it to the front matter.`)
  const [called, described] = [String(name).trim(), String(description).trim()]
  if (!/^[\w.-]+$/.test(called) || called.startsWith('.') || called.length > longestName)
    throw usageInvalid(
      'skill',
      `${given}/SKILL.md: the name "${called}" must be 1 to ${longestName} letters, digits, "-", "_", "." that can be a directory. Change it.`,
    )
  const files = await installedFiles(directory)
  const hash = createHash('sha256')
  for (const path of files) {
    const { mode } = await stat(join(directory, path))
    hash.update(JSON.stringify([path, (mode & 0o111) !== 0]))
    hash.update(await readFile(join(directory, path)))
  }
  return {
    ...{ directory, name: called, description: described, files, hash: hash.digest('hex') },
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

/** All files, without tests, results and what is too large to be instructions. Links are followed within the skill. */
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

/** Copies what is installed, with modes. */
export async function installSkill({ directory, files }: Skill, target: string): Promise<void> {
  for (const path of files) await cp(join(directory, path), join(target, path), { dereference: true })
}

/** One assertion about what an agent did, and the judge that a person chose for it. */
export interface Assertion {
  readonly text: string
  readonly check?: Json
}

export interface Eval {
  readonly id: string
  readonly prompt: string
  readonly expected: string | null
  readonly assertions: readonly Assertion[]
  /** Files of the initial workspace: where they are in the skill, by their path there. */
  readonly files: Readonly<Record<string, string>>
}

export interface Evals {
  readonly evals: readonly Eval[]
  /** Files that are left out because the skill itself brings them. */
  readonly ownFiles: readonly string[]
  readonly unknown: readonly string[]
}

const knownFields = [
  ...['id', 'name', 'prompt', 'query', 'expected_output', 'files', 'assertions', 'expectations'],
  ...['should_trigger', 'skills_expected_to_activate', 'category', 'description', 'rationale'],
]

/**
 * Reads `evals/evals.json` in the forms of agentskills.io and of skill-creator.
 *
 * @throws `usage-invalid` with every problem
 */
export async function readEvals(skill: Skill): Promise<Evals> {
  const file = 'evals/evals.json'
  const text = await readFile(join(skill.directory, file), 'utf8').catch(() => undefined)
  if (text === undefined)
    throw usageInvalid(
      'skill',
      `There is no ${file} in ${skill.name}. Write {"evals": [{"prompt": "…", "assertions": ["…"]}]}.`,
    )
  const problems: string[] = []
  const unknown = new Set<string>()
  const own = new Set<string>()
  const evals: Eval[] = []
  for (const [index, entry] of listIn(text, file).entries()) {
    const problem = (what: string) => void problems.push(`${file}: evals[${index}]${what}`)
    if (!isPlainObject(entry)) {
      problem(' must be an object.')
      continue
    }
    for (const key of Object.keys(entry)) if (!knownFields.includes(key)) unknown.add(key)
    const prompt = entry['prompt'] ?? entry['query']
    if (typeof prompt !== 'string' || prompt.trim() === '') problem('.prompt must be a non-empty string.')
    const id = idOf(entry['id'] ?? index + 1)
    if (id === '') problem('.id must be a number or a string.')
    if (evals.some((one) => one.id === id)) problem(`.id: ${JSON.stringify(entry['id'])} occurs twice.`)
    const expected = entry['expected_output']
    const files = await filesOf(skill, entry['files'] ?? [], problem, own)
    const assertions = (
      Array.isArray(entry['assertions']) ? entry['assertions'] : (entry['expectations'] ?? [])
    ) as Json
    evals.push({
      id,
      prompt: String(prompt),
      expected: typeof expected === 'string' ? expected : null,
      assertions: assertionsOf(assertions, problem),
      files,
    })
  }
  if (problems.length > 0) throw usageInvalid('skill', `${problems.join('\n')}\nCorrect them.`)
  return { evals, ownFiles: [...own].sort(), unknown: [...unknown].sort() }
}

function listIn(text: string, file: string): readonly unknown[] {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (thrown) {
    throw usageInvalid(
      'skill',
      `${file} is not JSON: ${thrown instanceof Error ? thrown.message : thrown}. Correct it.`,
    )
  }
  const list = isPlainObject(value) ? (value['evals'] ?? value['cases']) : value
  if (!Array.isArray(list) || list.length === 0)
    throw usageInvalid('skill', `${file}: "evals" must be a non-empty array. Write {"evals": [{"prompt": "…"}]}.`)
  return list
}

function idOf(id: unknown): string {
  if (typeof id === 'number') return `eval-${id}`
  return typeof id === 'string'
    ? id
        .trim()
        .replaceAll(/[^\w.-]+/g, '-')
        .slice(0, 60)
    : ''
}

function assertionsOf(value: Json, problem: (what: string) => void): readonly Assertion[] {
  if (!Array.isArray(value)) {
    problem('.assertions must be an array.')
    return []
  }
  return value.flatMap((one, index) => {
    const given = isPlainObject(one) ? (one as { readonly [key: string]: Json }) : { text: one as Json }
    const text = [given['text'], given['assertion'], given['description']].find((part) => typeof part === 'string')
    if (typeof text !== 'string' || text.trim() === '') {
      problem(`.assertions[${index}] must be a sentence, or an object with "text".`)
      return []
    }
    const { check } = given
    return [{ text: text.trim(), ...(isPlainObject(check) ? { check: check as Json } : {}) }]
  })
}

async function filesOf(
  { directory, files: installed }: Skill,
  value: unknown,
  problem: (what: string) => void,
  own: Set<string>,
): Promise<Eval['files']> {
  if (!Array.isArray(value) || value.some((path) => typeof path !== 'string')) {
    problem('.files must be an array of paths.')
    return {}
  }
  const found: Record<string, string> = {}
  let bytes = 0
  for (const given of value as readonly string[]) {
    const path = posix.normalize(given)
    if (installed.includes(path)) {
      own.add(path)
      continue
    }
    const places = [path, `evals/${path}`]
    const targets = await Promise.all(places.map((place) => realpath(join(directory, place)).catch(() => undefined)))
    const at = targets.findIndex((target) => target !== undefined)
    const target = targets[at]
    const entry = target === undefined ? undefined : await stat(target)
    if (target === undefined || entry === undefined) problem(`.files: ${given} does not exist.`)
    else if (!target.startsWith(`${directory}${sep}`)) problem(`.files: ${given} leaves the skill.`)
    else if (!entry.isFile()) problem(`.files: ${given} is not a file.`)
    else {
      bytes += entry.size
      found[path.replace(/^(?:evals\/)?(?:files\/)?/, '')] = relative(directory, target)
    }
  }
  if (bytes > largestFiles) problem(`.files are larger than ${largestFiles / 1_048_576} MB.`)
  return found
}

/** Makes the directory of the files of an eval, as both arms get it. */
export async function placeFiles({ directory }: Skill, { files }: Eval, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true })
  for (const [path, from] of Object.entries(files)) await cp(join(directory, from), join(target, path))
}
