import type { Section } from '@jurist/experiment/internal'
import type { ItemMutants, JudgedMutant, MutantOutcome } from './mutation-report.js'

const most = 10

/** Each survivor as a difference of lines, with its mark; the first ten. */
export function survivorSections(items: readonly ItemMutants[]): readonly Section[] {
  const survivors = items.flatMap(({ itemId, mutants }) =>
    mutants.filter(({ outcome }) => outcome === 'survived').map((mutant) => ({ itemId, mutant })),
  )
  const shown = survivors.slice(0, most).map(
    ({ itemId, mutant }): Section => ({
      title: `${itemId}: ${mutant.path}:${mutant.line} (${mutant.operator})`,
      code: [
        ...mutant.mark.before.split('\n').map((line) => `- ${line}`),
        ...mutant.mark.after.split('\n').map((line) => `+ ${line}`),
      ].join('\n'),
    }),
  )
  const rest = survivors.length - shown.length
  const more = { title: 'More survivors', lines: [`${rest} more are in the report: -o mutants.html`] }
  return rest > 0 ? [...shown, more] : shown
}

const letters: Readonly<Record<MutantOutcome, string>> = {
  survived: 'S',
  'not-judged': '?',
  broke: '?',
  'not-run': '?',
  timeout: 'T',
  killed: 'K',
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
