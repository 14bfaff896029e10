import { namedInterval, percent } from '../../result/amounts.js'
import type { RunResult } from '../../result/trial-figures.js'
import type { KeptScans } from '../../scan/finding-text.js'
import { notSeen, type RunScan, runScan, suspectsText } from '../../scan/run-scan.js'
import type { Section } from '../sections.js'

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
  const columns = [
    { title: 'Rule' },
    { title: 'Level' },
    { title: 'Passes', align: 'right' as const },
    { title: 'Failed', align: 'right' as const },
    { title: 'For example' },
  ]
  const rows = scan.rules.map(({ rule, level, passes, failed, example }) => [
    ...[rule, level, `${passes}`, `${failed}`],
    example,
  ])
  return [{ title: 'Scan', lines, ...(rows.length === 0 ? {} : { table: { columns, rows } }) }]
}
