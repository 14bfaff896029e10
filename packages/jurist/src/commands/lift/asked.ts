import { access } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Json } from '@jurist/core'
import type { ExperimentOptions, InlineItem } from '@jurist/experiment'
import { openDataset } from '@jurist/experiment/dataset'
import { counted } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { safeLine } from '@jurist/kit/terminal'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import { unknownAmong } from '../../config/problems.js'
import { type Assertion, type Eval, isCall, placeFiles, readEvals, type TriggerQuery } from './evals.js'
import { argumentOf, type Subject } from './subject.js'

/** The judge of one assertion; `null`: only a model could judge it. */
interface AssertionJudge {
  readonly text: string
  readonly by: 'rule' | 'model' | 'nothing'
  readonly judge: Json
  /** Whether it is about following the skill, which only one arm can do. */
  readonly isObedience: boolean
}

const quoted = '(["\'`])((?:(?!\\1).)+)\\1'

const answer = '(?:the )?(?:final )?(?:output|response|answer|reply)'

const path = '(["\'`])([^\\s"\'`]+)\\1'

const maker = '(?:(?:the )?(?:agent|output|it) )?'

type Rule = readonly [sentence: string, judge: (...literals: readonly string[]) => Json]

const not = (judge: Json): Json => ({ type: 'not', judge })

const outputHas = (contains: string): Json => ({ type: 'output-text', contains })

const exists = (file: string): Json => ({ type: 'file-exists', path: file })

/** Sentences that a rule decides: closed, in English. One that fits only in part goes to the model. */
const rules: readonly Rule[] = [
  [`${answer} (?:contains|mentions|includes) ${quoted}`, (_, text = '') => outputHas(text)],
  [`${answer} does not (?:contain|mention|include) ${quoted}`, (_, text = '') => not(outputHas(text))],
  [`${answer} is valid json`, () => ({ type: 'output-json' })],
  [
    `${maker}(?:creates|writes|saves)(?: a| the)?(?: file)?(?: called| named| at| to)? ${path}`,
    (_, file = '') => exists(file),
  ],
  [`(?:the )?(?:file )?${path} exists`, (_, file = '') => exists(file)],
  [`${maker}does not create(?: a| the)?(?: file)?(?: called| named| at)? ${path}`, (_, file = '') => not(exists(file))],
  [
    `(?:the )?(?:file )?${path} (?:contains|includes) ${quoted.replaceAll('\\1', '\\3')}`,
    (_, file = '', __, text = '') => ({ type: 'file-content', path: file, contains: text }),
  ],
]

const compiled = rules.map(([sentence, judge]) => [new RegExp(`^${sentence}\\.?$`, 'i'), judge] as const)

/** The judges of an eval, by rule where a rule fits, else by the model. */
function judgesOf(
  { assertions, expected }: Eval,
  subject: Subject,
  model: string | undefined,
): readonly AssertionJudge[] {
  const byModel = (text: string, judge: Json): Pick<AssertionJudge, 'by' | 'judge' | 'text'> =>
    model === undefined ? { text, by: 'nothing', judge: null } : { text, by: 'model', judge }
  if (assertions.length === 0 && expected !== null)
    return [{ ...byModel(`as expected: ${expected}`, { type: 'correctness', model: model ?? '' }), isObedience: false }]
  return assertions.map((assertion) => {
    const ruled = assertion.check ?? ruleFor(assertion)
    const judged: Pick<AssertionJudge, 'by' | 'judge' | 'text'> =
      ruled === undefined
        ? byModel(assertion.text, { type: 'criteria', criterion: assertion.text, model: model ?? '' })
        : { text: assertion.text, by: 'rule', judge: ruled }
    return { ...judged, isObedience: namesSubject(assertion.text, subject) }
  })
}

function ruleFor({ text }: Assertion): Json | undefined {
  for (const [sentence, judge] of compiled) {
    const found = sentence.exec(text)
    if (found !== null) return judge(...found.slice(1))
  }
  return undefined
}

