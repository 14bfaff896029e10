import { dirname } from 'node:path'
import { flatten, type Judge, JuristError, type Jury, type Verdict } from '@jurist/core'
import { failureOf, modelsUsedBy } from '@jurist/core/internal'
import { refuseMissingKeys } from '@jurist/experiment/internal/config'
import { newRunId } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import type { ScanFinding } from '@jurist/experiment/scan'
import type { ResultStore } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import type { LoadedConfig } from '../../config/load-config.js'
import { juriesInstead } from '../../config/problems.js'
import { unacceptedConfig } from './accepted-config.js'
import { type Client, type Decision, formOf, type Moment } from './clients.js'
import { feedback, type Reveal } from './feedback.js'
import type { HookEvent } from './hook-session.js'
import {
  type HookSession,
  judgeSession,
  keepJudgment,
  keepSession,
  type Pin,
  readSession,
  sweepSessions,
} from './hook-session.js'
import { loadPinned, type PinnedConfig, pinConfig } from './pinned-config.js'

/** An event of a session, and the settings for judging it. */
export interface HookRequest {
  readonly moment: Moment
  readonly event: HookEvent
  /** The name of a jury of the config. */
  readonly jury: string
  readonly maxBlocks: number
  readonly timeoutMs: number
  /** Default: `names` if the config adds hidden tests to the workspace, otherwise `reasons`. */
  readonly reveal: Reveal | undefined
  readonly goal: string | undefined
  readonly inPlace: boolean
  /** Whether the user reads of claims that the session does not support. */
  readonly claims: boolean
  /** The working directory of the command, and the config that it names. */
  readonly cwd: string
  readonly config: string | undefined
  readonly signal: AbortSignal
  /** Opens the store of a config, whose paths are relative to a directory. */
  readonly openStore: (loaded: LoadedConfig) => Promise<ResultStore>
}

/** The answer of a hook, with information for its user. */
export interface HookAnswer {
  readonly decision: Decision
  /** The reason why there is no verdict; the agent may stop. */
  readonly broken?: string
  readonly warnings: readonly string[]
}

const nothing: HookAnswer = { decision: { kind: 'allow' }, warnings: [] }

/**
 * Returns the answer for a coding agent to an event. Only a failing jury blocks, at most `maxBlocks` times in a row.
 *
 * @throws the error that makes judging impossible, such as `config-invalid`; the caller must not block in this case
 */
export async function answerEvent(request: HookRequest): Promise<HookAnswer> {
  const { moment, event } = request
  if (moment === 'start') return begun(request)
  const session = await sessionOf(request)
  const { directory } = session
  if (event.isBroken) return nothing
  if (session.pin === null) {
    const answer = noticing(nothing, await unacceptedConfig(session))
    return { ...answer, warnings: [...answer.warnings, withoutConfig(request)] }
  }
  const pinned = await loadPinned(session.pin)
  const jury = juryNamed(request, pinned.loaded)
  const { pin } = session
  const result = await judgeSession({ ...request, moment, pin, name: request.jury, jury })
  const [item] = result.items
  const verdict = item?.verdict ?? undefined
  const warnings = warningsOf(event.client, pin, pinned)
  const outcome = decided(request, session, verdict, pinned)
  const counted = { ...session, blocks: outcome.blocks }
  await keepSession(event, counted)
  const kept = await keep(request, counted, result, outcome.decision, pinned.loaded)
  const status = verdict?.aggregated.status ?? 'error'
  const answer = {
    decision: withWarnings(outcome.decision, warnings),
    ...(status === 'error' ? { broken: `The jury "${request.jury}" decides nothing: ${whyBroken(item)}.` } : {}),
    warnings: [...warnings, ...kept],
  }
  const noticed = noticing(answer, await unacceptedConfig({ directory, pin, loaded: pinned.files }))
  return request.claims && moment === 'stop' ? noticing(noticed, await claimsNotice(request)) : noticed
}

/** Handles the start of a session. Nothing is judged yet, but the user receives warnings before the agent works. */
async function begun(request: HookRequest): Promise<HookAnswer> {
  try {
    return noticing(nothing, await unacceptedConfig(await sessionOf(request)))
  } catch (thrown) {
    if (!(thrown instanceof JuristError)) throw thrown
    return noticing(nothing, `This session will not be judged: ${thrown.message}`)
  }
}

/** Adds a notice for the user, which the agent does not receive. */
function noticing(answer: HookAnswer, notice: string | undefined): HookAnswer {
  if (notice === undefined) return answer
  const { decision, warnings } = answer
  const note = decision.note === undefined ? notice : `${notice}\n${decision.note}`
  return { ...answer, decision: { ...decision, note }, warnings: [...warnings, notice] }
}

/** Says what the last message claims without evidence. The agent never reads it, and it decides nothing. */
async function claimsNotice({ event, cwd }: HookRequest): Promise<string | undefined> {
  const { transcript, message } = event
  if (transcript === undefined) return 'The claims were not compared: the agent names no file of its session.'
  try {
    const { claimsIn } = await import('../scan/scanned-traces.js')
    const found = await claimsIn(transcript, { cwd, message })
    return found.length === 0 ? undefined : found.map(claimText).join('\n')
  } catch (thrown) {
    return `The claims were not compared: ${failureOf(thrown).message}`
  }
}

const claimWords: { readonly [rule: string]: string } = {
  'claimed-not-run': 'no such check ran after the last edit',
  'claimed-despite-failure': 'the last such check failed',
  'claimed-count': 'the last report has another count',
  'claimed-change': 'the session did not change that file',
  'claimed-done': 'added lines are unfinished',
}

