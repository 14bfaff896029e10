import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { scratchDirectory } from '@jurist/bridges/internal'
import {
  type Agent,
  type AgentTask,
  type Invocation,
  type JournalEvent,
  JuristError,
  type WritableWorkspace,
} from '@jurist/core'
import { isPlainObject, markInWorkspace } from '@jurist/core/internal'
import { completed, copyWorkspaces, type Provision } from '@jurist/experiment'
import { dataset } from '@jurist/experiment/dataset'
import { liftFacts, programName, shellParts } from '@jurist/experiment/internal'
import { type LocalWorkspace, localWorkspace } from '@jurist/workspace'
import { settingsOf } from '@jurist/workspace/internal'
import type { LiftAgent, Making } from './agents.js'
import { install, type Subject } from './subject.js'

declare module '@jurist/core' {
  interface Problems {
    'arm-not-loaded': { readonly arm: string }
    'loading-unproven': { readonly agent: string }
  }
}

/** The comparison: a subject with nothing, or with another version. */
export interface Study {
  readonly subject: Subject
  readonly against: Subject | null
}

/** One of two: the arm to compare with, and the one with the subject. */
export interface Arm {
  readonly name: string
  /** The subject that its agent gets; `null`: none. */
  readonly subject: Subject | null
}

export function armsOf({ subject, against }: Study): readonly [without: Arm, withIt: Arm] {
  return against === null
    ? [
        { name: 'without', subject: null },
        { name: 'with', subject },
      ]
    : [
        { name: 'before', subject: against },
        { name: 'after', subject },
      ]
}

/** An arm of a study, and how its agent works. */
export interface Part {
  readonly agent: LiftAgent
  readonly study: Study
  readonly arm: Arm
  readonly isReadOnly?: boolean
}

/** The agent in one arm: its home is new for each call, and holds the subject or nothing. */
export async function armAgent(part: Part): Promise<Agent> {
  const { arm, study } = part
  const liftAgent: Agent = async function liftAgent(task) {
    const { invocation, events } = await callOf(part, task)
    const seen = journalOf(events, part)
    if (seen !== undefined && !seen.isRight) {
      const message = `The agent ${arm.subject === null ? 'was' : 'was not'} offered ${study.subject.name}. ${seen.shown}`
      return {
        ...invocation,
        status: 'error',
        failure: { name: 'JuristError', code: 'arm-not-loaded', message, infrastructure: true },
      }
    }
    const turns = events.filter(({ type }) => type === 'model-call').length
    const isUsed = study.subject.kind === 'file' ? undefined : isFired(events, arm.subject ?? study.subject)
    const facts = {
      ...(turns === 0 ? {} : { [liftFacts.turns]: turns }),
      ...(isUsed === undefined ? {} : { [liftFacts.used]: isUsed }),
    }
    return { ...invocation, metadata: { ...invocation.metadata, ...facts } }
  }
  // Where it runs, and where it asks its model, is the same in every home.
  return markInWorkspace(liftAgent, await part.agent.make({ ...makingOf(part), home: '' }))
}

interface Call {
  readonly invocation: Invocation
  readonly events: readonly JournalEvent[]
}

function makingOf({ study, arm, isReadOnly = false }: Part): Omit<Making, 'home'> {
  const servers = [study.subject, study.against].flatMap((one) => Object.keys(one?.servers ?? {}))
  return { kind: study.subject.kind, subject: arm.subject, servers: [...new Set(servers)], isReadOnly }
}

/** @param url the address of the model's server; absent: the agent's own */
async function callOf(part: Part, task: AgentTask, url?: string): Promise<Call> {
  const { agent, study, arm, isReadOnly = false } = part
  await using home = await scratchDirectory('home')
  const { subject } = arm
  const place = subject === null ? null : agent.place(subject)
  const isFile = subject?.kind === 'file'
  if (subject !== null && place !== null && !isFile) await installAt(subject, join(home.path, place))
  await using inside = seeing(task.workspace, home.path, subject, url)
  const workspace: WritableWorkspace = inside ?? task.workspace
  const inner = await agent.make({ ...makingOf(part), home: home.path, url, isSandboxed: inside !== undefined })
  const events: JournalEvent[] = []
  const fired = new AbortController()
  await using _ = subject !== null && place !== null && isFile ? await placed(workspace, place, subject) : undefined
  const asked: AgentTask = {
    ...{ ...task, workspace, signal: AbortSignal.any([task.signal, fired.signal]) },
    record(event) {
      events.push(event)
      task.record?.(event)
      // A query is answered by the first use: what the agent does afterwards costs, and tells nothing more.
      if (isReadOnly && event.type === 'tool-result' && isFired(endedCalls(events), subject ?? study.subject) === true)
        fired.abort()
    },
    env: { ...task.env, HOME: home.path, CLAUDE_CONFIG_DIR: home.path, CODEX_HOME: home.path },
  }
  const isAnswered = () => fired.signal.aborted && !task.signal.aborted
  const answer = await (async () => inner(asked))().catch((thrown: unknown): Invocation => {
    if (isAnswered()) return { status: 'completed' }
    throw thrown
  })
  const invocation = typeof answer === 'string' ? completed(answer) : answer
  if (!isAnswered()) return { invocation, events }
  const { failure: _stopped, ...rest } = invocation
  return { invocation: { ...rest, status: 'completed' }, events }
}