/** The bare name does not count: a skill may be called "pdf". */
function namesSubject(text: string, { kind, name, files, signs }: Subject): boolean {
  const words = {
    skill: [`${name} skill`, `skill ${name}`, 'SKILL.md', ...files.filter((file) => file.includes('/'))],
    file: files,
    mcp: signs,
    plugin: [`${name} plugin`, `plugin ${name}`, `${name}:`],
  }[kind]
  return words.some((word) => text.toLowerCase().includes(word.toLowerCase()))
}

/** The flags that choose what is asked. */
export interface Asking {
  readonly evals: string | undefined
  readonly dataset: string | undefined
  readonly triggers: boolean
  readonly noTriggers: boolean
  readonly judgeModel: string | undefined
  readonly countObedience: boolean
  readonly item: readonly string[]
}

export interface Asked {
  /** `null`: no tasks, or those of a dataset. */
  readonly judged: readonly JudgedEval[] | null
  readonly queries: readonly TriggerQuery[]
}

/**
 * Reads the evals and the trigger queries.
 *
 * @throws `usage-invalid` when there is nothing to ask
 */
export async function readAsked(host: Host, subject: Subject, asking: Asking): Promise<Asked> {
  const { kind, name } = subject
  if (asking.dataset !== undefined) return { judged: null, queries: [] }
  const { evals, ownFiles, unknown, ...found } = await readEvals(subject, asking.evals, host.cwd)
  if (unknown.length > 0) host.note(`Fields of the evals that are not used: ${unknown.map(safeLine).join(', ')}.`)
  if (ownFiles.length > 0) host.note(`Not copied, since the ${kind} brings them: ${ownFiles.map(safeLine).join(', ')}.`)
  // Instructions are always read: they do not fire.
  const queries = asking.noTriggers || kind === 'file' ? [] : found.queries
  if (asking.triggers && queries.length === 0)
    throw usageInvalid('--triggers', `${name} has no trigger queries. Write evals/trigger-evals.json.`)
  if (!asking.triggers && evals.length === 0)
    throw usageInvalid(
      argumentOf[kind],
      `There is no evals/evals.json beside ${name}. Write {"evals": [{"prompt": "…", "assertions": ["…"]}]}, or name --evals or --dataset.`,
    )
  const ids = evals.map(({ id }) => id)
  const unknownItem = asking.item.find((id) => !ids.includes(id))
  if (unknownItem !== undefined)
    throw usageInvalid('--item', `There is no eval "${unknownItem}".${unknownAmong(unknownItem, ids)}`)
  const chosen = evals.filter(({ id }) => asking.item.length === 0 || asking.item.includes(id))
  const judged = chosen.map((one) => ({ eval: one, judges: judgesOf(one, subject, asking.judgeModel) }))
  return { judged: asking.triggers ? null : judged, queries }
}

/** The tasks of both arms. */
export interface Tasks extends Pick<ExperimentOptions, 'dataset' | 'filter'> {
  /** How many. */
  readonly planned: number
}

/** @throws `usage-invalid` for a task that nothing can judge */
export async function tasksOf(
  host: Host,
  results: Results,
  subject: Subject,
  { judged }: Asked,
  { dataset, item, countObedience }: Asking,
): Promise<Tasks | null> {
  if (dataset !== undefined) return ownTasks(resolve(host.cwd, dataset), dataset, item)
  if (judged === null) return null
  const items = await itemsOf(host, results, subject, judged, countObedience)
  return { dataset: items, planned: items.length }
}

