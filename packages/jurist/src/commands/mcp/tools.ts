import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import {
  consensus,
  explain,
  flatten,
  type JsonObject,
  type Judgment,
  JuristError,
  type Jury,
  judgmentContext,
  juryOf,
  type Verdict,
  type Workspace,
} from '@jurist/core'
import { isJury, isPlainObject, modelsUsedBy } from '@jurist/core/internal'
import { compare } from '@jurist/experiment/compare'
import { refuseMissingKeys } from '@jurist/experiment/internal/config'
import {
  evidenceBlocks,
  evidenceOf,
  itemsOf,
  outputOf,
  runKinds,
  trialsOf,
  trialText,
} from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { comparisonReport } from '@jurist/experiment/report'
import { type ItemResult, outcomeOf, type RunResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import { parseObject } from '@jurist/kit/json'
import { safeBlock } from '@jurist/kit/terminal'
import { localWorkspace } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'
import type { LoadedConfig } from '../../config/load-config.js'
import { juriesInstead, unknownAmong } from '../../config/problems.js'
import { feedback, type Reveal } from '../hook/feedback.js'
import { ratchetRefused } from '../ratchet/ratchet-state.js'

/** The most recent verdicts of this server. */
interface Judged {
  /** Stores a verdict and returns its name. */
  keep(verdict: Verdict): string
  find(name: string): Verdict | undefined
}

const mostKept = 20

export function judgedVerdicts(): Judged {
  const kept = new Map<string, Verdict>()
  let count = 0
  return {
    keep(verdict) {
      count += 1
      kept.set(`judged-${count}`, verdict)
      if (count > mostKept) kept.delete(`judged-${count - mostKept}`)
      return `judged-${count}`
    },
    find: (name) => kept.get(name),
  }
}

/** Returns the judgment at a path of a verdict, such as `rules/build`; `''` stands for the whole verdict. */
function judgmentAt(verdict: Verdict, path: string): Judgment | undefined {
  return flatten(verdict).find((row) => row.path === (path === '' ? '' : `/${path}`))?.judgment
}

/** The environment of the server's tools. */
export interface McpPlace {
  /** Returns the config, loaded when the server started. Rejects if it is missing or invalid. */
  readonly config: () => Promise<LoadedConfig>
  readonly store: () => Promise<ResultStore>
  /** Finds a run by its id, a prefix of it, or `latest`. */
  readonly findRun: (text: string) => Promise<RunResult>
  /** Resolves a directory that a client may have judged. */
  readonly directory: (given: string | undefined) => Promise<string>
  readonly allowCommands: boolean
  /** The parts of a failing judgment that clients may read. */
  readonly reveal: Reveal
  /** The verdicts of this server. */
  readonly judged: Judged
}

export interface McpTool {
  readonly description: string
  /** The JSON Schema of its input, in the subset that `inputProblems` checks. */
  readonly input: JsonObject
  /** Whether its answer depends on something outside this machine, such as a model. */
  readonly isOpenWorld?: boolean
  /** Whether it changes anything. Default `false`. */
  readonly changes?: boolean
  /** Returns text or JSON. The message of a `JuristError` is an answer for the model. */
  readonly run: (input: JsonObject, place: McpPlace, signal: AbortSignal) => Promise<string | object>
}

function inputOf(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** Reads a string of an input, which its schema has checked. */
function textIn(input: JsonObject, name: string): string | undefined {
  const value = input[name]
  return typeof value === 'string' ? value : undefined
}

const maxText = 20_000

const maxRuns = 100

const listRuns: McpTool = {
  description: 'Stored runs, newest first: their ids, experiments, pass rates and counts.',
  input: inputOf({
    experiment: { type: 'string' },
    kind: { enum: [...runKinds], description: 'Default: all kinds.' },
    limit: { type: 'integer', minimum: 1, maximum: maxRuns, description: 'Default 20.' },
  }),
  async run(input, { store }) {
    const [experimentName, kind] = [textIn(input, 'experiment'), runKinds.find((one) => one === input['kind'])]
    const query = {
      experimentName,
      kind,
      limit: typeof input['limit'] === 'number' ? input['limit'] : 20,
    }
    const runs: object[] = []
    for await (const entry of (await store()).list(query)) runs.push(entry)
    return { runs }
  },
}

const showTrial: McpTool = {
  description: 'One trial of a run: its outcome, what each judge said, and the answer of the agent.',
  input: inputOf(
    {
      run: { type: 'string', description: 'The id of a run, a prefix of it, or latest.' },
      trial: { type: 'string', description: 'An item, or item#repetition. Default repetition: 1.' },
    },
    ['run', 'trial'],
  ),
  async run(input, place) {
    const trial = await trialNamed(place, textIn(input, 'run') ?? '', textIn(input, 'trial') ?? '')
    return shownTrial(trial, place)
  },
}

const compareRuns: McpTool = {
  description:
    'The difference of two runs of the same items, with the statistics that say whether it is more than chance.',
  input: inputOf({ baseline: { type: 'string' }, candidate: { type: 'string' } }, ['baseline', 'candidate']),
  async run(input, { findRun }) {
    const baseline = await findRun(textIn(input, 'baseline') ?? '')
    const candidate = await findRun(textIn(input, 'candidate') ?? '')
    return comparisonReport(compare(baseline, candidate), { format: 'markdown' }).slice(0, maxText)
  },
}

/** The tools that read results. */
export const resultTools: { readonly [name: string]: McpTool } = {
  list_runs: listRuns,
  show_trial: showTrial,
  compare: compareRuns,
}

/** Returns a stored trial by `item` or `item#repetition`. */
async function trialNamed(place: Pick<McpPlace, 'findRun'>, run: string, name: string): Promise<ItemResult> {
  const found = await place.findRun(run)
  const trials = trialsOf(found)
  const named =
    trials.find((trial) => trialText(trial) === name) ??
    trials.find(({ itemId, itemSlug }) => itemId === name || itemSlug === name)
  const [item] = named === undefined ? [] : await itemsOf(found, [named])
  if (item !== undefined) return item
  const known = [...new Set(trials.map(({ itemId }) => itemId))]
  throw usageInvalid('trial', `Run ${found.id} has no trial "${name}".${unknownAmong(name, known)}`)
}

function shownTrial(item: ItemResult, { reveal }: McpPlace): object {
  const { itemId, repetition, verdict, task, startedAt, durationMs, costUsd } = item
  const output = outputOf(item)
  const isHidden = reveal !== 'reasons' && verdict?.aggregated.status === 'fail'
  const said = verdict === null ? 'Not judged.' : isHidden ? feedback('all', verdict, reveal) : explain(verdict)
  return {
    item: itemId,
    repetition,
    outcome: outcomeOf(item),
    task: task.slice(0, maxText),
    judges: said.slice(0, maxText),
    ...(output === undefined ? {} : { output: JSON.stringify(output).slice(0, maxText) }),
    startedAt,
    durationMs,
    costUsd,
  }
}

/** Returns a run as a resource: its figures and the outcome of each trial, without the text of judgments. */
export function runDocument(run: RunResult): object {
  const { id, experimentName, kind, status, variant, startedAt, durationMs, counts, passRate } = run
  const trials = trialsOf(run).map((trial) => ({
    item: trial.itemId,
    repetition: trial.repetition,
    passed: trial.passed,
    scores: trial.scores,
  }))
  return { id, experiment: experimentName, kind, status, variant, startedAt, durationMs, counts, passRate, trials }
}

/**
 * Offers `jurist ratchet try` to an agent that cannot run it, since its sandbox does not hold the state of the ratchet. It runs in a
 * process of its own.
 */
export function ratchetTool(name: string): McpTool {
  return {
    description:
      'Tries the version in a work tree: whether it is kept, by hidden items. Each look at them is counted. The trials of the visible items are in the run that it names: see show_trial.',
    input: inputOf({
      directory: { type: 'string', description: 'The work tree, within your roots. Default: the first root.' },
    }),
    isOpenWorld: true,
    changes: true,
    async run(input, place, signal) {
      const directory = await place.directory(textIn(input, 'directory'))
      const words = [process.argv[1] ?? '', '-C', directory, '--json', 'ratchet', 'try', name, '--wait']
      const child = spawn(process.execPath, words, {
        signal,
        stdio: ['ignore', 'pipe', 'ignore'],
        killSignal: 'SIGTERM',
      })
      child.on('error', () => undefined)
      const answer = parseObject(await text(child.stdout))
      const error = isPlainObject(answer?.error) ? answer.error.message : undefined
      if (answer === undefined || error !== undefined)
        throw ratchetRefused(name, typeof error === 'string' ? error : 'The try ended without an answer.')
      return answer
    },
  }
}

const listJuries: McpTool = {
  description: 'The juries of the config: their names, and whether they call models.',
  input: inputOf({}),
  async run(_, { config }) {
    const { config: loaded, file } = await config()
    const juries = Object.entries(loaded.juries ?? {}).map(([name, jury]) => ({
      name,
      models: modelsUsedBy(jury).map((model) => model.name),
    }))
    return { config: file, juries }
  },
}

const judge: McpTool = {
  description:
    'Judges a directory with a jury of the config: pass, fail, abstain or error, with what failed and where. Changes nothing.',
  input: inputOf(
    {
      jury: { type: 'string', description: 'The name of a jury: see list_juries.' },
      directory: { type: 'string', description: 'The directory to judge, within your roots. Default: the first root.' },
      goal: { type: 'string', description: 'The task, for judges that read it.' },
    },
    ['jury'],
  ),
  isOpenWorld: true,
  async run(input, place, signal) {
    const jury = await juryNamed(place, textIn(input, 'jury') ?? '')
    await using local = localWorkspace(await place.directory(textIn(input, 'directory')))
    const workspace = place.allowCommands ? readOnly(local) : withoutCommands(readOnly(local))
    const goal = textIn(input, 'goal')
    const verdict = await jury.vote(judgmentContext({ workspace, signal, goal }))
    return judgedAnswer(textIn(input, 'jury') ?? '', verdict, place)
  },
}

const explainJudgment: McpTool = {
  description: 'Why a judgment is what it is: its reasoning, checks and evidence.',
  input: inputOf(
    {
      judgmentPath: {
        type: 'string',
        description:
          'A path from the answer of judge, such as judged-1/tests; or of a stored trial: <run>/<item>#<repetition>/<judge>.',
      },
    },
    ['judgmentPath'],
  ),
  async run(input, place) {
    const { verdict, path } = await verdictAt(place, textIn(input, 'judgmentPath') ?? '')
    const judgment = judgmentAt(verdict, path)
    if (judgment === undefined) {
      const known = flatten(verdict).flatMap((row) => (row.path === '' ? [] : [row.path.slice(1)]))
      throw usageInvalid('judgmentPath', `There is no judgment "${path}".${unknownAmong(path, known)}`)
    }
    return explained(judgment, path, verdict, place.reveal)
  },
}

/** The tools that judge. */
export const judgingTools: { readonly [name: string]: McpTool } = {
  list_juries: listJuries,
  judge,
  explain: explainJudgment,
}

async function juryNamed({ config }: McpPlace, name: string): Promise<Jury> {
  const juries = (await config()).config.juries ?? {}
  const found = Object.hasOwn(juries, name) ? juries[name] : undefined
  if (found === undefined) throw usageInvalid('jury', `No jury "${name}" in the config.${juriesInstead(name, juries)}`)
  refuseMissingKeys([{ jury: found }])
  return isJury(found) ? found : juryOf(consensus(), found)
}

/** Wraps a workspace so that no command can run in it. */
function withoutCommands(workspace: Workspace): Workspace {
  return Object.freeze({
    exists: workspace.exists,
    isFile: workspace.isFile,
    read: workspace.read,
    readBytes: workspace.readBytes,
    list: workspace.list,
    root: workspace.root,
    run: async (): Promise<never> => {
      const message = `This judge runs a command, which this server does not. Start it with: ${commandLine('mcp', '--allow-commands')}`
      throw new JuristError('sandbox-unavailable', message, { sandbox: 'none', reason: message })
    },
  })
}

function judgedAnswer(name: string, verdict: Verdict, { judged, reveal }: McpPlace): object {
  const { status, reasoning } = verdict.aggregated
  const kept = judged.keep(verdict)
  const members = flatten(verdict).flatMap(({ path, kind, judgment }) =>
    kind === 'judge' ? [{ judgmentPath: `${kept}${path}`, status: judgment.status }] : [],
  )
  const why =
    status === 'fail' ? feedback(name, verdict, reveal) : status === 'error' ? explain(verdict).slice(0, maxText) : ''
  return {
    status,
    ...(reveal === 'reasons' || status !== 'fail' ? { reasoning } : {}),
    ...(why === '' ? {} : { why }),
    judgments: members,
  }
}

/** Finds a verdict of this server, or of a stored trial, and the rest of the path. */
async function verdictAt(
  place: McpPlace,
  given: string,
): Promise<{ readonly verdict: Verdict; readonly path: string }> {
  const [first = '', ...rest] = given.split('/')
  const own = place.judged.find(first)
  if (own !== undefined) return { verdict: own, path: rest.join('/') }
  const [, item, path = ''] = /^(.+#\d+)(?:\/(.*))?$/s.exec(rest.join('/')) ?? []
  if (item === undefined)
    throw usageInvalid(
      'judgmentPath',
      `"${given}" is not the path of a judgment: use judged-1/tests or run/item#1/tests.`,
    )
  const { verdict } = await trialNamed(place, first, item)
  if (verdict === null) throw usageInvalid('judgmentPath', `The trial ${item} of ${first} was not judged.`)
  return { verdict, path }
}

/** Formats a judgment for a client. If tests are hidden, the client reads no more than from `judge`. */
function explained(judgment: Judgment, path: string, verdict: Verdict, reveal: Reveal): string {
  if (judgment.status !== 'fail' || reveal === 'reasons') {
    // Details are for people: they may contain information that an agent must not have.
    const blocks = evidenceBlocks(evidenceOf(judgment)).filter(({ isDetail }) => !isDetail)
    const texts = blocks.map(({ title, text }) => `${title}\n${safeBlock(text)}`)
    return [explain(judgment), ...texts].join('\n\n').slice(0, maxText)
  }
  return feedback(path === '' ? 'all' : path, verdict, reveal)
}
