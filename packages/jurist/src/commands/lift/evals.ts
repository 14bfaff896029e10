import { cp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path'
import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { argumentOf, jsonIn, type Subject } from './subject.js'

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
  /** The files of the initial workspace: absolute paths of files and directories, by their path there. */
  readonly files: Readonly<Record<string, string>>
}

/** A prompt on which the subject should be used, or should not. */
export interface TriggerQuery {
  readonly id: string
  readonly query: string
  readonly should: boolean
}

export interface Evals {
  readonly evals: readonly Eval[]
  readonly queries: readonly TriggerQuery[]
  /** Files that are left out because the subject itself brings them. */
  readonly ownFiles: readonly string[]
  /** Fields that are not read. */
  readonly unknown: readonly string[]
}

const largestFiles = 67_108_864
const lists = {
  evals: ['evals', 'cases', 'tests'],
  queries: ['queries', 'evals', 'cases', 'triggers'],
  prompt: ['prompt', 'query', 'input'],
  assertions: ['assertions', 'expectations', 'expect'],
  sentence: ['text', 'assertion', 'description', 'check', 'name'],
}
const labels = ['should_trigger', 'skills_expected_to_activate', 'category']
const known = [
  ...['id', 'name', 'expected_output', 'files', 'description', 'rationale', 'notes'],
  ...[...lists.prompt, ...lists.assertions, ...labels],
]

/** The names of files with trigger queries in public repositories. */
const triggerFiles = [
  'trigger-evals',
  'trigger_evals',
  'trigger-eval',
  'trigger_eval',
  'trigger_queries',
  'eval_queries',
  'triggers',
]

type Problem = (what: string) => void
type Entry = Readonly<Record<string, unknown>>

const first = (entry: Entry, names: readonly string[]) => names.map((name) => entry[name]).find((one) => one != null)

/**
 * Reads `evals/evals.json` beside the subject, or another file, in the forms of agentskills.io and of skill-creator, and the
 * trigger queries beside it.
 *
 * @throws `usage-invalid` with every problem
 */
export async function readEvals(subject: Subject, given: string | undefined, cwd: string): Promise<Evals> {
  const found: Found = { evals: [], queries: [], own: new Set(), unknown: new Set(), problems: [] }
  const file = given === undefined ? join(subject.directory, 'evals', 'evals.json') : resolve(cwd, given)
  const shown = given ?? 'evals/evals.json'
  const place = await realpath(dirname(file)).catch(() => dirname(file))
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined && given !== undefined) throw usageInvalid('--evals', `${given} is missing. Give a file.`)
  if (text !== undefined) {
    const root = basename(place) === 'evals' ? dirname(place) : place
    await readTasks(
      subject,
      { root, place, file: join(place, basename(file)) },
      listIn(text, shown, lists.evals),
      shown,
      found,
    )
  }
  for (const name of triggerFiles) {
    const queries = await readFile(join(place, `${name}.json`), 'utf8').catch(() => undefined)
    if (queries !== undefined) readQueries(jsonIn('skill', `${name}.json`, queries), `${name}.json`, found)
  }
  const { evals, own, unknown, problems } = found
  const queries = new Map<string, TriggerQuery>()
  for (const query of found.queries) {
    const same = queries.get(query.query)
    if (same !== undefined && same.should !== query.should)
      problems.push(`${query.id}: ${JSON.stringify(query.query)} is labelled both ways.`)
    if (same === undefined) queries.set(query.query, query)
  }
  if (problems.length > 0) throw usageInvalid(argumentOf[subject.kind], `${problems.join('\n')}\nCorrect them.`)
  return { evals, queries: [...queries.values()], ownFiles: [...own].sort(), unknown: [...unknown].sort() }
}

interface Found {
  readonly evals: Eval[]
  readonly queries: TriggerQuery[]
  readonly own: Set<string>
  readonly unknown: Set<string>
  readonly problems: string[]
}

interface Places {
  /** The directory that the files of evals are relative to. */
  readonly root: string
  /** The directory of the evals. */
  readonly place: string
  /** The evals, which hold the answers. */
  readonly file: string
}

async function readTasks(
  subject: Subject,
  places: Places,
  entries: readonly unknown[],
  shown: string,
  { evals, queries, own, unknown, problems }: Found,
): Promise<void> {
  for (const [index, entry] of entries.entries()) {
    const problem: Problem = (what) => void problems.push(`${shown}: evals[${index}]${what}`)
    if (!isPlainObject(entry)) {
      problem(' must be an object.')
      continue
    }
    for (const key of Object.keys(entry)) if (!known.includes(key)) unknown.add(key)
    const prompt = first(entry, lists.prompt)
    if (typeof prompt !== 'string' || prompt.trim() === '') problem('.prompt must be a non-empty string.')
    const id = idOf(entry['id'] ?? index + 1)
    if (id === '') problem('.id must be a number or a string.')
    if (evals.some((one) => one.id === id)) problem(`.id: ${JSON.stringify(entry['id'])} occurs twice.`)
    const expected = entry['expected_output']
    evals.push({
      id,
      prompt: String(prompt),
      expected: typeof expected === 'string' ? expected : null,
      assertions: assertionsOf(first(entry, lists.assertions) ?? [], problem),
      files: await filesOf(subject, places, entry['files'] ?? [], problem, own),
    })
    const should = labelOf(entry, String(prompt), subject)
    if (should !== undefined) queries.push({ id, query: String(prompt), should })
  }
}