async function ownTasks(path: string, given: string, ids: readonly string[]): Promise<Tasks> {
  await access(path).catch(() => {
    throw usageInvalid('--dataset', `${given} is missing. Name a dataset.`)
  })
  const filter = ids.length === 0 ? undefined : { id: ids }
  const bare: string[] = []
  let planned = 0
  for await (const { id, judges } of (await openDataset(path)).items(filter)) {
    planned += 1
    if (judges === null) bare.push(id)
  }
  if (bare.length > 0)
    throw usageInvalid('--dataset', `Items without judges: ${bare.slice(0, 10).join(', ')}. Add "judges" to them.`)
  if (planned === 0) throw usageInvalid('--item', `${given} has no such item. Correct --item.`)
  return { dataset: path, planned, ...(filter === undefined ? {} : { filter }) }
}

interface JudgedEval {
  readonly eval: Eval
  readonly judges: readonly AssertionJudge[]
}

/** Prints what judges each assertion. */
export function explain(host: Host, judged: readonly JudgedEval[]): 0 {
  const rows = judged.flatMap(({ eval: { id }, judges }) => judges.map((one) => ({ eval: id, ...one })))
  if (host.flags.json === true) host.json({ assertions: rows })
  else
    for (const { eval: id, text: sentence, by, judge, isObedience } of rows)
      host.terminal.out(
        `${safeLine(id)}  ${by}${isObedience ? ', obedience' : ''}  ${safeLine(sentence)}${by === 'rule' ? `\n    ${safeLine(JSON.stringify(judge))}` : ''}\n`,
      )
  return 0
}

/**
 * The evals that can be asked of both arms and judged, as items.
 *
 * @throws `usage-invalid` without such an eval
 */
async function itemsOf(
  host: Host,
  { directory = join(tmpdir(), 'jurist') }: Results,
  subject: Subject,
  judged: readonly JudgedEval[],
  countsObedience: boolean,
): Promise<readonly InlineItem[]> {
  const { kind, name, hash } = subject
  const items: InlineItem[] = []
  let [called, named, unjudged, sentences, used, obedience] = [0, 0, 0, 0, 0, 0]
  for (const { eval: one, judges } of judged) {
    sentences += judges.length
    obedience += judges.filter(({ isObedience }) => isObedience).length
    const counting = judges.filter(({ judge, isObedience }) => judge !== null && (countsObedience || !isObedience))
    if (kind === 'skill' && isCall(one.prompt, name)) called += 1
    else if (counting.length === 0) unjudged += 1
    else {
      if (kind === 'skill' && one.prompt.toLowerCase().includes(name.toLowerCase())) named += 1
      used += counting.length
      const place = join(directory, '.lift', `${name}-${hash.slice(0, 12)}`, one.id)
      const hasFiles = Object.keys(one.files).length > 0
      if (hasFiles) await placeFiles(one, place)
      const members = counting.map(({ judge }, index): [string, Json] => [`assertion-${index + 1}`, judge])
      items.push({
        id: one.id,
        task: one.prompt,
        judges: Object.fromEntries(members),
        metadata: { assertions: counting.map(({ text: sentence }) => sentence) },
        ...(hasFiles ? { before: place } : {}),
        ...(one.expected === null ? {} : { expectedOutput: one.expected }),
      })
    }
  }
  host.note(
    `${counted(items.length, 'eval')} of ${judged.length}, ${used} of ${counted(sentences, 'assertion')} judged.`,
  )
  const left = (count: number, noun: string, why: string) => {
    if (count > 0) host.note(`Left out, since ${why}: ${counted(count, noun)}.`)
  }
  if (!countsObedience) left(obedience, 'assertion', `only one arm can follow the ${kind} (--count-obedience)`)
  left(called, 'eval', 'the arm without the skill cannot be asked to call it')
  left(unjudged, 'eval', 'nothing in it can be judged (a model judges sentences: --judge-model <name>)')
  if (named > 0) host.note(`${counted(named, 'prompt')} named ${name}: the arm without it may look for it.`)
  if (items.length === 0)
    throw usageInvalid(argumentOf[kind], `No eval of ${name} can be judged. Add assertions, or --judge-model <name>.`)
  return items
}