/** The events without calls whose result is not known yet. */
function endedCalls(events: readonly JournalEvent[]): readonly JournalEvent[] {
  const ended = new Set(events.flatMap((event) => (event.type === 'tool-result' ? [event.id] : [])))
  return events.filter((event) => event.type !== 'tool-call' || ended.has(event.id))
}

/**
 * In a sandbox, commands cannot see this machine: the workspace whose commands also see the home, the files of servers and, of an
 * allow-list, the server of the loading check. Elsewhere none.
 */
function seeing(
  workspace: WritableWorkspace,
  home: string,
  subject: Subject | null,
  url: string | undefined,
): LocalWorkspace | undefined {
  const settings = settingsOf(workspace)
  const { sandbox } = settings ?? {}
  if (typeof sandbox !== 'object' || sandbox.with === undefined || workspace.root === undefined) return undefined
  const files = subject?.kind === 'mcp' ? subject.files.map((file) => join(subject.directory, file)) : []
  const mounts = [
    // Bubblewrap gives commands a home of its own.
    ...[home, '/home/jurist'].map((to) => ({ from: home, to, writable: true })),
    ...files.map((file) => ({ from: file, to: file })),
  ]
  const allowHosts = url === undefined || sandbox.network === undefined ? [] : [`localhost:${new URL(url).port}`]
  return localWorkspace(workspace.root, { ...settings, sandbox: sandbox.with({ mounts, allowHosts }) })
}

/** Servers are one file, which an agent looks for by its path. */
async function installAt(subject: Subject, target: string): Promise<void> {
  if (subject.kind !== 'mcp') return install(subject, target)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, JSON.stringify({ mcpServers: subject.servers }))
}

/** Instructions in a workspace, while the agent works. What it made of them itself stays. */
async function placed(workspace: WritableWorkspace, path: string, { directory, files: [file = ''] }: Subject) {
  const own = await readFile(join(directory, file))
  const before = (await workspace.isFile(path)) ? await workspace.readBytes(path) : null
  await workspace.write(path, own)
  return {
    async [Symbol.asyncDispose]() {
      const isThere = await workspace.isFile(path).catch(() => false)
      if (!isThere || !own.equals(await workspace.readBytes(path))) return
      await (before === null ? workspace.remove(path) : workspace.write(path, before))
    },
  }
}

/** The lists in the journal of Claude Code; `undefined` for other agents, and for instructions. */
function journalOf(
  events: readonly JournalEvent[],
  { arm, study }: Part,
): { readonly isRight: boolean; readonly shown: string } | undefined {
  const [init] = events.flatMap((event) =>
    event.type === 'custom' && event.name === 'claude.init' ? [event.data] : [],
  )
  const { kind, name, servers } = arm.subject ?? study.subject
  if (!isPlainObject(init) || kind === 'file') return undefined
  const list = (init as Readonly<Record<string, unknown>>)[
    { skill: 'skills', plugin: 'plugins', mcp: 'mcp_servers' }[kind]
  ]
  if (!Array.isArray(list)) return undefined
  const listed = list.map((one: unknown) => (isPlainObject(one) ? one : { name: one }))
  const wanted = kind === 'mcp' ? Object.keys(servers) : [name]
  const isThere = (wantedName: string) =>
    listed.some((one) => one['name'] === wantedName && (one['status'] ?? 'connected') === 'connected')
  const isListed = (wantedName: string) => listed.some((one) => one['name'] === wantedName)
  const words = listed.map((one) => [one['name'], one['status']].filter((word) => word !== undefined).join(': '))
  return {
    isRight: arm.subject === null ? !wanted.some(isListed) : wanted.every(isThere),
    shown: `Its list of ${kind === 'mcp' ? 'servers' : `${kind}s`}: ${words.join(', ') || 'empty'}.`,
  }
}

