/** A moment of a session at which a coding agent runs a hook: it begins, a file was edited, or the agent wants to stop. */
export const moments = ['start', 'edit', 'stop'] as const

/** One of them. */
export type Moment = (typeof moments)[number]

/** Whose settings of a coding agent are written: those of the project, or of the user for every project. */
export const settingsScopes = ['project', 'user'] as const

/** One of them. */
export type SettingsScope = (typeof settingsScopes)[number]

/** What a hook decides: the agent continues for a reason, or it may stop; perhaps with a note that its user reads, and it does not. */
export type Decision = { readonly note?: string } & (
  | { readonly kind: 'block'; readonly reason: string }
  | { readonly kind: 'allow' }
)

/** A command that a hook runs. */
export interface HookCommand {
  readonly moment: Moment
  readonly command: string
  /** After which the client ends the command. */
  readonly seconds: number
  readonly maxBlocks: number
}

/** How one coding agent declares hooks, and what its hooks answer. */
export interface ClientForm {
  readonly title: string
  /** The settings file, in the directory of the project and of the user alike. */
  readonly settings: string
  /** A file with this content runs nothing. */
  readonly empty: { readonly [key: string]: unknown }
  /** Its name of each moment. Absent: it takes no answer at this moment. */
  readonly events: { readonly [moment in Moment]?: string }
  readonly entry: (hook: HookCommand) => object
  /** What the command prints. */
  readonly answer: (decision: Decision) => object
  /** The directory of the project, as a shell that runs a hook writes it. */
  readonly projectDirectory: string
  /** The variable that names it to a hook. Absent: where the session works. */
  readonly projectVariable?: string
  /** What the user has to do beside. */
  readonly advice?: string
}

const editTools = 'Edit|Write|MultiEdit|NotebookEdit|apply_patch'

/** Claude Code and Codex have the same form: https://code.claude.com/docs/en/hooks, https://developers.openai.com/codex/hooks. */
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

/** The coding agents whose hooks are known. */
const clients = {
  claude: {
    title: 'Claude Code',
    settings: '.claude/settings.json',
    projectDirectory: '"$CLAUDE_PROJECT_DIR"',
    projectVariable: 'CLAUDE_PROJECT_DIR',
    ...matched,
  },
  codex: {
    title: 'Codex',
    settings: '.codex/hooks.json',
    projectDirectory: '"$(git rev-parse --show-toplevel)"',
    ...matched,
    advice:
      'Codex runs a hook of a project only after you trust both: start codex here, and review the hook with /hooks. Others are skipped without a message.',
  },
  /** https://cursor.com/docs/agent/hooks */
  cursor: {
    title: 'Cursor',
    settings: '.cursor/hooks.json',
    projectDirectory: '.',
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

/** The name of a coding agent. */
export type Client = keyof typeof clients

/** Their names. */
export const clientNames: readonly Client[] = Object.keys(clients) as Client[]

/** How an agent declares hooks. */
export function formOf(client: Client): ClientForm {
  return clients[client]
}
