import {
  consensus,
  explain,
  flatten,
  type Judgment,
  JuristError,
  type Jury,
  judgmentContext,
  juryOf,
  type Verdict,
  type Workspace,
} from '@jurist/core'
import { isJury, modelsUsedBy } from '@jurist/core/internal'
import { refuseMissingKeys } from '@jurist/experiment/internal/config'
import { evidenceBlocks, evidenceOf } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { safeBlock } from '@jurist/kit/terminal'
import { localWorkspace } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'
import { juriesInstead, unknownAmong } from '../../config/problems.js'
import { feedback, type Reveal } from '../hook/feedback.js'
import { inputOf, judgmentAt, type McpPlace, type McpTool, textIn } from './mcp-tool.js'
import { trialNamed } from './result-tools.js'

const maxText = 20_000

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
