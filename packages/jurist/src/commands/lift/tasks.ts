import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '@jurist/core'
import type { InlineItem } from '@jurist/experiment'
import { counted } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { safeLine } from '@jurist/kit/terminal'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import type { AssertionJudge } from './assertion-judges.js'
import { type Eval, isCall, placeFiles } from './evals.js'
import { argumentOf, type Subject } from './subject.js'

export interface JudgedEval {
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
export async function itemsOf(
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
