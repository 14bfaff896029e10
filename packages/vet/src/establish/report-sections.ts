import { type ColumnOf, lineSection, type Section, valuesSection } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import { duration } from '@jurist/experiment/result'
import { right } from '@jurist/kit/terminal'
import {
  countedCanaries,
  type EstablishedItem,
  type EstablishedTrials,
  type EstablishReport,
  enoughCanaries,
  hasProblem,
} from './establish-report.js'

export function establishSections(report: EstablishReport): readonly Section[] {
  const { items } = report
  return [
    ...lineSection('Conclusion', conclusionLines(report)),
    ...valuesSection('Items', items, columns),
    ...lineSection('Problems', items.filter(hasProblem).flatMap(problemLines)),
    ...lineSection('Not said', openLines(report)),
    ...lineSection('Quarantine', quarantineLines(report)),
    ...lineSection('Canaries', canaryLines(report)),
    ...lineSection('Locks', lockLines(report)),
  ]
}

const mostQuarantineDays = 30

/** A line of `quarantine.yaml` for each item whose equal trials end differently; a person decides and adds it. */
function quarantineLines({ items }: EstablishReport): readonly string[] {
  const flaky = items.filter((item) => item.flaky)
  if (flaky.length === 0) return []
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const [since, until] = [day(Date.now()), day(Date.now() + mostQuarantineDays * 86_400_000)]
  return [
    'Until they are repaired, lines for quarantine.yaml of the dataset:',
    ...flaky.map(
      ({ itemId }) =>
        `- { item: ${JSON.stringify(itemId)}, owner: YOU, reason: "equal trials end differently", since: ${since}, until: ${until} }`,
    ),
  ]
}

const sentences: { readonly [conclusion in EstablishReport['conclusion']]: string } = {
  sound: 'Every item can be solved, none by doing nothing, and equal trials end alike',
  problems: 'Some items cannot be used as they are',
  'nothing-said': 'Inconclusive: not everything could be judged',
}

function conclusionLines({ conclusion, solvable, trivial, flaky, ...rest }: EstablishReport): readonly string[] {
  const { repeat, skippedMembers, isolation, durationMs, runId } = rest
  return [
    sentences[conclusion],
    `Solvable ${solvable.count} of ${solvable.of}, trivial ${trivial.count} of ${trivial.of}, flaky ${flaky.count} of ${flaky.of}`,
    ...(skippedMembers.length === 0
      ? []
      : [`Left out of the jury, since they cost money: ${skippedMembers.join(', ')}`]),
    `Each tried ${counted(repeat, 'time')}; isolation ${isolation}; ${duration(durationMs)}; run ${runId}`,
  ]
}

const number = (title: string) => ({ ...right(title), shrinks: false })
const columns: readonly ColumnOf<EstablishedItem>[] = [
  ['ITEM', ({ itemId }) => itemId],
  [number('REFERENCE'), ({ reference }) => passes(reference)],
  [number('NOTHING'), ({ idle }) => passes(idle)],
  [number('FAIL TO PASS'), ({ tests }) => String(tests?.failToPass.length ?? '')],
  [number('PASS TO PASS'), ({ tests }) => String(tests?.passToPass.length ?? '')],
  [number('FLAKY'), ({ tests, flaky }) => String(tests?.flaky.length || (flaky ? 'verdict' : ''))],
  [number('CANARIES'), (item) => String(countedCanaries(item) ?? '')],
]

function passes(trials: EstablishedTrials | null): string {
  return trials === null ? 'not tried' : `passed ${trials.passed}/${trials.trials}`
}

const mostIds = 5

function problemLines({ itemId, solvable, trivial, flaky, reference, tests }: EstablishedItem): readonly string[] {
  const ids = tests?.flaky ?? []
  const named = ids.length === 0 ? '' : `: ${ids.slice(0, mostIds).join(', ')}${ids.length > mostIds ? ', …' : ''}`
  return [
    ...(solvable === false && !flaky ? [`${itemId}: the reference does not pass: ${reference?.reason ?? ''}`] : []),
    ...(trivial === true ? [`${itemId}: doing nothing passes. Add a check that fails before the task is done`] : []),
    ...(flaky ? [`${itemId}: equal trials end differently${named}. Mend the tests, or leave the item out`] : []),
  ]
}

function openLines({ items, complete }: EstablishReport): readonly string[] {
  const open = items.flatMap(({ itemId, reference, idle }) =>
    [reference, idle].flatMap((trials) =>
      trials !== null && trials.undecided > 0
        ? `${itemId}: ${trials.undecided} of ${trials.trials} trials decided nothing: ${trials.reason ?? ''}`
        : [],
    ),
  )
  const without = items.filter(({ reference }) => reference === null).length
  return [
    ...(complete ? [] : ['The run is not complete']),
    ...open,
    ...(without === 0
      ? []
      : [`${counted(without, 'item')} without a right answer: whether it can be solved is not known`]),
  ]
}

/** Lists the items whose hidden tests could be passed by guessing, with the reason why there are too few canaries. */
export function canaryLines({ items }: Pick<EstablishReport, 'items'>): readonly string[] {
  const few = items.flatMap((item) => {
    const count = countedCanaries(item)
    if (count === undefined || count >= enoughCanaries) return []
    const found = (item.tests?.canaries ?? []).filter(({ changes }) => changes.length > 0).length
    const [problem] = (item.tests?.canaries ?? []).flatMap((set) => set.problem ?? [])
    const reason = problem ?? 'other changes are in files that the agent sees, or show which expectation is right'
    return `${item.itemId}: ${found === 0 ? 'no canary' : counted(count, 'canary', 'canaries')}: ${reason}`
  })
  const left = few.length - mostIds
  return [...few.slice(0, mostIds), ...(left > 0 ? [`and ${left} more`] : [])]
}

function lockLines({ items, written }: EstablishReport): readonly string[] {
  const count = (state: EstablishedItem['lock']) => items.filter(({ lock }) => lock === state).length
  const [stale, differing] = [count('stale'), count('differs')]
  if (written.length > 0)
    return [
      `Written: ${written.slice(0, mostIds).join(', ')}${written.length > mostIds ? `, and ${written.length - mostIds} more` : ''}`,
    ]
  return [
    ...(stale === 0 ? [] : [`${counted(stale, 'lock')} of another version of the item: run with --write`]),
    ...(differing === 0
      ? []
      : [`${counted(differing, 'lock')} with other tests than were found now: run with --write`]),
  ]
}
