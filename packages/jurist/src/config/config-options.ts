import { isPlainObject } from '@jurist/core/internal'
import {
  adds,
  allOrSome,
  callback,
  count,
  fieldIssues,
  fields,
  notNegative,
  optional,
  record,
  type SchemasOf,
  text,
  texts,
  withDescription,
  yesOrNo,
} from '@jurist/experiment/internal/config'
import type { ModelRule, ScanAllowance, ScanRule } from '@jurist/experiment/scan'
import * as v from 'valibot'
import type { JuristConfig, LiftStudy, ScanSettings, Thresholds } from './config.js'
import type { Report } from './problems.js'

// Every key of a config is declared once, here: its type, its meaning and its default. The check of a config, its JSON
// Schema and docs/reference/config.md are derived from the declaration, and the compiler compares it
// with the interfaces.

function key(schema: v.GenericSchema, description: string, standard = 'none') {
  return v.pipe(v.optional(schema), v.metadata({ description, standard }))
}

/** Entries by name. JavaScript does not keep the order of names that are whole numbers. */
function byName(entry: v.GenericSchema) {
  return v.pipe(
    record,
    v.record(v.string(), entry),
    adds((value: Readonly<Record<string, unknown>>) =>
      Object.keys(value)
        .filter((name) => /^\d+$/.test(name))
        .map((name) => ({ keys: [name], problem: 'is an integer as a name', remedy: 'Use a name with a letter.' })),
    ),
  )
}

const options = v.custom(
  (value) => typeof value === 'function' || isPlainObject(value),
  'must be an object or a function',
)
const functions = byName(callback)
const rate = v.pipe(
  v.number('must be a number from 0 to 1'),
  v.minValue(0, 'must be a number from 0 to 1'),
  v.maxValue(1, 'must be a number from 0 to 1'),
)
const atLeast0 = 'must be an integer of at least 0'

const thresholdEntries = {
  passRate: optional(rate, 'The lowest acceptable pass rate of the decided trials.'),
  passRateOfAll: optional(rate, 'The lowest acceptable pass rate of all planned trials.'),
  scores: optional(
    v.pipe(record, v.record(v.string(), rate)),
    'The lowest acceptable mean scores by key, such as `rules/build`.',
  ),
  maxCostUsd: optional(notNegative, 'The maximum cost of agents and judges together, in US dollars.'),
  minimumDecided: optional(
    v.pipe(v.number(atLeast0), v.safeInteger(atLeast0), v.minValue(0, atLeast0)),
    'The minimum number of decided trials. If it is set, only decided trials count.',
  ),
  suspects: optional(
    rate,
    'The largest share of suspect passes, as the upper bound of its confidence interval. It needs `scan`. A pass that was not scanned as a whole counts as suspect.',
  ),
  agreement: optional(rate, 'For calibrations: the required rate of agreement with the labels.'),
  kappa: optional(rate, "For calibrations: the required Cohen's kappa."),
} satisfies SchemasOf<Thresholds>

const allowance = fields({
  rule: withDescription(text, 'The rule.'),
  words: optional(
    texts,
    'Words, one of which the evidence contains. Without words, paths, hosts and commands: every finding of the rule.',
  ),
  paths: optional(texts, 'Files, such as docs/**.'),
  hosts: optional(texts, 'Hosts of addresses, such as docs.example.com or *.example.com.'),
  commands: optional(texts, 'Beginnings of commands, such as git log.'),
  reason: withDescription(text, 'Why it is allowed. It stays in the report.'),
} satisfies SchemasOf<ScanAllowance>)

const isRule = (value: unknown) =>
  isPlainObject(value) &&
  ['name', 'what', 'not', 'level'].every((key) => typeof value[key] === 'string') &&
  (typeof value['find'] === 'function' || typeof value['ask'] === 'function')

const scanFields = fields({
  rules: optional(
    v.array(
      v.custom<ScanRule | ModelRule>(
        isRule,
        'must be a rule: an object with name, what, not, level and find, or a modelRule',
      ),
    ),
    'Rules of the project, beside those of Jurist.',
  ),
  without: optional(texts, 'The rules that do not look.'),
  allow: optional(v.array(allowance), 'What counts as a note.'),
} satisfies SchemasOf<ScanSettings>)

const subjects = ['skill', 'file', 'mcp', 'plugin'] as const

const liftEntries = {
  skill: optional(text, 'The directory of a skill. It, or one of the next three, is what the study asks about.'),
  file: optional(text, 'Instructions, such as AGENTS.md.'),
  mcp: optional(text, 'A JSON file with servers of MCP.'),
  plugin: optional(text, 'The directory of a plugin of Claude Code.'),
  agent: optional(text, 'The agent: `claude`, `codex`, or one of "agents".'),
  model: optional(text, 'The model of the agent.'),
  into: optional(text, 'Where an agent of "agents" looks for the subject.'),
  evals: optional(text, 'The file of the evals. Default: evals/evals.json beside the subject.'),
  dataset: optional(text, 'A dataset whose items have judges, instead of evals.'),
  judgeModel: optional(text, 'One of "models", for assertions that no rule decides.'),
  repetitions: optional(count, 'Repetitions of each eval in each arm. Default: 3.'),
  concurrency: optional(count, 'Concurrent trials. Default: 4.'),
  provision: optional(callback, 'Where trials run, in both arms.'),
} satisfies SchemasOf<LiftStudy>

