import { join, relative } from 'node:path'
import type { Json, JsonObject } from '@jurist/core'
import { failureOf, isPlainObject, namedStrings, type OptionRule, option, printed } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { isOverLimit, withProcessorLimit } from '@jurist/kit/processor-limit'
import { bubblewrapSandbox } from '@jurist/workspace'
import { parse, TomlDate, TomlError } from 'smol-toml'
import { digestOf, filesOf, listedProblems, type Refuse, taskDirectories, taskId, textOf } from '../task-directories.js'

/** A task on disk. */
export interface HarborTask {
  readonly id: string
  readonly directory: string
  /** The directory as messages name it. */
  readonly shown: string
  readonly file: TaskFile
  readonly instruction: string
  readonly hasSolution: boolean
  /** SHA-256 (hex) of its files. */
  readonly digest: string
}

/**
 * Reads the tasks of a directory: the directory itself, or all directories below it that contain a task.toml. Links are
 * not followed.
 *
 * @throws `usage-invalid` with every problem
 */
export async function readTasks(
  directory: string,
  shownAs: string,
): Promise<{
  readonly tasks: readonly HarborTask[]
  /** Tasks that cannot be imported, with the reason. */
  readonly leftOut: readonly { readonly task: string; readonly reason: string }[]
}> {
  const places = await taskDirectories(directory, 'task.toml')
  if (places.length === 0)
    throw usageInvalid('source', `${shownAs} holds no task.toml. Name the directory of a Harbor task, or one of tasks.`)
  const problems: string[] = []
  const tasks: HarborTask[] = []
  const leftOut: { task: string; reason: string }[] = []
  const ids = new Set<string>()
  for (const place of places) {
    const shown = join(shownAs, relative(directory, place))
    const refuse = (file: string, problem: string) => void problems.push(`${join(shown, file)}: ${problem}`)
    const id = taskId(directory, place, ids)
    const task = await readTask(place, { id, shown }, refuse)
    if (task === undefined) continue
    if (task.file.steps.length === 0) tasks.push(task)
    else leftOut.push({ task: shown, reason: stepsReason(task.file.steps) })
  }
  if (problems.length === 0 && tasks.length > 0) return { tasks, leftOut }
  const lines = [...problems, ...(tasks.length > 0 ? [] : leftOut.map(({ task, reason }) => `${task}: ${reason}`))]
  throw usageInvalid('source', `${shownAs} cannot be imported. Nothing was written.\n${listedProblems(lines)}`)
}

function stepsReason(steps: readonly string[]): string {
  return `is a task of ${steps.length} steps (${steps.slice(0, 5).join(', ')}). Tasks with [[steps]] cannot be imported; make one task of each step.`
}

async function readTask(
  directory: string,
  { id, shown }: Pick<HarborTask, 'id' | 'shown'>,
  refuse: Refuse,
): Promise<HarborTask | undefined> {
  const files = await filesOf(directory, refuse)
  if (files === undefined) return undefined
  const text = await textOf(directory, 'task.toml', files, refuse)
  const refuseAt = (place: string, problem: string) =>
    refuse('task.toml', `${place === '' ? '' : `${place}: `}${problem}`)
  const file = text === undefined ? undefined : readTaskFile(text, refuseAt)
  if (file && file.steps.length > 0)
    return { id, directory, shown, file, instruction: '', hasSolution: false, digest: '' }
  const instruction = await textOf(directory, 'instruction.md', files, refuse)
  if (instruction?.trim() === '') refuse('instruction.md', 'is empty. Write what the agent is to do.')
  if (!files.has('tests/test.sh')) refuse('tests/test.sh', 'is missing, which gives the reward.')
  if (!file || !instruction || instruction.trim() === '' || !files.has('tests/test.sh')) return undefined
  const hasSolution = files.has('solution/solve.sh')
  return { id, directory, shown, file, instruction, hasSolution, digest: await digestOf(directory, files) }
}

/** Everything, nothing, or the hosts of a list. */
export type PhaseNetwork = boolean | { readonly allow: readonly string[] }

