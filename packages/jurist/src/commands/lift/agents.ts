import { join } from 'node:path'
import type { Agent, Json, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { unknownAmong } from '../../config/problems.js'
import type { Subject, SubjectKind } from './subject.js'

/** The arm and the place that an agent is made for. */
export interface Making {
  /** The kind of the study's subject. */
  readonly kind: SubjectKind
  /** The subject that it gets; `null`: none. */
  readonly subject: Subject | null
  /** The directory of its home. */
  readonly home: string
  /** The servers of both arms, which an arm without them is allowed to use as well. */
  readonly servers: readonly string[]
  /** The address of the model's server; absent: the agent's own. */
  readonly url?: string | undefined
  /** It answers, and changes nothing. */
  readonly isReadOnly: boolean
  /** Whether a sandbox is around it, in which no other one starts. */
  readonly isSandboxed?: boolean
}

/** An agent whose home and instructions a study can choose. */
export interface LiftAgent {
  readonly name: string
  /** Where it looks for a subject: below its home, for a file below its workspace; `null`: it gets it as an option. */
  readonly place: (subject: Subject) => string | null
  readonly make: (making: Making) => Promise<Agent>
}

/** The variables that the values of servers name, such as `${TOKEN}`. */
function variablesIn(value: Json): readonly string[] {
  return [...JSON.stringify(value).matchAll(/\$\{(\w+)(?::-[^}]*)?\}/g)].map(([, name = '']) => name)
}

const readingTools = 'Read,Glob,Grep,Skill'

const claude: Omit<LiftAgent, 'name'> = {
  place: ({ kind, name }) =>
    ({ skill: join('skills', name), file: 'CLAUDE.md', mcp: null, plugin: join('plugin-of-study', name) })[kind],
  make: async ({ kind, subject, home, servers, isReadOnly }) => {
    const { claudeCommand } = await import('@jurist/bridges/claude-agent')
    const given = subject ?? { kind: null, name: '', servers: {} }
    return claudeCommand({
      settingSources: kind === 'file' ? ['user', 'project'] : ['user'],
      permissions: isReadOnly ? 'read-only' : 'workspace',
      environment: { allow: ['ANTHROPIC_*', ...variablesIn(given.servers)] },
      arguments: [
        ...(isReadOnly ? ['--tools', readingTools] : []),
        ...servers.flatMap((server) => ['--allowedTools', `mcp__${server}`]),
        ...(given.kind === 'mcp' ? ['--mcp-config', JSON.stringify({ mcpServers: given.servers })] : []),
        ...(given.kind === 'plugin' ? ['--plugin-dir', join(home, 'plugin-of-study', given.name)] : []),
      ],
    })
  },
}

const codex: Omit<LiftAgent, 'name'> = {
  place: ({ kind, name }) => {
    if (kind === 'plugin') throw usageInvalid('--plugin', 'Codex has no plugins of this kind. Use --agent claude.')
    return { skill: join('.agents/skills', name), file: 'AGENTS.md', mcp: null }[kind]
  },
  make: async ({ subject, url, isReadOnly, isSandboxed = false }) => {
    const { codexCommand } = await import('@jurist/bridges/codex')
    // Codex itself ignores the variable.
    const base = url === undefined ? process.env['OPENAI_BASE_URL'] : `${url}/v1`
    const hasOwnKey = url !== undefined || process.env['CODEX_API_KEY'] !== undefined
    const study = {
      ...{ name: 'study', base_url: base ?? '', wire_api: 'responses' },
      env_key: hasOwnKey ? 'CODEX_API_KEY' : 'OPENAI_API_KEY',
      ...(url === undefined ? {} : { request_max_retries: 0 }),
    }
    const servers = Object.entries(subject?.servers ?? {}).map(([name, server]): [string, Json] => {
      const { type: _, ...rest } = isPlainObject(server) ? (server as JsonObject) : {}
      // Without it, `codex exec` cancels every call, because no user can approve it.
      return [name, { ...rest, default_tools_approval_mode: 'approve' }]
    })
    return codexCommand({
      permissions: isSandboxed ? 'full' : isReadOnly ? 'read-only' : 'workspace',
      environment: { allow: ['CODEX_API_KEY', 'OPENAI_*', ...variablesIn(subject?.servers ?? {})] },
      config: {
        ...(base === undefined ? {} : { model_provider: 'study', model_providers: { study } }),
        ...(servers.length === 0 ? {} : { mcp_servers: Object.fromEntries(servers) }),
      },
    })
  },
}

/** The places for the agents of a config, which get their subject as files. */
const usualPlaces: { readonly [kind in SubjectKind]: ((subject: Subject) => string) | null } = {
  skill: ({ name }) => join('.agents/skills', name),
  file: ({ files: [file = ''] }) => file,
  mcp: null,
  plugin: null,
}

function configured(agent: Agent, into: string | undefined): Omit<LiftAgent, 'name'> {
  return {
    place: (subject) => {
      const { kind, name } = subject
      if (into !== undefined) return kind === 'skill' || kind === 'plugin' ? join(into, name) : into
      const usual = usualPlaces[kind]
      if (usual !== null) return usual(subject)
      throw usageInvalid(
        '--into',
        `Say where the agent looks for it: --into <path>, below its home, such as --into .cursor/mcp.json.`,
      )
    },
    make: async () => agent,
  }
}

/**
 * The agent with this name: `claude`, `codex`, or one of the config.
 *
 * @throws `usage-invalid`
 */
export function agentNamed(
  name: string | undefined,
  into: string | undefined,
  agents: Readonly<Record<string, Agent>>,
): LiftAgent {
  const known = ['claude', 'codex', ...Object.keys(agents)]
  if (name === undefined)
    throw usageInvalid('--agent', `Name the agent: --agent ${known[0]}. Known: ${known.join(', ')}.`)
  const own = Object.hasOwn(agents, name) ? agents[name] : undefined
  if (own !== undefined) return { name, ...configured(own, into) }
  if (into !== undefined)
    throw usageInvalid('--into', `--into belongs to an agent of the config; ${name} has its own places. Leave it out.`)
  if (name === 'claude') return { name, ...claude }
  if (name === 'codex') return { name, ...codex }
  throw usageInvalid('--agent', `There is no agent "${name}".${unknownAmong(name, known)}`)
}
