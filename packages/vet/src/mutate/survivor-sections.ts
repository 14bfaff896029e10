import type { Section } from '@jurist/experiment/internal'
import type { ItemMutants, JudgedMutant, MutantOutcome } from './mutation-report.js'
import { proofText } from './prove/proof-text.js'

const most = 10

/** Each survivor as a difference of lines, those that are proven to be wrong first, with a test; the first ten. */
export function survivorSections(items: readonly ItemMutants[]): readonly Section[] {
  const isProven = ({ proof }: JudgedMutant) => proof?.status === 'proven'
  const survivors = [...survivorsWhere(items, isProven), ...survivorsWhere(items, (mutant) => !isProven(mutant))]
  const first = survivors.slice(0, most)
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

/** Each survivor that is proven to be wrong, with a test that notices it. */
export function provenSections(items: readonly ItemMutants[]): readonly Section[] {
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

/** Every source that has mutants, each line with the letters of its mutants, and below it what survived. */
export function sourceSections(items: readonly ItemMutants[]): readonly Section[] {
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