interface TaskFile {
  readonly name: string | undefined
  readonly schemaVersion: string
  readonly keywords: readonly string[]
  readonly document: JsonObject
  /** Keys that no schema contains. */
  readonly unknown: readonly string[]
  /** Settings that have no counterpart. */
  readonly notes: readonly string[]
  readonly agentTimeoutMs: number | undefined
  readonly verifierTimeoutMs: number | undefined
  readonly image: string | undefined
  readonly buildTimeoutMs: number | undefined
  readonly workdir: string | undefined
  readonly cpus: number | undefined
  readonly memoryBytes: number | undefined
  /** The network of the agent and of the verifier. */
  readonly network: { readonly agent: PhaseNetwork; readonly verifier: PhaseNetwork }
  /** Why a list of hosts cannot be enforced. */
  readonly unenforceable: string | undefined
  /** The operating system of the containers, in small letters. */
  readonly os: string
  /** Variables with literal values. Templates of host variables are in the notes. */
  readonly verifierEnv: Readonly<Record<string, string>>
  readonly solutionEnv: Readonly<Record<string, string>>
  /** The names of its steps; empty for a task without steps. */
  readonly steps: readonly string[]
}

const maxDepth = 24
/** Processor time. */
const mostReadMs = 5_000
const newestSchema = [1, 4] as const

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads a task.toml and reports everything that makes it unusable.
 *
 * @param refuse receives the place in the file and the problem
 */
function readTaskFile(text: string, refuse: (place: string, problem: string) => void): TaskFile | undefined {
  const document = documentOf(text, refuse)
  if (document === undefined) return undefined
  let failed = false
  const read = reader(document, (place, problem) => {
    failed = true
    refuse(place, problem)
  })
  const notes = [...unmappedNotes(document), ...versionNotes(document)]
  const variables = (table: string) => literals(read.table(`${table}.env`), `${table}.env`, notes, read.refuse)
  const environmentEnv = variables('environment')
  const file: TaskFile = {
    name: read.text('task.name'),
    schemaVersion: String(document['schema_version'] ?? document['version'] ?? '1.0'),
    keywords: read.texts('task.keywords'),
    document,
    unknown: unknownKeys(document),
    notes,
    agentTimeoutMs: milliseconds(read.number('agent.timeout_sec')),
    verifierTimeoutMs: milliseconds(read.number('verifier.timeout_sec')),
    image: imageOf(read.text('environment.docker_image'), read.refuse),
    buildTimeoutMs: milliseconds(read.number('environment.build_timeout_sec')),
    workdir: read.text('environment.workdir'),
    cpus: read.number('environment.cpus'),
    memoryBytes: memoryOf(read.number('environment.memory_mb'), read.text('environment.memory')),
    os: (read.text('environment.os') ?? 'linux').toLowerCase(),
    ...networksOf(read),
    verifierEnv: { ...environmentEnv, ...variables('verifier') },
    solutionEnv: { ...environmentEnv, ...variables('solution') },
    steps: stepNames(document['steps']),
  }
  if (read.text('verifier.environment_mode') === 'separate')
    notes.push('verifier.environment_mode is "separate": the verifier sees the whole workspace, in its own place')
  return failed ? undefined : file
}

function documentOf(text: string, refuse: (place: string, problem: string) => void): JsonObject | undefined {
  try {
    const read = () => plain(parse(text, { maxDepth, integersAsBigInt: 'asNeeded' }))
    return withProcessorLimit(mostReadMs, read) as JsonObject
  } catch (thrown) {
    if (thrown instanceof TomlError)
      refuse(`line ${thrown.line}`, `${thrown.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '')}.`)
    else if (isOverLimit(thrown)) refuse('', `takes longer than ${mostReadMs / 1_000} seconds to read.`)
    else if (thrown instanceof RangeError) refuse('', 'is nested too deeply.')
    else if (thrown instanceof UnsafeKey) refuse('', `the key ${printed(thrown.message)} is not allowed.`)
    else throw thrown
    return undefined
  }
}

class UnsafeKey extends Error {}

