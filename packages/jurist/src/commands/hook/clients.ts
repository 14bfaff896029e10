/**
 * The moments of a session at which a coding agent runs a hook: it begins, a file was edited, or the agent wants to
 * stop.
 */
export const moments = ['start', 'edit', 'stop'] as const

export type Moment = (typeof moments)[number]

/** The scope of an agent's settings: one project, or all projects of the user. */
export const settingsScopes = ['project', 'user'] as const

export type SettingsScope = (typeof settingsScopes)[number]

/**
 * The decision of a hook: the agent must continue for a reason, or it may stop. The optional note is for its user, not
 * for the agent.
 */
export type Decision = { readonly note?: string } & (
  | { readonly kind: 'block'; readonly reason: string }
  | { readonly kind: 'allow' }
)

export interface HookCommand {
  readonly moment: Moment
  readonly command: string
  /** The timeout of the client for the command. */
  readonly seconds: number
  readonly maxBlocks: number
}

/** The format of one coding agent's hooks and their answers. */
export interface ClientForm {
  readonly title: string
  /** The settings file, both in the directory of the project and in that of the user. */
  readonly settings: string
  /** The content of a file without hooks. */
  readonly empty: { readonly [key: string]: unknown }
  /** The agent's name of each moment; absent if it has no hook at this moment. */
  readonly events: { readonly [moment in Moment]?: string }
  readonly entry: (hook: HookCommand) => object
  /** The output of the command. */
  readonly answer: (decision: Decision) => object
  /** The directory to which the paths of a hook are relative, in the notation of the shell that runs it. */
  readonly baseDirectory: string
  /** Whether that is the top of the repository. Default: the directory of the project. */
  readonly isRepository?: boolean
  /** The variable with the directory of the project. Default: the working directory of the session. */
  readonly projectVariable?: string
  /** Further actions for the user. */
  readonly advice?: string
}

const editTools = 'Edit|Write|MultiEdit|NotebookEdit|apply_patch'

/**
 * Claude Code and Codex have the same format: https://code.claude.com/docs/en/hooks,
 * https://developers.openai.com/codex/hooks.
 */
const matched = {
  empty: {},
  events: { start: 'SessionStart', edit: 'PostToolUse', stop: 'Stop' },
  entry: ({ moment, command, seconds }) => ({
    ...(moment === 'edit' ? { matcher: editTools } : {}),
    hooks: [{ type: 'command', command, timeout: seconds }],
  }),
  answer: (decision) => ({
    ...(decision.kind === 'block' ? { decision: 'block', reason: decision.reason } : {}),
    ...(decision.note === undefined ? {} : { systemMessage: decision.note }),
  }),
} as const satisfies Partial<ClientForm>

/** The coding agents whose hooks are supported. */
const clients = {
  claude: {
    title: 'Claude Code',
    settings: '.claude/settings.json',
    baseDirectory: '"$CLAUDE_PROJECT_DIR"',
    projectVariable: 'CLAUDE_PROJECT_DIR',
    ...matched,
  },
  codex: {
    title: 'Codex',
    settings: '.codex/hooks.json',
    baseDirectory: '"$(git rev-parse --show-toplevel)"',
    isRepository: true,
    ...matched,
    advice:
      'Codex runs a hook of a project only after you trust both: start codex here, and review the hook with /hooks. Others are skipped without a message.',
  },
  /** https://cursor.com/docs/agent/hooks */
  cursor: {
    title: 'Cursor',
    settings: '.cursor/hooks.json',
    baseDirectory: '.',
    empty: { version: 1 },
    events: { start: 'sessionStart', stop: 'stop' },
    entry: ({ moment, command, seconds, maxBlocks }) => ({
      command,
      timeout: seconds,
      ...(moment === 'stop' ? { loop_limit: maxBlocks } : {}),
    }),
    answer: (decision) => (decision.kind === 'block' ? { followup_message: decision.reason } : {}),
  },
} as const satisfies { readonly [name: string]: ClientForm }

export type Client = keyof typeof clients

export const clientNames: readonly Client[] = Object.keys(clients) as Client[]

export function formOf(client: Client): ClientForm {
  return clients[client]
}
