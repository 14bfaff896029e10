import { unifiedDiff } from '@jurist/kit/text-diff'
import type { JudgmentContext } from '../../context.js'
import type { Judge } from '../../judge.js'
import { abstain, fail, type Judgment, scored } from '../../judgment.js'
import type { Check } from '../../judgment-record.js'
import { described, option } from '../../options.js'
import { meets } from '../../score.js'
import { maxReadBytes, type Workspace } from '../../workspace.js'
import { passFail } from '../classifiers/labels.js'
import { defaultMaxChars, shortened } from '../fence.js'
import type { RenderedPrompt } from '../model.js'
import { type Conclusion, modelCalls } from '../model-calls.js'
import { verifyLines } from './correctness.js'
import { checkModelBase, describeModelJudge, type ModelBase, modelled, nonBlankTexts } from './model-base.js'
import { lineAnswer, type Prompted, promptedBy, reasonsFirst } from './prompted.js'

const maxFileChars = 20_000

/** The changes as a string for a model, with counts of what it leaves out. */
interface ShownChanges {
  /** `''` when no file differs. */
  readonly text: string
  /** Characters of changed files, and of the list of files, that are not shown. */
  readonly charsLeftOut: number
  /** Changed files whose content is not shown: below a `node_modules` without packages, not text, too large. */
  readonly filesLeftOut: number
}

interface Change {
  readonly head: string
  readonly body: string
  readonly charsLeftOut: number
  readonly isShown: boolean
}

/** Absent bytes: the file is too large to read. */
interface File {
  readonly sizeBytes: number
  readonly bytes?: Uint8Array
}

type Sizes = ReadonlyMap<string, number>

/**
 * First lists the files added, removed and changed, then shows the lines of each: at most 20,000 characters per file
 * and 100,000 in all. Files that are not text, or too large to read, show only their size. `.git` and `node_modules`
 * are left out, at any depth.
 */
async function shownChanges(before: Workspace, after: Workspace, signal: AbortSignal): Promise<ShownChanges> {
  const [old, fresh] = [await sizesOf(before, signal), await sizesOf(after, signal)]
  const paths = [...new Set([...old.keys(), ...fresh.keys()])].sort()
  const changes: Change[] = []
  let hidden = 0
  let roomLeft = defaultMaxChars
  for (const path of paths) {
    signal.throwIfAborted()
    const place = placeOf(path, old)
    if (place === 'installed') continue
    const change = changeOf(path, await fileOf(before, path, old), await fileOf(after, path, fresh))
    if (change === undefined) continue
    if (place === 'hidden') hidden += 1
    else {
      const shown = withinRoom(change, roomLeft)
      changes.push(shown)
      roomLeft = Math.max(0, roomLeft - shown.body.length - 2 * shown.head.length)
    }
  }
  return { ...asText(changes), filesLeftOut: hidden + changes.filter(({ isShown }) => !isShown).length }
}

export async function workspaceChanges(before: Workspace, after: Workspace, signal: AbortSignal): Promise<string> {
  return (await shownChanges(before, after, signal)).text
}

function asText(changes: readonly Change[]): Pick<ShownChanges, 'text' | 'charsLeftOut'> {
  if (changes.length === 0) return { text: '', charsLeftOut: 0 }
  const list = changes.map(({ head }) => head).join('\n')
  const heads = shortened(list, defaultMaxChars / 2)
  const bodies = changes.filter(({ body }) => body !== '').map(({ head, body }) => `\n${head}\n${body}`)
  const whole = [heads, ...bodies].join('\n')
  const text = shortened(whole)
  const cut = list.length - heads.length + (whole.length - text.length)
  return { text, charsLeftOut: changes.reduce((sum, { charsLeftOut }) => sum + charsLeftOut, Math.max(0, cut)) }
}

/** Keeps only as much of a change as will be shown, because there may be many. */
function withinRoom(change: Change, room: number): Change {
  if (change.body.length <= room) return change
  return { ...change, body: '', charsLeftOut: change.charsLeftOut + change.body.length }
}

async function sizesOf(workspace: Workspace, signal: AbortSignal): Promise<Sizes> {
  const sizes = new Map<string, number>()
  for await (const { path, type, sizeBytes } of workspace.list({ signal }))
    if (type === 'file') sizes.set(path, sizeBytes)
  return sizes
}

/**
 * Installed packages are not the agent's work: the directories of the root, and a `node_modules` next to a
 * `package.json` that was there before. `hidden` is in a directory that only has that name.
 */
function placeOf(path: string, old: Sizes): 'installed' | 'hidden' | 'elsewhere' {
  const segments = path.split('/')
  const index = segments.findIndex((segment) => segment === '.git' || segment === 'node_modules')
  if (index < 0) return 'elsewhere'
  const project = [...segments.slice(0, index), 'package.json'].join('/')
  const isPackage = segments[index] === 'node_modules' && old.has(project)
  return index === 0 || isPackage ? 'installed' : 'hidden'
}

