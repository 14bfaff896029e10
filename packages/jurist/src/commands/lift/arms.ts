import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { scratchDirectory } from '@jurist/bridges/internal'
import { type Agent, type JournalEvent, JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { liftFacts } from '@jurist/experiment/internal'
import { emptyDirectory } from '@jurist/workspace'
import { installSkill, type Skill } from './skill.js'

declare module '@jurist/core' {
  interface Problems {
    'arm-not-loaded': { readonly arm: string }
    'loading-unproven': { readonly agent: string }
  }
}

export const arms = ['without', 'with'] as const
export type Arm = (typeof arms)[number]

/** An agent whose home a study can choose. */
export interface LiftAgent {
  readonly name: string
  /** Where it looks for skills, below its home. */
  readonly skillsIn: string
  /** @param url the address of the model's server; absent: the agent's own */
  readonly make: (url?: string) => Promise<Agent>
}

/** The agent in one arm: its home is new for each call, and holds the skill or nothing. */
export function armAgent(inner: Agent, { skillsIn }: LiftAgent, skill: Skill, arm: Arm): Agent {
  return async function liftAgent(task) {
    await using home = await scratchDirectory('home')
    if (arm === 'with') await installSkill(skill, join(home.path, skillsIn, skill.name))
    const { workspace, signal } = task
    const events: JournalEvent[] = []
    const record = (event: JournalEvent) => {
      events.push(event)
      task.record?.(event)
    }
    const env = { ...task.env, HOME: home.path, CLAUDE_CONFIG_DIR: home.path, CODEX_HOME: home.path }
    const invocation = await inner({ ...task, workspace, signal, record, env })
    const offered = offeredSkills(events)
    if (offered !== undefined && offered.includes(skill.name) !== (arm === 'with')) {
      const message = `The agent ${arm === 'with' ? 'was not' : 'was'} offered the skill ${skill.name}. It was offered: ${offered.join(', ') || 'none'}.`
      return {
        ...invocation,
        status: 'error',
        failure: { name: 'JuristError', code: 'arm-not-loaded', message, infrastructure: true },
      }
    }
    const turns = events.filter(({ type }) => type === 'model-call').length
    const facts = {
      ...(turns === 0 ? {} : { [liftFacts.turns]: turns }),
      ...(events.some(({ type }) => type === 'tool-call') ? { [liftFacts.used]: isUsed(events, skill.name) } : {}),
    }
    return { ...invocation, metadata: { ...invocation.metadata, ...facts } }
  }
}

/** The skills that the journal of Claude Code lists; `undefined` for other agents. */
function offeredSkills(events: readonly JournalEvent[]): readonly string[] | undefined {
  const [init] = events.flatMap((event) =>
    event.type === 'custom' && event.name === 'claude.init' ? [event.data] : [],
  )
  if (!isPlainObject(init)) return undefined
  const { skills } = init
  return Array.isArray(skills) ? skills.filter((name): name is string => typeof name === 'string') : undefined
}

/** Whether a call that did not fail named the skill, or a file of it. Words of the agent do not count. */
function isUsed(events: readonly JournalEvent[], name: string): boolean {
  const failed = new Set(
    events.flatMap((event) => (event.type === 'tool-result' && event.failed === true ? [event.id] : [])),
  )
  return events.some((event) => {
    if (event.type !== 'tool-call' || failed.has(event.id)) return false
    const input = JSON.stringify(event.input)
    if (event.name === 'Skill') return isPlainObject(event.input) && event.input['skill'] === name
    return [`/${name}/SKILL.md`, `/${name}/scripts/`].some((path) => input.includes(path))
  })
}

/** What the loading check saw. */
export interface Loading {
  readonly proof: 'request' | 'none'
  /** The requests of each arm. */
  readonly requests: Readonly<Record<Arm, number>>
}

const checkMs = 60_000

/**
 * Starts the agent once in each arm against a server that records and refuses: the first requests must hold the description of
 * the skill in one arm, and must not in the other.
 *
 * @throws `arm-not-loaded`; `loading-unproven` for an agent that sends no request, unless that is accepted
 */
export async function checkLoading(
  agent: LiftAgent,
  skill: Skill,
  isUnprovenAllowed: boolean,
  signal: AbortSignal,
): Promise<Loading> {
  const seen = {
    without: await requestsOf(agent, skill, 'without', signal),
    with: await requestsOf(agent, skill, 'with', signal),
  }
  const requests = { without: seen.without.length, with: seen.with.length }
  if (requests.without === 0 && requests.with === 0) {
    if (isUnprovenAllowed) return { proof: 'none', requests }
    const message = `The agent ${agent.name} asked no model at ANTHROPIC_BASE_URL or OPENAI_BASE_URL, so nothing shows what it loads. Check that it starts, or accept it with --unproven.`
    throw new JuristError('loading-unproven', message, { agent: agent.name })
  }
  const wanted = plain(skill.description)
  for (const arm of arms) {
    const isThere = seen[arm].some((request) => plain(request).includes(wanted))
    if (isThere === (arm === 'with')) continue
    const problem =
      arm === 'without'
        ? `The arm without the skill was offered ${skill.name} too. Remove it from the files of the evals, and from the places of the machine that the agent reads.`
        : `The arm with the skill was not offered ${skill.name}: ${requests.with === 0 ? 'the agent sent no request' : `no request holds its description`}. Check --skills-in (now ${agent.skillsIn}, below the home) and the settings of the agent.`
    throw new JuristError('arm-not-loaded', problem, { arm })
  }
  return { proof: 'request', requests }
}

/** White space is as the agent formats it. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

/** The strings in the requests of an agent in an empty workspace. */
async function requestsOf(agent: LiftAgent, skill: Skill, arm: Arm, signal: AbortSignal): Promise<readonly string[]> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    bodyOf(request)
      .then((body) => {
        if (request.method === 'POST') requests.push(stringsIn(body).join('\n'))
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
    await using workspace = await emptyDirectory()
    const key = 'jurist-loading-check'
    await armAgent(
      await agent.make(url),
      agent,
      skill,
      arm,
    )({
      prompt: 'Say hello.',
      workspace,
      signal: AbortSignal.any([signal, AbortSignal.timeout(checkMs)]),
      timeoutMs: checkMs,
      env: {
        ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_MAX_RETRIES: '0' },
        ...{ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key, CODEX_API_KEY: key },
      },
    })
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  signal.throwIfAborted()
  return requests
}

const mostBytes = 64 * 1024 * 1024

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new RangeError('The request is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
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