/** The result of the loading check. */
export interface Loading {
  readonly proof: 'request' | 'journal' | 'none'
  /** The number of requests of each arm. */
  readonly requests: Readonly<Record<string, number>>
  /** The program and its version, as in its requests, such as `claude-cli/2.1.197`; `null`: they do not. */
  readonly program: string | null
}

interface Checking {
  /** The workspaces of the trials. Default: copies, without a sandbox. */
  readonly provision: Provision | undefined
  readonly isUnprovenAllowed: boolean
  readonly signal: AbortSignal
}

const checkMs = 60_000
const checkItems = dataset({ name: 'check', items: [{ id: 'check', task: 'Say hello.' }] })

/**
 * Starts the agent once in each arm against a server that records and refuses. The requests must hold the signs of what the arm
 * gets, and none of what only the other arm gets; what the journal of the agent lists must agree.
 *
 * @throws `arm-not-loaded`; `loading-unproven` for an agent that sends no request, unless that is accepted
 */
export async function checkLoading(
  agent: LiftAgent,
  study: Study,
  { provision = copyWorkspaces(), isUnprovenAllowed, signal }: Checking,
): Promise<Loading> {
  const seen: Seen[] = []
  for (const arm of armsOf(study)) seen.push(await seenIn({ agent, study, arm }, provision, signal))
  const requests = Object.fromEntries(seen.map(({ part, texts }) => [part.arm.name, texts.length]))
  const hasAsked = seen.some(({ texts }) => texts.length > 0)
  const program = seen.flatMap((one) => one.program ?? [])[0] ?? null
  if (!hasAsked && seen.every(({ journal }) => journal === undefined)) {
    if (isUnprovenAllowed) return { proof: 'none', requests, program }
    const message = `The agent ${agent.name} asked no model at ANTHROPIC_BASE_URL or OPENAI_BASE_URL, so nothing shows what it loads. Check that it starts (a sandbox needs an allow-list of hosts, and "readable" for programs outside of /usr), or accept it with --unproven.`
    throw new JuristError('loading-unproven', message, { agent: agent.name })
  }
  for (const one of seen) {
    const problem = problemOf(one, study)
    if (problem !== null) throw new JuristError('arm-not-loaded', problem, { arm: one.part.arm.name })
  }
  return { proof: hasAsked ? 'request' : 'journal', requests, program }
}

interface Seen {
  readonly part: Part
  readonly texts: readonly string[]
  readonly program: string | undefined
  readonly journal: ReturnType<typeof journalOf>
}

function problemOf({ part, texts, journal }: Seen, { subject, against }: Study): string | null {
  const { arm, agent } = part
  const holds = (sign: string) => texts.some((text) => plain(text).includes(plain(sign)))
  const own = arm.subject?.signs ?? []
  const foreign = [subject, against].flatMap((one) => (one === null || one === arm.subject ? [] : one.signs))
  const isForeign = foreign.some((sign) => !own.includes(sign) && holds(sign))
  if (isForeign || (arm.subject === null && journal?.isRight === false))
    return `The arm "${arm.name}" was offered ${arm.subject === null ? subject.name : 'the other version'} too. Remove it from the files of the evals, and from the places of the machine that the agent reads.`
  if (arm.subject === null) return null
  const isAsked = arm.subject.kind === 'plugin' ? own.some(holds) || journal?.isRight === true : own.every(holds)
  if (isAsked && journal?.isRight !== false) return null
  const reason =
    texts.length === 0
      ? 'the agent sent no request'
      : isAsked
        ? 'the agent did not list it'
        : `no request holds ${{ skill: 'its description', file: 'its beginning', mcp: 'its tools', plugin: 'a description of it' }[arm.subject.kind]}`
  const place = agent.place(arm.subject)
  const remedy =
    place === null
      ? 'Start the server by hand to see its error.'
      : `Check where the agent looks (--into of an agent of the config; now ${place}) and its settings.`
  return `The arm "${arm.name}" was not offered ${arm.subject.name}: ${reason}. ${journal === undefined ? '' : `${journal.shown} `}${remedy}`
}

