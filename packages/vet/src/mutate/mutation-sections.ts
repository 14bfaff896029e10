import { type ColumnOf, lineSection, type Section, valuesSection } from '@jurist/experiment/internal'
import { counted, namedInterval } from '@jurist/experiment/internal/results'
import { dollars, duration, percent } from '@jurist/experiment/result'
import { right } from '@jurist/kit/terminal'
import { variantSections } from '../variants/variant-sections.js'
import { marksFile } from './mutants.js'
import type { ItemMutants, JudgedMutant, MutantOutcome, MutationReport, Survival } from './mutation-report.js'
import { type MutantProof, proofText } from './prove/mutant-proof.js'

const mostSurvivors = 10

/** Shows the first ten survivors as line diffs. Those that are proven to be wrong come first, with a test. */
function survivorSections(items: readonly ItemMutants[]): readonly Section[] {
  const isProven = ({ proof }: JudgedMutant) => proof?.status === 'proven'
  const survivors = [...survivorsWhere(items, isProven), ...survivorsWhere(items, (mutant) => !isProven(mutant))]
  const first = survivors.slice(0, mostSurvivors)
  const rest = survivors.length - first.length
  const more = { title: 'More survivors', lines: [`${rest} more are in the report: -o mutants.html`] }
  return rest > 0 ? [...first, more] : first
}

const letters: Readonly<Record<MutantOutcome, string>> = {
  survived: 'S',
  'not-judged': '?',
  broke: '?',
  'not-run': '?',
  timeout: 'T',
  killed: 'K',
}

/** Shows each survivor that is proven to be wrong, with a test that fails for it. */
function provenSections(items: readonly ItemMutants[]): readonly Section[] {
  return survivorsWhere(items, ({ proof }) => proof?.status === 'proven')
}

function survivorsWhere(
  items: readonly ItemMutants[],
  isWanted: (mutant: JudgedMutant) => boolean,
): readonly Section[] {
  return items.flatMap(({ itemId, mutants }) =>
    mutants
      .filter((mutant) => mutant.outcome === 'survived' && isWanted(mutant))
      .map((mutant) => survivorSection(itemId, mutant)),
  )
}

function survivorSection(itemId: string, { path, line, operator, mark, proof }: JudgedMutant): Section {
  const difference = [
    ...mark.before.split('\n').map((text) => `- ${text}`),
    ...mark.after.split('\n').map((text) => `+ ${text}`),
  ]
  const test = proof?.status === 'proven' ? ['', ...proof.test.trimEnd().split('\n')] : []
  return {
    title: `${itemId}: ${path}:${line} (${operator})`,
    ...(proof === null ? {} : { lines: [proofText(proof)] }),
    code: [...difference, ...test].join('\n'),
  }
}

/** Shows every mutated source, with the letters of the mutants on each line, followed by the survivors. */
function sourceSections(items: readonly ItemMutants[]): readonly Section[] {
  return items.flatMap(({ itemId, sources, mutants }) =>
    Object.entries(sources).map(([path, source]): Section => {
      const own = mutants.filter((mutant) => mutant.path === path)
      return {
        title: `${itemId}/${path}`,
        lines: ['Letters of a line: S a mutant survived, T it ran out of time, K it was killed, ? it was not judged.'],
        code: source
          .replace(/\n$/, '')
          .split('\n')
          .flatMap((line, index) => lineWith(line, index + 1, own))
          .join('\n'),
      }
    }),
  )
}

function lineWith(text: string, line: number, mutants: readonly JudgedMutant[]): readonly string[] {
  const own = mutants.filter((mutant) => mutant.line === line)
  const marks = own.map(({ outcome }) => letters[outcome]).join('')
  const survivors = own.filter(({ outcome }) => outcome === 'survived')
  return [
    `${marks.padStart(8)} ${String(line).padStart(5)} ${text}`,
    ...survivors.flatMap(({ operator, mark }) =>
      mark.after
        .split('\n')
        .map((after, index) => `${' '.repeat(14)} ${index === 0 ? `S ${operator}:` : ' '} ${after}`),
    ),
  ]
}

/** With `sources`, shows every source with its mutants, for pages; otherwise each survivor. */
export function mutationSections(
  report: MutationReport,
  { sources }: { readonly sources: boolean },
): readonly Section[] {
  const { survival, killers, items, counts } = report
  return [
    ...lineSection('Conclusion', conclusionLines(report)),
    ...valuesSection('Items by survival', itemRows(items), survivalColumns('ITEM')),
    ...valuesSection(
      'Operators',
      Object.entries(survival.byOperator).map(([name, one]) => ({ name, ...one })),
      survivalColumns('OPERATOR'),
    ),
    ...valuesSection(
      'Killers',
      Object.entries(killers).sort(([, a], [, b]) => b - a),
      [
        ['MEMBER', ([path]) => path],
        [right('KILLED'), ([, count]) => `${count} of ${counts.judged}`],
      ],
    ),
    ...variantSections(report.variants),
    ...lineSection('Not said', openLines(report)),
    ...(sources ? [...provenSections(items), ...sourceSections(items)] : survivorSections(items)),
  ]
}

const most = 5
const mostItems = 15