async function fileOf(workspace: Workspace, path: string, sizes: Sizes): Promise<File | undefined> {
  const sizeBytes = sizes.get(path)
  if (sizeBytes === undefined) return undefined
  return sizeBytes > maxReadBytes ? { sizeBytes } : { sizeBytes, bytes: await workspace.readBytes(path) }
}

function changeOf(path: string, old: File | undefined, fresh: File | undefined): Change | undefined {
  const kind = kindOf(old, fresh)
  if (kind === 'same') return undefined
  // A name with a line break must not look like two names.
  const name = /\p{Cc}/u.test(path) ? JSON.stringify(path) : path
  return { head: `${kind} ${name}`, ...bodyOf(path, old, fresh) }
}

function kindOf(old: File | undefined, fresh: File | undefined) {
  if (old === undefined) return 'added'
  if (fresh === undefined) return 'removed'
  if (old.sizeBytes !== fresh.sizeBytes) return 'changed'
  if (old.bytes === undefined || fresh.bytes === undefined) return 'not compared'
  return isSame(old.bytes, fresh.bytes) ? 'same' : 'changed'
}

function isSame(old: Uint8Array, fresh: Uint8Array): boolean {
  return old.length === fresh.length && old.every((byte, index) => byte === fresh[index])
}

/** Pictures, fonts, sound and film cannot be executed. */
const media = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|woff2?|ttf|otf|eot|mp3|mp4|m4a|wav|ogg|webm|mov|pdf)$/i

function bodyOf(path: string, old: File | undefined, fresh: File | undefined): Omit<Change, 'head'> {
  const [before, after] = [textOf(old), textOf(fresh)]
  if (before !== undefined && after !== undefined) {
    const whole = unifiedDiff(before, after).join('\n')
    const body = shortened(whole, maxFileChars)
    return { body, charsLeftOut: body === whole ? 0 : whole.length - maxFileChars, isShown: true }
  }
  const sizes = [old, fresh].flatMap((file) => (file === undefined ? [] : [`${file.sizeBytes} bytes`]))
  const body = `(no text that can be shown: ${sizes.join(', then ')})`
  return { body, charsLeftOut: 0, isShown: fresh === undefined || media.test(path) }
}

/** Empty for a missing file, `undefined` for a file that is not text. */
function textOf(file: File | undefined): string | undefined {
  if (file === undefined) return ''
  if (file.bytes === undefined || file.bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file.bytes)
  } catch {
    return undefined
  }
}

const passOrFail = passFail('PASS', 'FAIL')

/**
 * Asks a model, for each criterion, whether the changes in the workspace since `context.before` (or else
 * `context.reference`) satisfy it. There is one call for each criterion, in parallel; each shows the files added,
 * removed and changed with their lines, 100,000 characters in all. Criteria are those given, or else the `VERIFY:`
 * lines of `plan`, or else those of the string `metadata.plan`. Abstains without criteria and without anything to
 * compare with. Also abstains when unreadable answers, criteria that were not asked, or changes that were not shown
 * might turn a pass into a fail.
 *
 * @param options `maxCriteria` default 20; `threshold` for the share of all criteria that hold, default 1
 * @returns a judge; a check for each criterion, metadata `criteriaTotal` (asked), `criteriaRead`, `criteriaPassed`;
 * `criteriaLeftOut` where there were more than the limit, `charsLeftOut` where the changes were longer than the limit,
 * `filesLeftOut` where changed files were not shown: not text, too large, or below a `node_modules` that is not an
 * installation
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { semanticDiff } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: PASS')
 * semanticDiff({ model, criteria: ['Every caller of the old function was moved to the new one.'] })
 */
export function semanticDiff(
  options: ModelBase & {
    readonly criteria?: readonly string[]
    readonly plan?: string
    readonly maxCriteria?: number
    readonly threshold?: number
  },
): Judge {
  const given = checkModelBase('semanticDiff', options, rules)
  const { name = 'semanticDiff', maxCriteria = 20, threshold = 1 } = given
  const { ask, conclude } = modelCalls({ ...given, name })
  const prompted = promptedBy('semanticDiff', given, shape)
  const judge: Judge = async (context) => {
    const all = given.criteria ?? planned(given.plan, context)
    const criteria = all.slice(0, maxCriteria)
    if (criteria.length === 0) return abstain('there is no criterion: give "criteria", or a plan with VERIFY: lines')
    const base = context.before ?? context.reference
    if (base === undefined)
      return abstain('there is no workspace to compare with: give the context "before" or "reference"')
    const changes = await shownChanges(base, context.workspace, context.signal)
    const questions = criteria.map((criterion) => ({
      prompt: changePrompt(context, criterion, changes.text, prompted),
      read: passOrFail,
    }))
    const asked = await Promise.all(questions.map((question) => ask(question, context)))
    return conclude(context, asked, (read) => {
      const answers = read.map(({ judgment }) => judgment)
      return judgmentOf({ criteria: all, answers, changes, threshold })
    })
  }
  return modelled(judge, { ...given, name })
}