/** White space is as the agent formats it. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

/** The strings in the requests of an agent in an empty workspace. */
async function seenIn(part: Part, provision: Provision, signal: AbortSignal): Promise<Seen> {
  const texts: string[] = []
  let program: string | undefined
  const server = createServer((request, response) => {
    text(request)
      .then((body) => {
        if (request.method === 'POST') {
          texts.push(stringsIn(body).join('\n'))
          // Other requests may be of the machine that runs the program.
          program ??= /^[\w.-]+\/[\w.-]+/.exec(request.headers['user-agent'] ?? '')?.[0]
        }
        // No client tries a bad request again.
        response.writeHead(request.method === 'POST' ? 400 : 200, { 'content-type': 'application/json' })
        const error = { type: 'invalid_request_error', message: 'recorded by the loading check' }
        response.end(JSON.stringify({ type: 'error', error }))
      })
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  try {
    const { value: item } = await checkItems.items()[Symbol.asyncIterator]().next()
    await using lease = await provision({ item, repetition: 1, signal })
    const key = 'jurist-loading-check'
    const task = {
      prompt: item.task,
      workspace: lease.workspace,
      signal: AbortSignal.any([signal, AbortSignal.timeout(checkMs)]),
      timeoutMs: checkMs,
      env: {
        ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_MAX_RETRIES: '0' },
        ...{ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key, CODEX_API_KEY: key },
      },
    }
    const { events } = await callOf(part, task, url)
    signal.throwIfAborted()
    return { part, texts, program, journal: journalOf(events, part) }
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

function stringsIn(body: string): readonly string[] {
  const found: string[] = []
  try {
    JSON.parse(body, (_, value: unknown) => {
      if (typeof value === 'string') found.push(value)
      return value
    })
    return found
  } catch {
    return [body]
  }
}

const readers = new Set(['cat', 'sed', 'head', 'tail', 'less', 'more', 'bat', 'awk'])

/**
 * Whether the journal of an agent has a call that used the subject: `undefined` without calls of tools or a model. Words of the
 * agent do not count, nor does a call that failed, nor what follows a skill that the agent was refused.
 */
function isFired(events: readonly JournalEvent[], subject: Subject): boolean | undefined {
  if (!events.some(({ type }) => type === 'tool-call' || type === 'model-call')) return undefined
  const failed = new Set(
    events.flatMap((event) => (event.type === 'tool-result' && event.failed === true ? [event.id] : [])),
  )
  for (const event of events) {
    if (event.type !== 'tool-call' || !isUse(event, subject)) continue
    if (!failed.has(event.id)) return true
    if (isSkillTool(event.name)) return false
  }
  return false
}

const isSkillTool = (name: string) => name === 'Skill' || name === 'activate_skill'

function isUse({ name, input }: Extract<JournalEvent, { type: 'tool-call' }>, subject: Subject): boolean {
  const given = isPlainObject(input) ? (input as Readonly<Record<string, unknown>>) : {}
  switch (subject.kind) {
    case 'file':
      return false
    case 'mcp':
      return Object.keys(subject.servers).some((server) =>
        [`mcp__${server}__`, `${server}.`].some((prefix) => name.startsWith(prefix)),
      )
    case 'plugin':
      return (
        name.startsWith(`mcp__plugin_${subject.name}_`) ||
        ['skill', 'command', 'subagent_type'].some((key) =>
          String(given[key] ?? '')
            .replace(/^\//, '')
            .startsWith(`${subject.name}:`),
        )
      )
    case 'skill':
      if (isSkillTool(name)) return [given['skill'], given['name'], given['command']].includes(subject.name)
      return isReading(given, subject.name)
    default:
      return subject.kind satisfies never
  }
}

/** Whether a call reads the instructions of a skill, or runs one of its scripts. */
function isReading(input: Readonly<Record<string, unknown>>, skill: string): boolean {
  const instructions = `${skill}/SKILL.md`
  const paths = ['file_path', 'filePath', 'path', 'absolute_path'].map((key) => input[key])
  if (paths.some((path) => typeof path === 'string' && path.endsWith(`/${instructions}`))) return true
  const given = input['command'] ?? input['cmd']
  const script = Array.isArray(given) ? given.at(-1) : given
  if (typeof script !== 'string') return false
  const at = [input['workdir'], input['cwd']].find((place) => typeof place === 'string') ?? ''
  let place = String(at)
  return shellParts(script).parts.some(({ words: [program = '', ...words] }) => {
    if (program === 'cd') place = words[0] ?? ''
    const isSkillPath = (word: string, path: string) =>
      word.includes(`${skill}/${path}`) || (place.replace(/\/$/, '').endsWith(`/${skill}`) && word.startsWith(path))
    if (readers.has(programName(program))) return words.some((word) => isSkillPath(word, 'SKILL.md'))
    return [program, ...words].some((word) => isSkillPath(word.replace(/^\.\//, ''), 'scripts/'))
  })
}
