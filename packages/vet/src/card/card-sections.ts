import { lineSection, type Section, valuesSection } from '@jurist/experiment/internal'
import { counted, namedInterval, trialText } from '@jurist/experiment/internal/results'
import { percent } from '@jurist/experiment/result'
import { right } from '@jurist/kit/terminal'
import { demandSections, strictSections } from '../variants/variant-sections.js'
import type {
  BenchmarkCard,
  CardHole,
  CardMutants,
  CardProbes,
  CardSettings,
  CheckState,
  Share,
} from './benchmark-card.js'

type CommandLine = (...words: readonly string[]) => string

/**
 * Builds the sections of a card for every format.
 *
 * @param commandLine formats a command, given the arguments after `jurist`, for the place where the card is read
 */
export function cardSections(card: BenchmarkCard, commandLine: CommandLine): readonly Section[] {
  return [
    ...lineSection('Conclusion', [sentenceOf(card)]),
    ...valuesSection('Figures', figuresOf(card), [
      [{ title: 'FIGURE', shrinks: false }, ([figure = '']) => figure],
      [{ ...right('COUNT'), shrinks: false }, ([, count = '']) => count],
      ['MEANING', ([, , meaning = '']) => meaning],
    ]),
    ...lineSection('Canaries', card.canaries?.notices ?? []),
    ...lineSection('Holes', card.probes?.holes.flatMap(holeLines) ?? []),
    ...strictSections(card.variants?.findings ?? []),
    ...demandSections(card.variants?.demands ?? []),
    ...lineSection('Files of the tasks', settingLines(card.settings)),
    ...lineSection('Survivors', survivorLines(card.mutants, commandLine)),
    ...valuesSection('Agentic Benchmark Checklist (arXiv 2507.02825), as far as running shows', card.checks, [
      [{ title: 'CHECK', shrinks: false }, ({ id }) => id],
      ['DEMAND', ({ what }) => what],
      [{ title: 'STATE', shrinks: false }, ({ state }) => stateWords[state]],
      ['EVIDENCE', ({ evidence }) => evidence],
    ]),
    ...lineSection('Made of', sourceLines(card)),
  ]
}

function sentenceOf(card: BenchmarkCard): string {
  const { conclusion, solvable, trivial, flaky, probes, mutants, variants, settings } = card
  if (conclusion === 'nothing-said') return 'Nothing can be said: not everything could be judged'
  if (conclusion === 'sound') return `Sound in everything that was tried: ${soundness(card)}`
  const problems = [
    [solvable.of - solvable.count, 'unsolvable'],
    [trivial.count, 'trivial'],
    [flaky?.count ?? 0, 'flaky'],
    [probes?.gameable.count ?? 0, 'gameable'],
    [variants?.strict.count ?? 0, 'too strict'],
    [settings?.defects.count ?? 0, 'with a defect in their files'],
  ] as const
  const found = problems.flatMap(([count, word]) => (count === 0 ? [] : `${count} ${word}`))
  const mistakes = [
    ...(isAbove(mutants) ? ['more mutants survive than may'] : []),
    ...((mutants?.wrongSolutions.count ?? 0) > 0 ? ['wrong solutions of people pass'] : []),
  ]
  const parts = [...(found.length === 0 ? [] : [`of the items, ${found.join(', ')}`]), ...mistakes]
  return `Not sound: ${parts.length === 0 ? 'doing nothing passed' : parts.join('; ')}`
}