/** Whether an eval says that its prompt should use the subject; `undefined`: it does not say. */
function labelOf(entry: Entry, prompt: string, { name }: Subject): boolean | undefined {
  const { should_trigger: label, skills_expected_to_activate: skills, category } = entry
  if (typeof label === 'boolean') return label
  if (Array.isArray(skills)) return skills.includes(name)
  if (typeof category === 'string' && /^non[-_ ]?trigger/i.test(category)) return false
  return isCall(prompt, name) ? true : undefined
}

/** Whether a prompt calls a skill by its name, which an arm without it cannot follow. */
export function isCall(prompt: string, name: string): boolean {
  return [`/${name}`, `$${name}`].some((call) => prompt.trimStart().startsWith(call))
}

function readQueries(value: unknown, file: string, { queries, unknown, problems }: Found): void {
  const lines = isPlainObject(value) ? value : {}
  const [yes, no] = [lines['should_trigger'], lines['should_not_trigger']]
  const entries: readonly unknown[] =
    Array.isArray(yes) || Array.isArray(no)
      ? [yes, no].flatMap((list, side) =>
          Array.isArray(list)
            ? list.map((one: unknown) => ({
                ...(isPlainObject(one) ? one : { query: one }),
                should_trigger: side === 0,
              }))
            : [],
        )
      : listIn(JSON.stringify(value), file, lists.queries)
  for (const [index, entry] of entries.entries()) {
    const query = isPlainObject(entry) ? first(entry, lists.prompt) : undefined
    const should = isPlainObject(entry) ? entry['should_trigger'] : undefined
    if (typeof query !== 'string' || query.trim() === '' || typeof should !== 'boolean')
      problems.push(`${file}: [${index}] must be {"query": "…", "should_trigger": true or false}.`)
    else queries.push({ id: `query-${index + 1}`, query, should })
    for (const key of Object.keys(Object(entry))) if (!known.includes(key)) unknown.add(key)
  }
}

function listIn(text: string, file: string, names: readonly string[]): readonly unknown[] {
  const value = jsonIn('skill', file, text)
  const list = isPlainObject(value) ? first(value as Entry, names) : value
  if (Array.isArray(list) && list.length > 0) return list
  throw usageInvalid(
    'skill',
    `${file}: "${names[0]}" must be a non-empty array. Write {"${names[0]}": [{"prompt": "…"}]}.`,
  )
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

function assertionsOf(value: unknown, problem: Problem): readonly Assertion[] {
  if (!Array.isArray(value)) {
    problem('.assertions must be an array.')
    return []
  }
  return value.flatMap((one: unknown, index) => {
    const given: Entry = isPlainObject(one) ? one : { text: one }
    const text = lists.sentence.map((name) => given[name]).find((part) => typeof part === 'string')
    if (typeof text !== 'string' || text.trim() === '') {
      problem(`.assertions[${index}] must be a sentence, or an object with "text".`)
      return []
    }
    const { check } = given
    return [{ text: text.trim(), ...(isPlainObject(check) ? { check: check as Json } : {}) }]
  })
}

async function filesOf(
  { directory, files: installed }: Subject,
  { root, place, file }: Places,
  value: unknown,
  problem: Problem,
  own: Set<string>,
): Promise<Eval['files']> {
  const paths: readonly unknown[] = Array.isArray(value)
    ? value.map((one: unknown) => (isPlainObject(one) ? one['path'] : one))
    : [undefined]
  if (!paths.every((path) => typeof path === 'string')) {
    problem('.files must be an array of paths.')
    return {}
  }
  const found: Record<string, string> = {}
  let bytes = 0
  for (const given of paths) {
    const path = posix.normalize(given).replace(/\/$/, '')
    if (installed.some((file) => file === path || file.startsWith(`${path}/`))) {
      own.add(path)
      continue
    }
    const targets = await Promise.all(
      [root, directory, place].map((from) => realpath(join(from, path)).catch(() => undefined)),
    )
    const target = targets.find((one) => one !== undefined)
    if (target === undefined) problem(`.files: ${given} does not exist.`)
    else if (path.startsWith('..') || ![root, directory].some((from) => target.startsWith(`${from}${sep}`)))
      problem(`.files: ${given} leaves the skill.`)
    else if (file === target || file.startsWith(`${target}${sep}`)) problem(`.files: ${given} holds the answers.`)
    else {
      bytes += await sizeOf(target)
      found[path.replace(/^(?:evals\/)?(?:files\/)?/, '')] = target
    }
  }
  if (bytes > largestFiles) problem(`.files are larger than ${largestFiles / 1_048_576} MB.`)
  return found
}

async function sizeOf(path: string): Promise<number> {
  const entry = await stat(path)
  if (!entry.isDirectory()) return entry.size
  const names = await readdir(path)
  const sizes = await Promise.all(names.map((name) => sizeOf(join(path, name)).catch(() => 0)))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Makes the directory of the files of an eval, as both arms get it. */
export async function placeFiles({ files }: Eval, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true })
  for (const [path, from] of Object.entries(files))
    await cp(from, path === '' ? target : join(target, path), { recursive: true, filter: isInside(from) })
}

/** A link could lead out of what is copied. */
function isInside(from: string) {
  return async (path: string): Promise<boolean> => {
    const target = await realpath(path).catch(() => undefined)
    return target === from || (target !== undefined && !relative(from, target).startsWith('..'))
  }
}
