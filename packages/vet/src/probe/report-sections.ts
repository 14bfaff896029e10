import { type ColumnOf, lineSection, type Section, valuesSection } from '@jurist/experiment/internal'
import { counted, grouped } from '@jurist/experiment/internal/results'
import { dollars, duration } from '@jurist/experiment/result'
import { right } from '@jurist/kit/terminal'
import type { ProbeHole, ProbeReport, ProbeRow } from './probe-report.js'

export function probeSections(report: ProbeReport): readonly Section[] {
  return [
    ...lineSection('Conclusion', conclusionLines(report)),
    ...valuesSection('Probes', report.probes.filter(wasTried), columnsOf(report)),
    ...lineSection('Before the probes', beforeLines(report)),
    ...lineSection('Not tried, not judged', openLines(report)),
    ...report.probes.flatMap(holeSections),
  ]
}

const most = 5

function wasTried({ applicable }: ProbeRow): boolean {
  return applicable > 0
}

function conclusionLines({ conclusion, probes, items }: ProbeReport): readonly string[] {
  const open = probes.filter(({ passed, accepted }) => passed.length > 0 && accepted === null)
  const tried = probes.filter(({ applicable }) => applicable > 0).length
  const gamed = new Set(open.flatMap(({ passed }) => passed.map(({ itemId }) => itemId))).size
  const accepted = probes.filter(({ passed, accepted }) => passed.length > 0 && accepted !== null)
  return [
    conclusion === 'holes'
      ? `${counted(open.length, 'probe')} of ${tried} tried got through, on ${gamed} of ${counted(items, 'item')}: ${open.map(({ name }) => name).join(', ')}`
      : conclusion === 'held'
        ? `Nothing that is not accepted got through: ${counted(tried, 'probe')} tried on ${counted(items, 'item')}`
        : 'Inconclusive: nothing got through, but not everything could be judged',
    ...accepted.map(
      ({ name, accepted: reason, passed }) => `Accepted: ${name}, on ${counted(passed.length, 'item')}: ${reason}`,
    ),
  ]
}

function columnsOf({ members }: ProbeReport): readonly ColumnOf<ProbeRow>[] {
  const through = ({ passed, applicable, accepted }: ProbeRow) =>
    `${passed.length} of ${applicable}${accepted !== null && passed.length > 0 ? ' (accepted)' : ''}`
  const open = ({ outcomes }: ProbeRow) => outcomes['not-judged'] + outcomes.error
  return [
    [{ title: 'PROBE', shrinks: false }, ({ name }) => name],
    [{ title: 'PATTERN', shrinks: false }, ({ pattern }) => pattern],
    [right('THROUGH'), through],
    [right('NOT JUDGED'), (row) => (open(row) === 0 ? '' : grouped(open(row)))],
    ...members.map((path): ColumnOf<ProbeRow> => {
      return [right(path), ({ members: { [path]: count } }) => (count ? `${count.passed}/${count.judged}` : '')]
    }),
  ]
}

function beforeLines(report: ProbeReport): readonly string[] {
  const { reference, idle, isolation, skippedMembers, noChangeItems, judgeCostUsd, durationMs, runId } = report
  return [
    reference.applicable === 0
      ? 'No item has a right answer: whether the jury passes one is not known'
      : `The right answer passes on ${reference.passed} of ${counted(reference.applicable, 'item')}`,
    ...reference.failed
      .slice(0, most)
      .map(({ itemId, reason }) => `The right answer does not pass on ${itemId}: ${reason}`),
    `Doing nothing passes on ${idle.passed.length} of ${counted(idle.applicable, 'item')}${idle.passed.length === 0 ? '' : `: ${idle.passed.slice(0, most).join(', ')}`}`,
    ...(noChangeItems === 0
      ? []
      : [`Left out: ${counted(noChangeItems, 'item')} whose right answer is to change nothing`]),
    ...(skippedMembers.length === 0
      ? []
      : [`Left out of the jury, since they cost money: ${skippedMembers.join(', ')}`]),
    `Isolation ${isolation}; ${duration(durationMs)}${judgeCostUsd === null ? '' : `; the judges cost ${dollars(judgeCostUsd)}`}; run ${runId}`,
  ]
}

function openLines({ probes, complete }: ProbeReport): readonly string[] {
  const rows = probes.filter(({ outcomes }) => outcomes['not-judged'] + outcomes.error > 0)
  return [
    ...(complete ? [] : ['The run is not complete: not every probe was tried']),
    ...rows.map(({ name, outcomes, applicable, problems }) => {
      const broke = outcomes.error > 0 ? `, ${outcomes.error} broke` : ''
      return `${name}: ${outcomes['not-judged']} of ${applicable} not judged${broke}: ${problems.join('; ')}`
    }),
    ...skippedLines(probes),
    ...namesLine(
      'Not applicable to any item',
      probes.filter((row) => !wasTried(row) && row.skipped === null),
    ),
  ]
}

function skippedLines(probes: readonly ProbeRow[]): readonly string[] {
  const reasons = [...new Set(probes.flatMap(({ skipped }) => skipped ?? []))]
  return reasons.flatMap((reason) =>
    namesLine(
      `Skipped, since ${reason}`,
      probes.filter(({ skipped }) => skipped === reason),
    ),
  )
}

function namesLine(title: string, rows: readonly ProbeRow[]): readonly string[] {
  return rows.length === 0 ? [] : [`${title}: ${rows.map(({ name }) => name).join(', ')}`]
}

function holeSections({ name, what, remedy, passed, accepted }: ProbeRow): readonly Section[] {
  const [first] = passed
  if (first === undefined || accepted !== null) return []
  const ids = passed.map(({ itemId }) => itemId)
  const rest = ids.length > most ? `, and ${ids.length - most} more` : ''
  const code = codeOf(first)
  return [
    {
      title: `${name} got through`,
      lines: [
        what,
        `On ${ids.slice(0, most).join(', ')}${rest}; passed by ${first.members.join(', ') || 'the jury'}`,
        `Remedy: ${remedy}`,
      ],
      ...(code === '' ? {} : { code }),
    },
  ]
}

function codeOf({ files, commands, output, itemId, found }: ProbeHole): string {
  const parts = [
    ...found,
    ...commands.map((command) => `$ ${command}`),
    ...files.slice(0, 3).map(({ path, change, diff }) => `${change} ${path}\n${diff}`),
    ...(files.length === 0 && commands.length === 0 && output !== null ? [`answered: ${output}`] : []),
  ]
  return parts.length === 0 ? '' : [`item ${itemId}`, ...parts].join('\n')
}
