import { consensus, infoOf, type Judge, type Jury, jury, juryOf, type Vote } from '@jurist/core'
import { isJury, isPlainObject, type Place, printed } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import type { ExperimentOptions } from '@jurist/experiment'
import type { Plugin } from '@jurist/experiment/plugin'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import type { Reading } from './parts.js'

/** The parts that the descriptions of items may refer to. */
export interface DescribedJudgesOptions {
  /** For `judges: NAME` and `{use: NAME}`. Default: none. */
  readonly juries?: Readonly<Record<string, Jury | Judge>>
  /** For model judges. Default: none. */
  readonly models?: Readonly<Record<string, JudgeModel>>
  /** For `vote: {use: NAME}`. Default: none. */
  readonly votes?: Readonly<Record<string, Vote>>
  /** For judges by their `type`. Default: none. */
  readonly plugins?: readonly Plugin[]
}

/**
 * Builds judges from the descriptions in the items of a dataset, which have the same form as in a YAML config. It is
 * for experiments that a program runs; the command does the same for the experiments of a config, with the juries,
 * models and votes of that config.
 *
 * @example
 * import { completed, describedJudges, outputText, runExperiment } from 'jurist'
 *
 * const run = runExperiment({
 *   name: 'capitals',
 *   dataset: 'capitals.jsonl', // {"task": "Capital of France?", "judges": [{"type": "output-text", "contains": "Paris"}]}
 *   agent: async () => completed('Paris'),
 *   describedJudges: describedJudges({ juries: { short: outputText({ contains: "P" }) } }),
 * })
 */
export function describedJudges(
  options: DescribedJudgesOptions = {},
): NonNullable<ExperimentOptions['describedJudges']> {
  const { juries = {}, models = {}, votes = {}, plugins = [] } = options
  return async function describedJudges(judges, { directory, root, isTrusted, mayRunCommands, report }) {
    let count = 0
    const reading: Reading = {
      directory: directory ?? process.cwd(),
      report(place, problem, remedy) {
        count += 1
        report(place, problem, remedy)
      },
      juries,
      models,
      votes,
      plugins,
      data: { root, isPlaced: directory !== null, isTrusted, mayRunCommands },
    }
    const made = await juryOfItem(judges, reading)
    return count === 0 ? made : undefined
  }
}

/** Loaded only if something is described, since it depends on every judge. */
async function describedJury(value: unknown, place: Place, reading: Reading): Promise<Jury | Judge | undefined> {
  return (await import('./described-jury.js')).describedJury(value, place, reading)
}

async function juryOfItem(judges: unknown, reading: Reading): Promise<Jury | undefined> {
  if (typeof judges === 'string') return namedJury(judges, reading)
  if (Array.isArray(judges)) return listedJury(judges, reading)
  const members = isPlainObject(judges) && !isOneJudge(judges) ? { judges } : judges
  const place = members === judges ? [] : ['judges']
  // The places of named members are those of the item, which has no further "judges".
  const own: Reading = {
    ...reading,
    report: (at, problem, remedy) => reading.report(at.slice(place.length), problem, remedy),
  }
  const made = await describedJury(members, [], own)
  return made === undefined ? undefined : consentingJury(made, nameOf(judges, made))
}

/** Whether an object is one judge or jury, rather than members by name. */
function isOneJudge(value: Readonly<Record<string, unknown>>): boolean {
  const isWord = (key: string) => typeof value[key] === 'string'
  return (
    ['type', 'module', 'use', 'mustDecide'].some(isWord) || isPlainObject(value.judges) || Array.isArray(value.cascade)
  )
}

/** Returns the jury of the config that `judges: NAME` refers to. */
function namedJury(name: string, { juries, report }: Reading): Jury | undefined {
  const found = Object.hasOwn(juries, name) ? juries[name] : undefined
  if (typeof found === 'function') return jury({ judges: { [name]: found as Judge } })
  const known = Object.keys(juries)
  report([], `unknown jury ${printed(name)}.`, known.length === 0 ? 'Add it to "juries".' : nearestOrAll(name, known))
  return undefined
}

/** Builds the jury of an array of judges. Each has the name of its function or of the jury that it uses. */
async function listedJury(judges: readonly unknown[], reading: Reading): Promise<Jury | undefined> {
  const made = await Promise.all(judges.map((one, index) => describedJury(one, [index], reading)))
  const named: Record<string, Judge> = {}
  for (const [index, judge] of made.entries()) {
    if (judge === undefined) return undefined
    named[freeName(nameOf(judges[index], judge), named)] = judge
  }
  return jury({ judges: named })
}

function nameOf(described: unknown, made: Judge): string {
  const use = isPlainObject(described) ? described.use : undefined
  return typeof use === 'string' ? use : infoOf(made).name
}

function freeName(name: string, taken: Readonly<Record<string, unknown>>): string {
  for (let count = 1; ; count++) {
    const free = count === 1 ? name : `${name}-${count}`
    if (!Object.hasOwn(taken, free)) return free
  }
}

/**
 * Returns a jury in which every member must pass, as a rejecting tier requires. A jury with another vote becomes the
 * only member.
 */
function consentingJury(made: Jury | Judge, name: string): Jury {
  if (!isJury(made)) return juryOf(consensus(), made)
  const { vote } = made.parts ?? {}
  const isConsensus = vote?.name === 'consensus' && vote.options?.onMixed !== 'abstain'
  return isConsensus ? made : jury({ judges: { [name]: made } })
}
