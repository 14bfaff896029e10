import { type Failure, type Judgment, type JudgmentContext, type Verdict, verdictFromJson } from '@jurist/core'
import { keepStacks, recordingPrompts, stackOf } from '@jurist/core/internal'
import { withoutHostSecrets } from '@jurist/workspace/internal'
import type { Settings } from './settings.js'
import { userStack } from './user-stack.js'

/** What a run stores so that a reader finds the cause of a failure. */
export interface Recording {
  /** The failure with the frames of the user's code where it was thrown. */
  located(failure: Failure): Failure
  /** The verdict with the frames of judges that threw. */
  locatedVerdict(verdict: Verdict): Verdict
  /** The context, which model judges keep their prompts by, unless the experiment does not want that. */
  judging(context: JudgmentContext): JudgmentContext
}

/** How a run records, by its settings. From now on stacks are kept in this process. */
export function recordingOf({
  projectDirectory,
  recordPrompts,
}: Pick<Settings, 'projectDirectory' | 'recordPrompts'>): Recording {
  keepStacks()
  const located = (failure: Failure): Failure => {
    const stack = failure.stack === undefined ? userStack(stackOf(failure) ?? '', projectDirectory) : undefined
    return stack === undefined ? failure : Object.freeze({ ...failure, stack })
  }
  return Object.freeze<Recording>({
    located,
    locatedVerdict: (verdict) => {
      const plain = plainVerdict(verdict, located)
      return plain === verdict ? verdict : verdictFromJson(plain)
    },
    judging: (context) => (recordPrompts ? recordingPrompts(context, withoutHostSecrets) : context),
  })
}

/** The verdict itself where no judge of it threw. */
function plainVerdict(verdict: Verdict, located: Recording['located']): Verdict {
  const judgment = (one: Judgment): Judgment => {
    const failure = one.status === 'error' ? located(one.failure) : undefined
    return one.status !== 'error' || failure === undefined || failure === one.failure ? one : { ...one, failure }
  }
  const aggregated = judgment(verdict.aggregated)
  const individual = mapped(verdict.individual, judgment)
  const subVerdicts = mapped(verdict.subVerdicts, (one) => plainVerdict(one, located))
  const isSame =
    aggregated === verdict.aggregated && individual === verdict.individual && subVerdicts === verdict.subVerdicts
  return isSame ? verdict : { ...verdict, aggregated, individual, subVerdicts }
}

/** The record itself where nothing in it changes. */
function mapped<Value>(record: Readonly<Record<string, Value>>, change: (value: Value) => Value) {
  const entries = Object.entries(record).map(([name, value]) => [name, change(value)] as const)
  return entries.every(([name, value]) => record[name] === value) ? record : Object.fromEntries(entries)
}