/** Converts TOML to JSON: dates, large integers and non-finite numbers become strings. */
function plain(value: unknown): Json {
  if (value instanceof TomlDate) return value.toISOString()
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value as Json
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (['__proto__', 'constructor', 'prototype'].includes(key)) throw new UnsafeKey(key)
      return [key, plain(one)]
    }),
  )
}

function reader(document: Fields, refuse: (place: string, problem: string) => void) {
  const at = (path: string): unknown => {
    let value: unknown = document
    for (const key of path.split('.')) {
      if (value === undefined || value === null) return undefined
      if (!isPlainObject(value)) return undefined
      value = value[key]
    }
    return value
  }
  const checked = <Value>(path: string, { wants, holds }: OptionRule): Value | undefined => {
    const value = at(path)
    if (value === undefined || value === null || value === '') return undefined
    if (holds(value)) return value as Value
    refuse(path, `must be ${wants} (got ${printed(value)}).`)
    return undefined
  }
  for (const table of ['task', 'metadata', 'verifier', 'agent', 'environment', 'solution'])
    checked(table, { ...option.record, wants: 'a table' })
  return {
    refuse,
    text: (path: string) => checked<string>(path, option.string),
    flag: (path: string) => checked<boolean>(path, option.boolean),
    number: (path: string) => checked<number>(path, option.positive),
    texts: (path: string) => checked<readonly string[]>(path, option.strings) ?? [],
    table: (path: string) => checked<Fields>(path, { ...namedStrings, wants: 'a table of strings' }) ?? {},
  }
}

/** Converts to milliseconds, limited to what a timer can wait. */
function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.min(Math.ceil(seconds * 1000), 2_147_483_647)
}

/** Refuses names that a program could take for one of its options. */
function imageOf(image: string | undefined, refuse: (place: string, problem: string) => void): string | undefined {
  if (image === undefined || /^[\w][\w./:@-]*$/.test(image)) return image
  refuse('environment.docker_image', `is not the name of an image (got ${printed(image)}).`)
  return undefined
}

const mebibyte = 1024 * 1024

function memoryOf(megabytes: number | undefined, text: string | undefined): number | undefined {
  if (megabytes !== undefined) return Math.ceil(megabytes * mebibyte)
  const [, amount, unit = 'M'] = /^(\d+(?:\.\d+)?)\s*([KMG])?B?$/i.exec(text ?? '') ?? []
  if (amount === undefined) return undefined
  const factor = { K: 1024, M: mebibyte, G: 1024 * mebibyte }[unit.toUpperCase()] ?? mebibyte
  return Math.ceil(Number(amount) * factor)
}

/**
 * In Harbor, the network is open unless a task closes it. A phase without a mode has that of the environment, but a
 * verifier needs no hosts that were meant for the agent.
 */
function networksOf(read: ReturnType<typeof reader>): Pick<TaskFile, 'network' | 'unenforceable'> {
  const of = (table: string): PhaseNetwork | undefined => {
    const mode = read.text(`${table}.network_mode`)
    if (mode !== 'allowlist') return mode === undefined ? undefined : mode === 'public'
    // A host without a port means those of HTTP and HTTPS.
    const isBare = (host: string) => !/^\w+:\/\/|:\d+$/.test(host)
    const hosts = read.texts(`${table}.allowed_hosts`)
    return { allow: hosts.flatMap((host) => (isBare(host) ? [host, `http://${host}`] : [host])) }
  }
  const environment = of('environment') ?? read.flag('environment.allow_internet') !== false
  const agent = of('agent') ?? environment
  const verifier = of('verifier') ?? (typeof environment === 'object' ? false : environment)
  const problems = [agent, verifier].flatMap((network) => unenforceable(network) ?? [])
  return { network: { agent, verifier }, unenforceable: problems[0] }
}

function unenforceable(network: PhaseNetwork): string | undefined {
  try {
    if (typeof network === 'object') bubblewrapSandbox({ network })
    return undefined
  } catch (thrown) {
    return failureOf(thrown).message.replace(/^bubblewrapSandbox: network\.allow: /, 'allowed_hosts: ')
  }
}