function claimText({ rule, evidence }: ScanFinding): string {
  return `Claim without evidence (${rule}): "${evidence}", but ${claimWords[rule] ?? 'the session does not show it'}.`
}

/** Summarizes the errors of the judges. */
function whyBroken(item: ItemResult | undefined): string {
  const rows = item?.verdict == null ? [] : flatten(item.verdict)
  const broken = rows.filter(({ kind, judgment }) => kind === 'judge' && judgment.status === 'error')
  if (broken.length === 0) return item?.failure?.message.replace(/\.$/, '') ?? 'nothing was judged'
  return broken.map(({ path, judgment }) => `${path.slice(1)}: ${judgment.reasoning.replace(/\.$/, '')}`).join('; ')
}

/** Returns the session of an event. A session without a config gets the current one, if it exists. */
async function sessionOf(request: HookRequest): Promise<HookSession> {
  const { moment, event, config } = request
  const known = await readSession(event)
  if (known !== undefined && known.pin !== null) return known
  await sweepSessions()
  const isLate = known !== undefined || moment !== 'start'
  const directory = known?.directory ?? directoryOf(request)
  const pin = await pinConfig({ cwd: directory, config, session: event.session, isLate })
  const session: HookSession = { session: event.session, runId: known?.runId ?? newRunId(), directory, pin, blocks: 0 }
  await keepSession(event, session)
  return session
}

/** Returns the directory of a session. The agent may currently work in a subdirectory. */
function directoryOf({ event, cwd }: HookRequest): string {
  const { projectVariable } = formOf(event.client)
  return (projectVariable === undefined ? undefined : process.env[projectVariable]) || (event.cwd ?? cwd)
}

function withoutConfig(request: HookRequest): string {
  const { client } = request.event
  return `Nothing was judged: no jurist.config file in ${directoryOf(request)} or above. Make one there: ${commandLine('hook', 'install', client)}`
}

function juryNamed({ jury: name, moment }: HookRequest, { config, directory }: LoadedConfig): Jury | Judge {
  const juries = config.juries ?? {}
  const found = Object.hasOwn(juries, name) ? juries[name] : undefined
  if (found === undefined)
    throw usageInvalid('--jury', `No jury "${name}" in ${directory}.${juriesInstead(name, juries)}`)
  if (moment === 'edit' && modelsUsedBy(found).length > 0)
    throw usageInvalid(
      '--jury',
      `The jury "${name}" calls models, which is too slow after each edit. Name another jury.`,
    )
  refuseMissingKeys([{ jury: found }])
  return found
}

interface Outcome {
  readonly decision: Decision
  /** The number of blocks in a row, including this one. */
  readonly blocks: number
}

function decided(
  request: HookRequest,
  session: HookSession,
  verdict: Verdict | undefined,
  pinned: PinnedConfig,
): Outcome {
  const { moment, event, jury, maxBlocks, reveal = pinned.hidesTests ? 'names' : 'reasons' } = request
  const blocks = event.isContinued === false ? 0 : session.blocks
  const status = verdict?.aggregated.status ?? 'error'
  if (verdict === undefined || status !== 'fail') {
    const note = `The jury "${jury}" decides nothing: ${verdict?.aggregated.reasoning}`
    const decision: Decision = status === 'abstain' ? { kind: 'allow', note } : { kind: 'allow' }
    return { decision, blocks: moment === 'stop' && status === 'pass' ? 0 : blocks }
  }
  const reason = feedback(jury, verdict, reveal)
  // After an edit, the agent continues to work in any case.
  if (moment === 'edit') return { decision: { kind: 'block', reason }, blocks: session.blocks }
  if (blocks < maxBlocks) return { decision: { kind: 'block', reason }, blocks: blocks + 1 }
  const note = `The agent was sent back ${maxBlocks} times and may stop now.`
  return { decision: { kind: 'allow', note: `${note} ${reason}` }, blocks }
}

function warningsOf(client: Client, { commit, isLate, tree }: Pin, { changed }: PinnedConfig): readonly string[] {
  const origin = commit === null ? 'from the start of the session' : `of commit ${commit.slice(0, 12)}`
  return [
    ...(changed.length === 0 ? [] : [`${changed.join(', ')} changed in this session; the version ${origin} judges.`]),
    // A config outside the project is not copied.
    ...(isLate && tree !== null ? [`The session had begun before its config was copied. ${lateRemedy(client)}`] : []),
  ]
}

function lateRemedy(client: Client): string {
  return `Begin a new session; if that does not help, install the hook again: ${commandLine('hook', 'install', client)}`
}

function withWarnings(decision: Decision, warnings: readonly string[]): Decision {
  if (warnings.length === 0) return decision
  if (decision.kind === 'block') return { ...decision, reason: [decision.reason, ...warnings].join('\n') }
  return { ...decision, note: [...(decision.note === undefined ? [] : [decision.note]), ...warnings].join('\n') }
}

/** Stores the judgment. A failing store causes a warning, since it must not open the gate. */
async function keep(
  { openStore }: HookRequest,
  session: HookSession,
  result: ExperimentResult,
  decision: Decision,
  loaded: LoadedConfig,
): Promise<readonly string[]> {
  try {
    // The results are next to the config of the user, not next to its copy.
    const directory = dirname(session.pin?.original ?? loaded.file)
    await keepJudgment(await openStore({ ...loaded, directory }), session, result, decision)
    return []
  } catch (thrown) {
    return [`The judgment is not in the results: ${failureOf(thrown).message}`]
  }
}
