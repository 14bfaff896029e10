// How much processor time does a scan of a long journal need? Processor time, since other work beside it makes no difference to it.
import { join } from 'node:path'
import { median, root, row, seconds, time } from './measure.mjs'

/** Journals of 10,000 events, every second of them a call of four commands, and of 337,000, every fourth. */
export function scan() {
  return [
    scanned('a scan of 10,000 events, half of them calls of four commands', [10_000, 2, 4], 5, 1_000, 300),
    scanned('a scan of 337,000 events, a quarter of them calls of one command', [337_000, 4, 1], 3, 20_000, 300),
    scanned('the same with four commands a call', [337_000, 4, 4], 3, 20_000, 300),
  ]
}

function scanned(question, given, rounds, mostMs, mostMb) {
  const runs = Array.from({ length: rounds }, () =>
    time([process.execPath, join(root, 'bench/programs/scan-events.mjs'), ...given.map(String)])
      .stdout.split(' ')
      .map(Number),
  )
  const [ms, mb] = [0, 1].map((at) => median(runs.map((run) => run[at])))
  const target = `at most ${seconds(mostMs)} of processor time, ${mostMb} MB`
  return row(question, `${seconds(ms)}, ${Math.round(mb)} MB`, target, ms <= mostMs && mb <= mostMb)
}
