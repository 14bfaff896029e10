/** One package of the house: what it may lean on, and the floors inside it. */
export interface Room {
  /** Packages of ours that it may import. */
  readonly below: readonly string[]
  /** Published doors. */
  readonly doors: readonly string[]
  /**
   * Which floor each file or directory of `src` stands on, the lowest first. Imports run within a floor or downward;
   * what is not named here stands on top.
   */
  readonly floors: readonly (readonly string[])[]
  /** Run-time dependencies from elsewhere. */
  readonly dependencies: readonly string[]
  /** What whoever installs it has already. */
  readonly peers?: readonly string[]
  /** What is part of its own files when it is published, so that it is no dependency. */
  readonly bundled?: readonly string[]
  /** Files that do something when they are imported. */
  readonly effects?: readonly string[]
  /** Directories of `src` that may load `node:` modules, and only inside a function. Absent: `node:` is free. */
  readonly nodeWithin?: readonly string[]
}

/** The plan of the house. A package, a door or an arrow that is not drawn here does not exist. */
export const plan: { readonly [name: string]: Room } = {
  '@jurist/kit': {
    below: [],
    doors: [
      './did-you-mean',
      './json',
      './processes',
      './retry-pause',
      './semaphore',
      './terminal',
      './text-diff',
      './timers',
    ],
    dependencies: ['diff', 'get-east-asian-width'],
    floors: [],
  },
  '@jurist/core': {
    below: ['@jurist/kit'],
    doors: ['.', './internal', './llm', './rag', './testing'],
    dependencies: [],
    floors: [
      [
        'model-problems',
        'stacks',
        'errors',
        'freeze',
        'on-abort',
        'json',
        'options',
        'read',
        'name',
        'score',
        'usage',
        'workspace',
        'output',
        'environment',
      ],
      ['fault'],
      ['check', 'judgment', 'judgment-record', 'judgment-json', 'context', 'agent', 'unjudgeable', 'own-view'],
      ['judge', 'judge-description', 'beside', 'votes', 'verdict'],
      ['judges', 'seat', 'tier', 'outline', 'jury', 'explain', 'combinators', 'must-decide'],
      ['cascade', 'tier-ending'],
      ['llm'],
      ['rag'],
      ['testing'],
    ],
  },
  '@jurist/workspace': {
    below: ['@jurist/kit', '@jurist/core'],
    doors: ['.', './commands', './coverage', './files', './testing'],
    dependencies: ['jsonc-parser', 'picomatch', 'saxes', 'smol-toml', 'yaml'],
    bundled: ['ignore'],
    floors: [
      ['errors', 'quotation', 'environment', 'turns', 'output-capture', 'containment', 'temporary-directory'],
      ['copy-file', 'processor-time'],
      ['process', 'sandbox', 'git', 'file-content', 'list-tree', 'snapshot', 'workspace-settings', 'copy-tree'],
      ['run-command', 'judge-view'],
      ['local-workspace'],
      ['provision', 'copy'],
      ['commands', 'coverage', 'files'],
      ['testing'],
    ],
  },
  '@jurist/experiment': {
    below: ['@jurist/kit', '@jurist/core', '@jurist/workspace'],
    doors: [
      '.',
      './calibrate',
      './compare',
      './dataset',
      './internal',
      './journal',
      './rejudge',
      './report',
      './result',
      './store',
      './testing',
    ],
    dependencies: ['papaparse'],
    bundled: ['@valibot/to-json-schema', 'ignore', 'valibot'],
    floors: [
      ['invocation'],
      ['errors', 'fields', 'dataset', 'result', 'efficiency'],
      ['store', 'provision'],
      ['journal', 'run'],
      ['agents', 'compare', 'calibrate', 'rejudge', 'diagnose'],
      ['report'],
      ['testing'],
    ],
  },
  '@jurist/bridges': {
    below: ['@jurist/kit', '@jurist/core'],
    doors: [
      './acp',
      './agent',
      './ai-sdk',
      './anthropic',
      './claude-agent',
      './codex',
      './command',
      './langchain',
      './mastra',
      './openai-agents',
      './openai-compatible',
      './otel',
    ],
    dependencies: [],
    nodeWithin: ['acp', 'claude-agent', 'codex', 'coding', 'command'],
    floors: [['errors'], ['context'], ['http', 'run'], ['agent']],
  },
  '@jurist/vitest': {
    below: ['@jurist/kit', '@jurist/core', '@jurist/experiment'],
    doors: ['.', './reporter'],
    dependencies: [],
    peers: ['vitest'],
    effects: ['./dist/index.js'],
    floors: [],
  },
  '@jurist/viewer': {
    below: ['@jurist/kit', '@jurist/core', '@jurist/experiment'],
    doors: ['.', './static'],
    dependencies: [],
    floors: [['answers', 'what-if', 'reply'], ['files', 'guard', 'page-files', 'loaded-runs'], ['static']],
  },
  jurist: {
    below: [
      '@jurist/kit',
      '@jurist/core',
      '@jurist/workspace',
      '@jurist/experiment',
      '@jurist/viewer',
      '@jurist/bridges',
    ],
    doors: [
      '.',
      './acp',
      './agent',
      './ai-sdk',
      './anthropic',
      './calibrate',
      './claude-agent',
      './codex',
      './command',
      './coverage',
      './langchain',
      './llm',
      './mastra',
      './openai-agents',
      './openai-compatible',
      './otel',
      './rag',
      './testing',
    ],
    dependencies: ['commander', 'jiti', 'modern-tar', 'yaml'],
    floors: [['terminal', 'config'], ['bundle'], ['command']],
  },
}
