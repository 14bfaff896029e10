import { type Check, error, fail, type JsonObject, type Judgment, JuristError, numerical, pass } from '@jurist/core'
import { escaped, shortened } from '../../quotation.js'
import { failedFirst, limited, shownId } from '../test-checks.js'
import { countTests } from '../test-names.js'
import { logTrouble } from './log-trouble.js'
import type { ReadLog } from './read-log.js'
import { type Demanded, type Demands, resolutionOf } from './resolution.js'

/** A log that was read, and what it is graded with. */
export interface Graded {
  readonly read: ReadLog
  readonly log: string
  readonly demands: Demands
  readonly metadata: JsonObject
}

/** The judgment on what a log says of the tests that an instance demands. */
export function gradedJudgment({ read, log, demands, metadata }: Graded): Judgment {
  const { problem, tests } = read
  if (problem !== undefined) return withoutResults(problem, log, metadata)
  const { status, rates, failToPass, passToPass } = resolutionOf(tests, demands)
  const all = [...failToPass, ...passToPass]
  const right = all.filter(({ passed }) => passed).length
  const { checks, omitted } = limited(failedFirst(all.map(checkOf)))
  const extras = {
    score: numerical(all.length === 0 ? 1 : right / all.length),
    checks,
    metadata: { ...metadata, ...countTests(tests), ...omitted, resolution: status, rates: { ...rates } },
  }
  const said = `${status}: ${countOf(failToPass)} FAIL_TO_PASS and ${countOf(passToPass)} PASS_TO_PASS tests are right`
  return status === 'RESOLVED_FULL' ? pass(said, extras) : fail(said, extras)
}

/** Where the machine is to blame nothing is known of the work: that is an error, and never a fail. */
function withoutResults(problem: string, log: string, metadata: JsonObject): Judgment {
  const trouble = logTrouble(log)
  const known = { ...metadata, resolution: 'RESOLVED_NO', ...(trouble && { trouble: { ...trouble } }) }
  if (trouble?.tier === 'environment') {
    const reasoning = `${problem}; the log shows ${trouble.reason}`
    return error(reasoning, new JuristError('environment-unfit', reasoning, { problem: trouble.reason }), {
      metadata: known,
    })
  }
  const said = trouble === undefined ? problem : `${problem}; the log shows ${trouble.reason}`
  const checks = [{ name: 'log_valid', passed: false, message: said }]
  return fail(said, { score: numerical(0), checks, metadata: known })
}

function checkOf({ id, passed, test }: Demanded): Check {
  const said = test === undefined ? 'is not in the log' : test.status
  const detail = test?.message === undefined || test.message === '' ? said : `${said}: ${test.message}`
  return { name: shownId(id), passed, message: shortened(escaped(detail.replace(/\s*\n\s*/g, ' '))) }
}

function countOf(tests: readonly Demanded[]): string {
  return `${tests.filter(({ passed }) => passed).length} of ${tests.length}`
}