function conclusionLines(report: MutationReport): readonly string[] {
  const { counts, survival, conclusion, threshold, items, seed, durationMs, judgeCostUsd, runId } = report
  const { byItem, changedLines } = survival
  const solutions = items.flatMap(({ itemId, solutions }) => solutions.map((one) => ({ itemId, ...one })))
  const passed = solutions.filter(({ outcome }) => outcome === 'survived')
  const limit = threshold === null ? '' : `; at most ${percent(threshold)} may`
  const { mean, interval } = byItem
  return [
    ...(conclusion === 'nothing-said' ? ['Inconclusive: not everything could be judged'] : []),
    `${counts.survived} of ${counted(counts.judged, 'mutant')} survived${mean === null ? '' : `: ${percent(mean)} as a mean over items`}${interval === null ? '' : `, ${namedInterval(interval)}`}${limit}`,
    ...(changedLines.judged === 0
      ? []
      : [`In lines that the reference changed: ${changedLines.survived} of ${changedLines.judged}`]),
    ...provenLines(report),
    ...(solutions.length === 0
      ? []
      : [`Wrong solutions of people that pass: ${passed.length} of ${solutions.length}${listed(passed)}`]),
    ...(counts.survived === 0
      ? []
      : [
          `A survivor is a mistake that no test notices, or is equivalent to the reference: then add its mark with a reason to "equivalent" in ${marksFile} of the item`,
        ]),
    `${counts.made} mutants can be made; ${counts.chosen} chosen (seed ${seed}), ${counts.alike} alike and ${counts.accepted} marked as equivalent left out; ${counts.timeouts} ended by time`,
    `${duration(durationMs)}${judgeCostUsd === null ? '' : `; the judges cost ${dollars(judgeCostUsd)}`}; run ${runId}`,
  ]
}

function provenLines({ proven, items, counts }: MutationReport): readonly string[] {
  if (proven === null) return []
  const proofs = items.flatMap(({ mutants }) => mutants.flatMap(({ proof }) => proof ?? []))
  const having = (status: MutantProof['status']) => proofs.filter((proof) => proof.status === status).length
  const holed = new Set(proven.map(({ itemId }) => itemId)).size
  const [overBudget, unreached] = [having('out-of-budget'), having('not-reached')]
  const others = [
    `${having('suspected-equivalent')} suspected equivalent`,
    ...(overBudget > 0 ? [`${overBudget} not proven: budget`] : []),
    `${having('not-compared') + unreached} not compared`,
  ]
  return [
    `Survivors compared with the reference: ${proven.length} of ${counts.survived} proven holes, in ${counted(holed, 'item')}; ${others.join(', ')}`,
  ]
}

function listed(solutions: readonly { readonly itemId: string; readonly name: string }[]): string {
  const names = solutions.slice(0, most).map(({ itemId, name }) => `${name} of ${itemId}`)
  return names.length === 0 ? '' : `: ${names.join(', ')}${solutions.length > most ? ' …' : ''}`
}

type SurvivalRow = Pick<Survival, 'survived' | 'judged'> & { readonly name: string }

function itemRows(items: readonly ItemMutants[]): readonly SurvivalRow[] {
  const rows = items.map(({ itemId: name, mutants }) => {
    const survived = mutants.filter(({ outcome }) => outcome === 'survived').length
    const judged = survived + mutants.filter(({ outcome }) => outcome === 'killed' || outcome === 'timeout').length
    return { name, survived, judged }
  })
  const open = rows.filter(({ survived }) => survived > 0)
  const share = ({ survived, judged }: (typeof rows)[number]) => survived / judged
  return open.sort((a, b) => share(b) - share(a)).slice(0, mostItems)
}

function survivalColumns(title: string): readonly ColumnOf<SurvivalRow>[] {
  return [
    [title, ({ name }) => name],
    [right('SURVIVED'), ({ survived }) => String(survived)],
    [right('OF'), ({ judged }) => String(judged)],
    [right('SHARE'), ({ survived, judged }) => (judged === 0 ? '' : percent(survived / judged))],
  ]
}

function openLines({ items, withoutMutants, skippedMembers, complete, counts }: MutationReport): readonly string[] {
  const unsound = items.filter(({ referencePasses }) => !referencePasses)
  const unreached = items.flatMap(({ mutants }) => mutants.filter(({ proof }) => proof?.status === 'not-reached'))
  const uncompared = unreached.length > 0 ? `, ${counted(unreached.length, 'survivor')} not compared` : ''
  const problems = new Set(items.flatMap(({ mutants }) => mutants.flatMap(({ problem }) => problem ?? [])))
  return [
    ...(complete ? [] : [`The run is not complete: ${counted(counts.notRun, 'mutant')} did not run${uncompared}`]),
    ...unsound
      .slice(0, most)
      .map(({ itemId, referenceProblem }) => `The reference of ${itemId} does not pass: ${referenceProblem}`),
    ...(unsound.length > most ? [`… and those of ${unsound.length - most} more items`] : []),
    ...(counts.notJudged > 0 && unsound.length === 0
      ? [`${counted(counts.notJudged, 'mutant')} not judged: ${[...problems].slice(0, 3).join('; ')}`]
      : []),
    ...withoutMutants.slice(0, most).map(({ itemId, reason }) => `${itemId} has no mutants: ${reason}`),
    ...(withoutMutants.length > most ? [`… and ${withoutMutants.length - most} more items have none`] : []),
    ...(skippedMembers.length === 0
      ? []
      : [`Left out of the jury, since they cost money: ${skippedMembers.join(', ')}`]),
  ]
}