const rules = {
  criteria: described(nonBlankTexts, 'What the changes must satisfy, a sentence each. Default: the lines of the plan.'),
  plan: described(option.string, 'A plan whose VERIFY: lines are the criteria. Default: metadata.plan.'),
  maxCriteria: described(option.integer(1), 'The maximum number of criteria to ask.', 20),
  threshold: described(option.rate, 'The share of the criteria that must hold.', 1),
}

describeModelJudge(semanticDiff, 'a model says that the changes in the workspace satisfy the criteria', rules)

const shape = {
  data: ['goal', 'changes', 'criterion'],
  needed: ['changes', 'criterion'],
  example: { input: 'criterion', output: 'changes' },
  ...lineAnswer({ pass: 'Answer: PASS', fail: 'Answer: FAIL' }),
}

function planned(plan: string | undefined, { metadata }: JudgmentContext): readonly string[] {
  const text = plan ?? (Object.hasOwn(metadata, 'plan') ? metadata['plan'] : undefined)
  return typeof text === 'string' ? verifyLines(text) : []
}

/** The criterion is fenced too: a plan may be the work of an agent. */
function changePrompt(
  { goal, before }: JudgmentContext,
  criterion: string,
  changes: string,
  prompted: Prompted,
): RenderedPrompt {
  const from = before === undefined ? 'what is known to be right' : 'what the agent began with'
  const shown =
    changes === ''
      ? 'No file was added, removed or changed.'
      : 'A list of the files comes first, then each with its lines: "-" was taken away, "+" was added.'
  return prompted({
    ask: `Do the changes satisfy the criterion? The changes lead from ${from} to what the agent left. ${shown}`,
    data: {
      goal: goal.trim() === '' ? undefined : goal,
      changes: changes === '' ? undefined : changes,
      criterion,
    },
    answer: `${reasonsFirst}: "Answer: PASS" when the criterion is satisfied, "Answer: FAIL" when it is not.`,
  })
}

interface Answers {
  /** All criteria, including those beyond the limit, which were not asked. */
  readonly criteria: readonly string[]
  readonly answers: readonly Judgment[]
  readonly changes: ShownChanges
  readonly threshold: number
}

/** A pass and a fail must hold whatever the missing answers would be. */
function judgmentOf({ criteria, answers, changes, threshold }: Answers): Conclusion {
  const count = (status: Judgment['status']) => answers.filter((answer) => answer.status === status).length
  const [passed, failed] = [count('pass'), count('fail')]
  const checks = criteria.map((criterion, index) => checkOf(answers[index], criterion))
  const { charsLeftOut, filesLeftOut } = changes
  const leftOut = { criteriaLeftOut: criteria.length - answers.length, charsLeftOut, filesLeftOut }
  const counts = { criteriaTotal: answers.length, criteriaRead: passed + failed, criteriaPassed: passed }
  const metadata = { ...counts, ...Object.fromEntries(Object.entries(leftOut).filter(([, some]) => some > 0)) }
  const isPass = meets(passed / criteria.length, threshold)
  const isFail = !meets((criteria.length - failed) / criteria.length, threshold)
  const isUnseen = charsLeftOut > 0 || filesLeftOut > 0
  if (isFail || (isPass && !isUnseen)) {
    const reasoning = `${passed} of ${criteria.length} criteria hold`
    const score = isFail ? passed / Math.max(1, passed + failed) : passed / criteria.length
    const verdict = { passingAt: threshold, reasoning, checks, metadata }
    return { judgment: isFail ? fail(reasoning, { score, checks, metadata }) : scored(score, verdict), isOpen: false }
  }
  const unread = passed + failed < answers.length ? { unread: 'none' } : {}
  const reasoning = whyUndecided({ ...leftOut, answersUnread: answers.length - passed - failed, passed, failed })
  return { judgment: abstain(reasoning, { checks, metadata: { ...metadata, ...unread } }), isOpen: !isPass }
}

function whyUndecided(counts: { readonly [what: string]: number }): string {
  const { criteriaLeftOut = 0, charsLeftOut = 0, filesLeftOut = 0, answersUnread = 0, passed = 0, failed = 0 } = counts
  if (passed + failed === 0) return 'no answer could be read'
  const parts = [
    answersUnread > 0 ? `${answersUnread} answers could not be read` : '',
    criteriaLeftOut > 0 ? `${criteriaLeftOut} criteria were not asked: raise "maxCriteria"` : '',
    charsLeftOut > 0 ? `${charsLeftOut} characters of the changes were not shown` : '',
    filesLeftOut > 0 ? `${filesLeftOut} changed files were not shown` : '',
  ]
  return `${passed} criteria hold, but ${parts.filter((part) => part !== '').join(', ')}`
}

function checkOf(answer: Judgment | undefined, criterion: string): Check {
  if (answer === undefined) return { name: criterion, passed: false, message: 'not asked' }
  const decided = answer.status === 'pass' || answer.status === 'fail'
  return { name: criterion, passed: answer.status === 'pass', message: decided ? answer.reasoning : 'not decided' }
}
