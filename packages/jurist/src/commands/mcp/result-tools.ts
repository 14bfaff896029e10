import { explain } from '@jurist/core'
import { compare } from '@jurist/experiment/compare'
import { itemsOf, outputOf, runKinds, trialsOf, trialText } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { comparisonReport } from '@jurist/experiment/report'
import { type ItemResult, outcomeOf, type RunResult } from '@jurist/experiment/result'
import { unknownAmong } from '../../config/problems.js'
import { feedback } from '../hook/feedback.js'
import { inputOf, type McpPlace, type McpTool, textIn } from './mcp-tool.js'

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
export async function trialNamed(place: Pick<McpPlace, 'findRun'>, run: string, name: string): Promise<ItemResult> {
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