/** Lists the problems that no item has, and how much of the possible was tried. */
function soundness({ flaky, probes }: BenchmarkCard): string {
  const isEverything = probes === null || isWhole(probes)
  const words = ['unsolvable', 'trivial', ...(flaky === null ? [] : ['flaky']), ...(isEverything ? ['gameable'] : [])]
  const items = `no item is ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
  if (isEverything) return items
  const { tried, trials } = probes
  return `${items}, and no probe got through that is not accepted (${counted(tried, 'probe')}, each on one item: ${trials.count} of ${trials.of} trials)`
}

/** Whether each probe was tried on every item to which it applies. */
function isWhole({ trials }: CardProbes): boolean {
  return trials.count === trials.of
}

function isAbove(mutants: CardMutants | null): boolean {
  return mutants !== null && mutants.threshold !== null && (mutants.mean ?? 0) > mutants.threshold
}

const stateWords: { readonly [state in CheckState]: string } = {
  holds: 'holds',
  fails: 'fails',
  accepted: 'accepted',
  'not-checked': 'not checked',
}

function figuresOf({
  solvable,
  trivial,
  idleNotJudged,
  flaky,
  canaries,
  probes,
  mutants,
  variants,
  settings,
  establish,
}: BenchmarkCard): readonly (readonly string[])[] {
  const often = establish.repeat === 1 ? 'once' : `each of ${establish.repeat} times`
  return [
    ['solvable', share(solvable), `the right answer passes, ${often}`],
    ['trivial', share(trivial), `doing nothing passes${notJudged(idleNotJudged)}`],
    ['flaky', share(flaky), flaky === null ? 'equal trials were not compared' : 'equal trials end differently'],
    [
      'canaries',
      share(canaries?.enough ?? null),
      canaries === null
        ? 'no judge looks for canaries: none lays tests over the work, or `canaries: false` turns them off'
        : 'hidden tests have at least three changed expectations that a right answer fails',
    ],
    ['gameable', share(probes?.gameable ?? null), probes === null ? 'the probes did not run' : probeWords(probes)],
    ['leaks', share(probes?.leaks ?? null), 'a probe finds the right answer, or secrets'],
    ['mutants', share(mutants?.survived ?? null), mutants === null ? 'no mutants ran' : mutantWords(mutants)],
    ...(mutants === null || mutants.wrongSolutions.of === 0
      ? []
      : [['wrong solutions', share(mutants.wrongSolutions), 'a wrong solution of a person passes']]),
    ...(variants === null
      ? []
      : [
          [
            'too strict',
            share(variants.strict),
            `a solution that behaves alike fails (${counted(variants.judged, 'variant')} judged)`,
          ],
          ['hidden demand', share(variants.demanding), 'a hidden test demands a word that nothing says to agents'],
        ]),
    ...(settings === null ? [] : [['settings', share(settings.defects), 'the files of the task have a defect']]),
  ]
}

function notJudged(items: BenchmarkCard['idleNotJudged']): string {
  const [first] = items
  return first === undefined
    ? ''
    : `; not judged on ${counted(items.length, 'item')} (${first.itemId}: ${first.reason})`
}

function mutantWords({ mean, interval, threshold, notJudged }: CardMutants): string {
  const figure = mean === null ? '' : `: ${percent(mean)} as a mean over items`
  const sure = interval === null ? '' : `, ${namedInterval(interval)}`
  const limit = threshold === null ? '' : `; at most ${percent(threshold)} may`
  const open = notJudged === 0 ? '' : ` (${counted(notJudged, 'mutant')} not judged)`
  return `a small mistake in the right answer passes${figure}${sure}${limit}${open}`
}

function share(value: Share | null): string {
  return value === null ? 'not tried' : `${value.count} of ${value.of}`
}

function probeWords(probes: CardProbes): string {
  const { tried, trials, notApplicable, skipped, notJudged, holes } = probes
  const accepted = holes.filter((hole) => hole.accepted !== null).length
  const apart = [
    ...(notApplicable === 0 ? [] : [`${notApplicable} not applicable`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ...(accepted === 0 ? [] : [`${accepted} accepted`]),
    ...(notJudged === 0 ? [] : [`${counted(notJudged, 'trial')} not judged`]),
  ]
  const more = apart.length === 0 ? '' : ` (${apart.join(', ')})`
  const where = isWhole(probes) ? '' : `; each was tried on one item first: ${trials.count} of ${trials.of} trials`
  return `at least one of ${counted(tried, 'probe')} passes${more}${where}`
}

const most = 5

function holeLines({ probe, what, items, members, remedy, accepted }: CardHole): readonly string[] {
  const ids = items.slice(0, most).join(', ')
  const rest = items.length > most ? `, and ${items.length - most} more` : ''
  const by = members.length === 0 ? '' : `; passed by ${members.join(', ')}`
  return [
    `${probe}, on ${counted(items.length, 'item')} (${ids}${rest})${by}: ${what}`,
    accepted === null ? `  Remedy: ${remedy}` : `  Accepted: ${accepted}`,
  ]
}

/** The places of the first five surviving mutants, and the commands that show them. */
function survivorLines(mutants: CardMutants | null, commandLine: CommandLine): readonly string[] {
  if (mutants === null) return []
  const { runId, survivors } = mutants
  const left = survivors.length - most
  return [
    ...survivors
      .slice(0, most)
      .flatMap(({ itemId, repetition, path, line, operator }) => [
        `${itemId}: ${path}:${line} (${operator})`,
        `  Show it: ${commandLine('show', runId, trialText({ itemId, repetition }))}`,
      ]),
    ...(left > 0 ? [`and ${left} more: ${commandLine('show', runId)}`] : []),
  ]
}

/** The defects first; the notes are counted, since only running tells whether they matter. */
function settingLines(settings: CardSettings | null): readonly string[] {
  if (settings === null) return []
  const defects = settings.findings.filter(({ level }) => level === 'defect')
  const notes = settings.findings.length - defects.length
  return [
    ...defects.flatMap(({ itemId, file, line, check, what, remedy }) => [
      `${itemId}: ${file}:${line} ${what} (${check})`,
      `  Remedy: ${remedy}`,
    ]),
    ...settings.notChecked.map(({ itemId, file, reason }) => `${itemId}: ${file} is not checked: ${reason}`),
    ...(notes === 0 ? [] : [`${counted(notes, 'note')}, which running may confirm: jurist validate`]),
  ]
}

function leftOut(where: string, members: readonly string[]): readonly string[] {
  return members.length === 0 ? [] : [`${where}, since they cost money: ${members.join(', ')}`]
}

/** How far commands can reach. A sandbox without a list may have any network. */
function reachOf({ isolation, network }: BenchmarkCard): string {
  if (network === undefined) return isolation === 'none' ? ', which reaches everything' : ''
  return network.length === 0
    ? ', which reaches no host'
    : `, which reaches ${counted(network.length, 'host')}: ${network.join(', ')}`
}

function sourceLines(card: BenchmarkCard) {
  const { dataset, isolation, skippedMembers, establish, probes, mutants, madeAt } = card
  const runs = [establish, probes, mutants].flatMap((one) => one?.runId ?? [])
  const { name, version, hash, gitCommit, dirty, selectedItemCount, activeItemCount } = dataset
  const commit = gitCommit === null ? '' : `, commit ${gitCommit.slice(0, 12)}${dirty ? ' with changes' : ''}`
  return [
    `Dataset ${name} ${version}, ${selectedItemCount} of ${counted(activeItemCount, 'item')}, hash ${hash.slice(0, 16)}${commit}`,
    ...leftOut('Left out of the jury', skippedMembers),
    ...(skippedMembers.length > 0 ? [] : leftOut('Left out where mutants are judged', mutants?.skippedMembers ?? [])),
    `Isolation ${isolation}${reachOf(card)}; ${madeAt}; runs ${runs.join(', ')}`,
  ]
}
