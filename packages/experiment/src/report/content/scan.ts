import { right } from '@jurist/kit/terminal'
import { namedInterval, percent } from '../../result/amounts.js'
import type { RunResult } from '../../result/trial-figures.js'
import type { KeptScans } from '../../scan/finding-text.js'
import { notSeen, type RunScan, runScan, suspectsText } from '../../scan/run-scan.js'
import { type Section, valuesSection } from '../sections.js'

/** Both pass rates of a scanned run, what each rule found, and what the scan could not see; nothing for other runs. */
export function scanSections(run: RunResult, scans: KeptScans): readonly Section[] {
  const kept = scans[run.id]
  if (kept === undefined) return []
  const scan = runScan(run, kept)
  const rate = ({ passRate, passRateInterval }: RunScan['withoutSuspects']) =>
    `${percent(passRate)}${passRateInterval === null ? '' : ` (${namedInterval(passRateInterval)})`}`
  const broken = Object.entries(scan.errors).map(
    ([rule, message]) => `The rule ${rule} failed, so the absence of its findings means nothing: ${message}`,
  )
  const lines = [
    `Pass rate ${rate(scan)}; without suspects ${rate(scan.withoutSuspects)}: ${suspectsText(scan)}.`,
    ...broken,
    `Not seen: ${notSeen(scan).join('; ')}.`,
  ]
  const found = valuesSection(
    'Scan',
    scan.rules,
    [
      ['Rule', ({ rule }) => rule],
      ['Level', ({ level }) => level],
      [right('Passes'), ({ passes }) => `${passes}`],
      [right('Failed'), ({ failed }) => `${failed}`],
      ['For example', ({ example }) => example],
    ],
    lines,
  )
  return found.length > 0 ? found : [{ title: 'Scan', lines }]
}