function literals(
  table: Fields,
  place: string,
  notes: string[],
  refuse: (place: string, problem: string) => void,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, value]) => {
      const text = String(value)
      if (!/^[A-Za-z_]\w*$/.test(name) || text.includes('\0'))
        refuse(`${place}.${name}`, 'is not the name of a variable.')
      if (!/\$\{[^}]*\}/.test(text)) return [[name, text] as const]
      const fallback = /^\$\{\w+:-([^}]*)\}$/.exec(text)?.[1]
      notes.push(`${place}.${name} takes a variable of this machine, which imported data does not get: ${text}`)
      return fallback === undefined ? [] : [[name, fallback] as const]
    }),
  )
}

function versionNotes(document: Fields): readonly string[] {
  const version = document['schema_version'] ?? document['version']
  const [major = 0, minor = 0] = String(version ?? '1.0')
    .split('.')
    .map(Number)
  const isKnown = major === newestSchema[0] && minor <= newestSchema[1]
  return isKnown ? [] : [`schema_version ${printed(version)} is not one from 1.0 to 1.4; what is known of it was read`]
}

function stepNames(steps: unknown): readonly string[] {
  if (!Array.isArray(steps)) return []
  return steps.map((step, index) => (isPlainObject(step) ? String(step['name'] ?? index + 1) : String(index + 1)))
}

/** The tables of a task.toml, from schema 1.0 to 1.4, with their known keys. `metadata` is free-form. */
const known: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['schema_version', 'version', 'source', 'artifacts', 'steps', 'multi_step_reward_strategy'],
    ...['task', 'metadata', 'verifier', 'agent', 'environment', 'solution'],
  ],
  task: ['name', 'description', 'authors', 'keywords'],
  verifier: [
    ...['timeout_sec', 'env', 'user', 'environment_mode', 'environment', 'collect'],
    ...['network_mode', 'allowed_hosts'],
  ],
  agent: ['timeout_sec', 'user', 'network_mode', 'allowed_hosts'],
  environment: [
    ...['build_timeout_sec', 'docker_image', 'os', 'cpus', 'memory_mb', 'memory', 'storage_mb', 'storage'],
    ...['gpus', 'gpu_types', 'tpu', 'allow_internet', 'network_mode', 'allowed_hosts', 'mcp_servers', 'env'],
    ...['skills_dir', 'healthcheck', 'workdir'],
  ],
  solution: ['env'],
}

/** Returns the keys of a task.toml that no schema contains, such as `environment.colour`. They are kept. */
function unknownKeys(document: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(known).flatMap(([table, keys]) => {
    const value = table === '' ? document : document[table]
    if (!isPlainObject(value)) return []
    return Object.keys(value)
      .filter((key) => !keys.includes(key))
      .map((key) => (table === '' ? key : `${table}.${key}`))
  })
}

/** Known keys without a counterpart, with the consequence. */
const unmapped: Readonly<Record<string, string>> = {
  'verifier.user': 'the verifier runs as the user of the image',
  'verifier.environment': 'the verifier runs in the environment of the task',
  'verifier.collect': 'nothing is collected before the verifier runs',
  'agent.user': 'the agent runs as the user of the sandbox',
  'environment.gpus': 'no GPU is passed on',
  'environment.gpu_types': 'no GPU is passed on',
  'environment.tpu': 'no TPU is passed on',
  'environment.mcp_servers': 'give the servers to the agent yourself',
  'environment.skills_dir': 'give the skills to the agent yourself',
  'environment.healthcheck': 'the container runs one command at a time, and nothing is waited for',
  artifacts: 'the verifier sees the whole workspace; nothing outside of it is kept',
}

/** Returns notes on settings without a counterpart. Settings that change nothing, such as 0 or [], are left out. */
function unmappedNotes(document: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(unmapped).flatMap(([path, consequence]) => {
    const [table = '', key] = path.split('.')
    const above = document[table]
    const value = key === undefined ? above : isPlainObject(above) ? above[key] : undefined
    return saysNothing(value) ? [] : [`${path} is kept, and not followed: ${consequence}`]
  })
}

function saysNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return isPlainObject(value) && Object.keys(value).length === 0
}