/** A study of `jurist lift`. */
export const liftStudy: v.GenericSchema = v.pipe(
  fields(liftEntries),
  adds((study: { [name in (typeof subjects)[number]]?: string | undefined }) => {
    const given = subjects.filter((name) => study[name] !== undefined)
    if (given.length === 1) return []
    return [{ keys: [], problem: `must have one of ${subjects.join(', ')}`, remedy: 'Name what it asks about.' }]
  }),
)

const envFields = fields({
  path: withDescription(text, 'The path of the file.'),
  required: optional(yesOrNo, 'Whether a missing file is an error. Default: false.'),
})

export const configEntries = {
  experiments: key(
    byName(options),
    'for `jurist run NAME`: by name, options or a function that returns them; the key is the name',
  ),
  calibrations: key(byName(options), 'for `jurist calibrate NAME`: judges to measure, by name'),
  juries: key(functions, 'for `jurist judge`, `jurist hook` and `jurist mcp`: a jury or a judge each'),
  models: key(
    functions,
    'for judges and agents: a model each, with `provider`, `model`, `baseUrl`, `apiKeyEnv`, `prices`, `options`; in a program: `defineModels({…})`',
  ),
  lift: key(
    byName(liftStudy),
    'for `jurist lift NAME`: by name, what the flags of the command say, with `repetitions` for `--repeat`, and `sandbox` and `setup` as in an experiment (in a program: `provision`), in both arms',
  ),
  thresholds: key(fields(thresholdEntries), 'the requirements for a run, [below](#thresholds)'),
  scan: key(
    v.union(
      [yesOrNo, scanFields],
      'must be true, false, or an object with without (names of rules) and allow (objects with rule, reason, and words, paths, hosts or commands)',
    ),
    'whether `jurist run` scans its runs; an object with `rules`, `without` and `allow` also says how, there and in `jurist scan`: [how did it pass?](../guide/vetting.md#how-did-it-pass)',
    '`false`',
  ),
  allowAbstain: key(allOrSome, 'the default `allowAbstain` of every experiment'),
  store: key(
    v.custom(isStore, 'must be a directory, a result store or a function'),
    'the results directory, the URL of a database (`postgres://…`), a result store, or a function that returns one; `--results` and `JURIST_RESULTS` take precedence',
    '`results`',
  ),
  cache: key(
    v.union([v.boolean(), text], 'must be true, false or a directory'),
    'whether judges reuse earlier answers of the models of the config, as with `--cache`; a string is the directory',
    '`false`; the directory is `.jurist/answers`',
  ),
  reporters: key(
    v.array(callback, 'must be an array of functions'),
    'functions that receive every event of `jurist run`',
  ),
  plugins: key(
    v.array(
      v.custom((value) => typeof value === 'string' || isPlainObject(value), 'must be a package, a path or a plug-in'),
      'must be an array of packages and paths',
    ),
    'extensions: names of packages, paths of modules, in a program also the objects; see [extending](../guide/extending.md#a-plug-in)',
  ),
  envFile: key(
    v.union([text, envFields], 'must be a path, or an object with path and required'),
    'a file of `NAME=value` lines; existing variables take precedence. A missing file is a notice; with `{ path, required: true }` it is an error',
  ),
  agents: key(functions, 'in YAML and JSON: the agents that `{ use: NAME }` refers to'),
  votes: key(functions, 'in YAML and JSON: the votes that `{ use: NAME }` refers to'),
} satisfies SchemasOf<JuristConfig>

function isStore(value: unknown): boolean {
  if (typeof value === 'string') return value !== ''
  return typeof value === 'function' || (typeof value === 'object' && value !== null && 'open' in value)
}

/** The key of an experiment or a calibration is its name. */
function otherNames(config: { readonly experiments?: unknown; readonly calibrations?: unknown }) {
  return (['experiments', 'calibrations'] as const).flatMap((kind) =>
    Object.entries(isPlainObject(config[kind]) ? config[kind] : {}).flatMap(([name, entry]) => {
      const given = isPlainObject(entry) ? (entry.name ?? name) : name
      return given === name
        ? []
        : [{ keys: [kind, name, 'name'], problem: `must be "${name}", the key`, remedy: 'Remove "name".' }]
    }),
  )
}

const configSchema = v.pipe(fields(configEntries), adds(otherNames))

const remedies: { readonly [key: string]: string } = {
  '': 'Write export default defineConfig({…}); in YAML begin with "experiments:".',
  store: 'Write store: "results".',
  reporters: 'Write reporters: [(event) => { … }].',
  envFile: 'Write envFile: ".env".',
  thresholds: 'A rate of 80 % is 0.8.',
}

/** Whether `value` is a valid config. Reports every problem. */
export function isConfig(value: unknown, report: Report): value is JuristConfig {
  const issues = fieldIssues(configSchema, value)
  for (const { keys, problem, remedy } of issues)
    report(keys, `${problem}.`, remedy ?? remedies[String(keys[0] ?? '')] ?? 'Correct it.')
  return issues.length === 0
}
