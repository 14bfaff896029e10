/** What one package may import, and its layers. */
export interface PackagePlan {
  /** Packages of this repository that it may import. */
  readonly below: readonly string[]
  /** The subpaths that it exports. */
  readonly doors: readonly string[]
  /**
   * The layer of each file or directory of `src`, the lowest first. Imports stay within a layer or lead to a lower one.
   * A file that is not listed belongs to the highest layer.
   */
  readonly layers: Layers
  /** Run-time dependencies from elsewhere. */
  readonly dependencies: readonly string[]
  /** Peer dependencies. */
  readonly peers?: readonly string[]
  /** Development dependencies that become part of the package when it is built. */
  readonly bundled?: readonly string[]
  /** Files with side effects when they are imported. */
  readonly effects?: readonly string[]
  /** Directories of `src` that may load `node:` modules, and only inside a function. Absent: `node:` is allowed. */
  readonly nodeWithin?: readonly string[]
  /** The layers of `page`, the source of a page in the browser, and what it may import from `src` at run time. */
  readonly page?: { readonly layers: Layers; readonly fromSource: readonly string[] }
}

type Layers = readonly (readonly string[])[]

/** The plan of the packages. A package, an entry point or an import that is not listed here is not allowed. */
export const plan: { readonly [name: string]: PackagePlan } = {
  '@jurist/kit': {
    below: [],
    doors: [
      './did-you-mean',
      './environment',
      './json',
      './processes',
      './retry-pause',
      './score-bounds',
      './semaphore',
      './shell-word',
      './terminal',
      './text-diff',
      './timers',
    ],
    dependencies: ['ansi-regex', 'diff', 'get-east-asian-width'],
    layers: [],
  },
  '@jurist/core': {
    below: ['@jurist/kit'],
    doors: ['.', './answers', './conversation', './internal', './llm', './rag', './testing', './tools'],
    dependencies: [],
    layers: [
      [
        'brand',
        'decoders',
        'embed',
        'errors',
        'json',
        'judge-model',
        'models-used',
        'name',
        'on-abort',
        'options',
        'output',
        'score',
        'standard-schema',
        'usage',
        'workspace',
      ],
      ['fault'],
      [
        'judgment',
        'judgment-record',
        'judgment-json',
        'context',
        'agent',
        'tool-step',
        'journal-event',
        'turn',
        'unjudgeable',
        'own-view',
        'prompt-record',
      ],
      ['answer-cache', 'judge', 'judge-description', 'beside', 'votes', 'verdict'],
      ['judges', 'jury-member', 'tiers', 'jury-parts', 'jury', 'explain', 'combinators', 'must-decide'],
      ['cascade'],
      ['joined-jury'],
      ['answers'],
      ['llm'],
      ['rag', 'conversation', 'tools'],
      ['testing'],
    ],
  },
  '@jurist/workspace': {
    below: ['@jurist/kit', '@jurist/core'],
    doors: ['.', './commands', './coverage', './files', './internal', './testing'],
    dependencies: ['jsonc-parser', 'picomatch', 'saxes', 'smol-toml', 'yaml'],
    bundled: ['ignore'],
    layers: [
      ['errors', 'quotation', 'environment', 'output-capture', 'containment', 'temporary-directory'],
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
      './internal/fields',
      './internal/journal',
      './internal/results',
      './journal',
      './rejudge',
      './report',
      './result',
      './store',
      './testing',
    ],
    dependencies: ['jsonc-parser', 'papaparse'],
    bundled: ['@valibot/to-json-schema', 'ignore', 'valibot'],
    layers: [
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
      './internal',
      './langchain',
      './mastra',
      './mcp',
      './openai-agents',
      './openai-compatible',
      './otel',
    ],
    dependencies: [],
    nodeWithin: ['acp', 'coding', 'command', 'mcp'],
    layers: [['errors'], ['context'], ['http', 'run'], ['agent']],
  },
  '@jurist/vitest': {
    below: ['@jurist/kit', '@jurist/core', '@jurist/experiment'],
    doors: ['.', './reporter'],
    dependencies: [],
    peers: ['vitest'],
    effects: ['./dist/index.js'],
    layers: [],
  },
  '@jurist/viewer': {
    below: ['@jurist/kit', '@jurist/core', '@jurist/experiment'],
    doors: ['.', './static'],
    dependencies: [],
    bundled: ['marked', 'preact'],
    layers: [
      ['http'],
      ['answers'],
      ['what-if'],
      ['files', 'page-files', 'cached-runs'],
      ['server-answer'],
      ['static'],
      ['shared-report'],
      ['viewer'],
    ],
    page: {
      fromSource: ['answers', 'what-if'],
      layers: [
        [
          'router',
          'text',
          'documents',
          'chart-parts',
          'chart-ticks',
          'charts',
          'marks',
          'keys',
          'copy-button',
          'middle-cut',
        ],
        ['places', 'page-keys'],
        ['navigation', 'table', 'filters', 'theme', 'lazy-view', 'key-sheet'],
        ['parts'],
        ['behaviour', 'calibration', 'judges', 'what-if'],
        ['run', 'item', 'compare', 'experiment', 'transcript'],
        ['runs', 'session'],
        ['page'],
        ['main', 'report'],
      ],
    },
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
      './answers',
      './anthropic',
      './calibrate',
      './claude-agent',
      './codex',
      './command',
      './conversation',
      './coverage',
      './langchain',
      './llm',
      './mastra',
      './mcp',
      './openai-agents',
      './openai-compatible',
      './otel',
      './rag',
      './testing',
      './tools',
    ],
    dependencies: ['@cfworker/json-schema', 'commander', 'jiti', 'modern-tar', 'yaml'],
    bundled: ['valibot'],
    layers: [['json-schema'], ['terminal', 'config'], ['bundle', 'import'], ['command']],
  },
}
