import { lineSection, type Section } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import { intendedFile } from './choose-variants.js'
import { provingTrials, type TriedDemand } from './hidden-demand.js'
import { type ItemVariants, type JudgedVariant, tooStrict, type VariantReport } from './variant-report.js'

const most = 10
const mostLines = 8

/** Shows each right solution that the jury failed, with what it changes: proven findings first. */
export function strictSections(findings: readonly (JudgedVariant & { readonly itemId: string })[]): readonly Section[] {
  const proven = findings.filter(({ outcome }) => outcome === 'too-strict')
  const suspected = findings.filter(({ outcome }) => outcome === 'suspected')
  return [...proven.slice(0, most), ...suspected.slice(0, most - proven.slice(0, most).length)].map((finding) => {
    const { itemId, kind, path, line, what, outcome, failure, diff } = finding
    const place = line === null ? path : `${path}:${line} ${what}`
    const left = diff.length - mostLines
    return {
      title: `${outcome === 'too-strict' ? 'Too strict' : 'Suspected'}: ${itemId}, ${kind} ${place}`,
      lines: [`It fails: ${failure ?? 'no reason given'}`, groundOf(finding)],
      ...(diff.length === 0
        ? {}
        : {
            code: [
              ...diff.slice(0, mostLines),
              ...(left > 0 ? [`… ${counted(left, 'more line', 'more lines')}`] : []),
            ].join('\n'),
          }),
    }
  })
}

/** Why the solution is right, as far as that is known. */
function groundOf({ kind, what, equality, inputs, outcome }: JudgedVariant): string {
  if (kind === 'labelled') return `The trial is labelled ${what}.`
  if (equality === 'people') return 'A person says that it is right.'
  if (equality === 'form') return 'It behaves alike by its form, and the task does not say which form is meant.'
  const alike = inputs === null ? 'It was not compared on inputs' : `Equal on ${counted(inputs, 'input')}`
  const few = outcome === 'suspected' ? ', which proves too little' : ''
  return `${alike}${few}; the task does not say which form is meant.`
}

/** Shows the words that a solver must guess. A note: it decides nothing. */
export function demandSections(
  items: readonly Pick<ItemVariants, 'itemId' | 'demands' | 'notChecked'>[],
): readonly Section[] {
  const all = items.flatMap(({ itemId, demands }) => demands.map((one) => ({ itemId, ...one })))
  const unread = items.flatMap(({ itemId, notChecked }) => notChecked.map((path) => `${itemId}: ${path}`))
  return lineSection('Hidden demands', [
    ...all
      .slice(0, most)
      .map(
        ({ itemId, kind, word, path, line, ...told }) =>
          `${itemId}: ${path}:${line} demands the ${kind} "${word}", which neither the task nor a visible file says${toldBy(told)}`,
      ),
    ...(all.length > most ? [`and ${all.length - most} more: -o report.json`] : []),
    ...(unread.length === 0 ? [] : [`Not checked: ${named(unread)}`]),
  ])
}

/** The evidence of failed trials for a demand. */
function toldBy({ failed, instead }: Pick<TriedDemand, 'failed' | 'instead'>): string {
  const proven = failed >= provingTrials ? 'proven: ' : ''
  return [
    failed === 0 ? '' : `; ${proven}${counted(failed, 'trial')} failed at nothing else`,
    instead === null ? '' : `; ${instead.trial} wrote "${instead.word}"`,
  ].join('')
}

/** The sections of the variants of a report. */
export function variantSections(report: VariantReport | null): readonly Section[] {
  if (report === null) return []
  const all = report.items.flatMap(({ itemId, variants }) => variants.map((one) => ({ itemId, ...one })))
  const having = (wanted: JudgedVariant['outcome']) => all.filter(({ outcome }) => outcome === wanted)
  const sum = (of: (item: VariantReport['items'][number]) => number) =>
    report.items.reduce((total, item) => total + of(item), 0)
  const { count, of } = tooStrict(report)
  const byDesign = [...new Set(having('by-design').map(({ itemId }) => itemId))]
  const flaky = [...new Set(having('flaky').map(({ itemId }) => itemId))]
  const bare = report.items.filter(({ made, variants }) => made === 0 && variants.length === 0)
  const rest = (['not-equal', 'not-built', 'not-judged', 'not-run'] as const).flatMap((outcome) => {
    const found = having(outcome).length
    return found === 0 ? [] : [`${found} ${outcome.replaceAll('-', ' ')}`]
  })
  const unopened = having('not-judged').filter(({ kind }) => kind === 'labelled')
  const [accepted, said] = [sum((item) => item.accepted), sum((item) => item.said)]
  return [
    ...lineSection('Right solutions in other forms', [
      `Too strict: ${count} of ${counted(of, 'item')}`,
      `${counted(all.length, 'variant')} chosen of ${sum(({ made }) => made)}: ${having('passed').length} passed, ${having('too-strict').length} failed and equal, ${having('suspected').length} suspected${rest.length === 0 ? '' : `, ${rest.join(', ')}`}`,
      ...(said === 0 ? [] : [`${said} left out: the task, or a file that agents see, says the form`]),
      ...(accepted === 0 ? [] : [`${accepted} left out as intended in ${intendedFile}`]),
      ...(byDesign.length === 0
        ? []
        : [`Strict by design, since judges compare files with the reference: ${named(byDesign)}`]),
      ...(flaky.length === 0 ? [] : [`Flaky, since equal trials ended differently: ${named(flaky)}`]),
      ...unopened
        .slice(0, most)
        .map(({ path, what, failure }) => `Not judged: ${path}, labelled ${what}: ${failure ?? 'no reason given'}`),
      ...(bare.length === 0 ? [] : [`Nothing to vary: ${named(bare.map(({ itemId }) => itemId))}`]),
      ...(count === 0
        ? []
        : [
            `Loosen the test, or say the form in the task; if it is meant, add the change to "intended" in ${intendedFile} of the item`,
          ]),
    ]),
    ...strictSections(all),
    ...demandSections(report.items),
  ]
}

function named(ids: readonly string[]): string {
  return `${ids.slice(0, most).join(', ')}${ids.length > most ? `, and ${ids.length - most} more` : ''}`
}
